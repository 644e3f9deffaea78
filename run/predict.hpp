#pragma once
// Predicting the runs of a set: each row's makespan by an engine, and its 90 % interval from the spreads of the
// machine's parameters.

#include <memory>
#include <string>

#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/timeline.hpp"
#include "run/predict_options.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace forelap::run {

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

}  // namespace forelap::run
