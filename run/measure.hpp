#pragma once
// Measuring the runs of a set on an executor: cold runs apart, repetitions interleaved over the orders in a random
// order of their own, the data that comes back verified.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/executor.hpp"
#include "core/progress.hpp"
#include "core/timeline.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace forelap::run {

struct MeasureOptions {
  std::uint32_t repetitions = 15;  ///< uninstrumented runs of each row, beside the cold one
  std::uint64_t seed = 1;          ///< of the order in which rows take turns
  /// One instrumented run of the best, median and worst row of each case, at the end.
  bool intervals = false;
  core::StopToken stop;
  core::Progress progress;
};

/// What a measurement leaves beside the samples in the rows.
struct MeasureOutcome {
  bool stopped = false;  ///< the user asked to stop; rows with fewer runs are marked partial
  std::string failure;   ///< a device failed; what was measured before is in the rows, which are marked partial
  std::map<std::size_t, core::Timeline> timelines;  ///< instrumented runs, by row
  std::size_t verified_bytes = 0;                   ///< compared with the kernels' references
};

/// Bindings of one case of the scenario.
using BindCase = std::function<core::Bindings(std::size_t case_index)>;

/// Measures one case; false where the measurement ends here.
using MeasureCase =
    std::function<bool(std::size_t case_index, const core::Bindings& bindings, MeasureOutcome& outcome)>;

/// Every case in turn, by `measure`: what ends a measurement (a device that fails, memory that runs out) becomes the
/// outcome's failure, and rows that lack runs are marked.
MeasureOutcome measure_cases(validate::RunSet& set, const BindCase& bind, const MeasureOptions& options,
                             const MeasureCase& measure);

/// Fills in samples, cold runs and marks of every row. Cases come one after the other; the plans of all orders of one
/// are prepared together. Errors of the user's input (a kernel that does not compile) are thrown; a device that fails,
/// and wrong data, end the measurement with `failure`.
MeasureOutcome measure_rows(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
                            const BindCase& bind, const MeasureOptions& options);

}  // namespace forelap::run
