#pragma once
// Online scenarios, predicted and measured: one row a policy. predict_rows and measure_rows hand over to these.

#include "run/measure.hpp"
#include "run/online_driver.hpp"
#include "run/predict_options.hpp"
#include "tune/policy.hpp"

namespace forelap::run {

/// Set for scenarios whose tasks arrive while others run.
bool is_online(const scenarios::Scenario& scenario);

/// Fills in `predicted`, `predicted_online` and `extrapolated` of every row, by the fast engine with the policy of the
/// row, which thinks by nodes and takes no simulated time. Intervals: the same policy, with the machine as it stands in
/// its head, on machines drawn from the spreads. Throws core::Error (bad_input) for another engine than "fast" and
/// for rows without a policy.
void predict_online(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                    const PredictOptions& options);

/// Fills in samples, cold runs, `measured_online` and marks of every row: sessions of the executor, tasks that arrive
/// in real time, the policies of the prediction thinking under a deadline, knowing `machine`. Otherwise like
/// measure_rows, but that the data which comes back is not verified: copies of a task take turns in its buffers.
MeasureOutcome measure_online(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
                              const core::Machine& machine, const BindCase& bind, const MeasureOptions& options);

/// One simulated run of a case by a policy: the machine that runs may differ from the one that the policy knows.
OnlineRun simulate_online(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                          const std::string& policy, const core::Machine& known,
                          std::shared_ptr<const core::Machine> running, std::uint64_t seed,
                          const core::StopToken& stop = {});

/// The figures of one run.
validate::OnlineFigures figures_of(const OnlineRun& run);

}  // namespace forelap::run
