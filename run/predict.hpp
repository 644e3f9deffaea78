#pragma once
// Predicting the runs of a set: each row's makespan by an engine, and its 90 % interval from the spreads of the
// machine's parameters.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "core/timeline.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace forelap::run {

struct PredictOptions {
  std::string engine = "fast";  ///< "fast" or "simgrid"
  /// Machines drawn for the 90 % interval; 0 = no interval (low = high = prediction). At most so many simulations are
  /// spent on intervals that a group of a thousand orders still takes seconds; large sets get fewer draws.
  std::uint32_t draws = 200;
  /// Wall-clock time for the intervals. Where it ends before 40 machines were met there are none, and a note of the set
  /// says so.
  double interval_seconds = std::numeric_limits<double>::infinity();
  core::Progress progress;
  core::StopToken stop;
};

/// The engine called `name`. Throws core::Error: bad_input for an unknown name, unavailable where SimGrid is missing.
std::unique_ptr<core::Executor> make_engine(const std::string& name, std::shared_ptr<const core::Machine> machine,
                                            core::InterferenceMode mode);

/// Fills in `predicted` and `extrapolated` of every row, and the set's engine. Intervals are found by the fast engine,
/// whichever predicts: hundreds of simulations a row are too many for another. Draws are seeded by the set's seed: the
/// same set gives the same numbers. `machine` comes from select_devices. Throws core::Error; stopped, it leaves the
/// rest of the rows without a prediction.
void predict_rows(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                  const PredictOptions& options);

/// The predicted timeline of one row.
core::Timeline predict_timeline(const validate::RunSet& set, const validate::Row& row,
                                const scenarios::Scenario& scenario, const core::Machine& machine,
                                const std::string& engine);

/// True where every parameter of the machine is exact, so that intervals have no width.
bool is_exact(const core::Machine& machine);

}  // namespace forelap::run
