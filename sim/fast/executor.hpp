#pragma once
// The in-process engine for plans: predicts a timeline by discrete-event simulation.
//
// Semantics, shared with sim/simgrid by definition and not by code. A step becomes ready at the latest of: the end of
// the step before it on its lane; the end of each dependency, plus models::CostModel::hop where the dependency is on
// another lane; its turn on the submitting thread (position on the lane times submit, from the submission). From there
// its fixed part runs, then its work part, at the smallest rate of its domains, re-estimated at every start and end of
// a work part in them; kernels of one device get their parts of it in the order in which their work began
// (models/interference.hpp), and each launch of a kernel of several counts anew where there are several kernel lanes.
// Steps without work end with their fixed part and interfere with nothing. Time advances in double picoseconds; each
// interval is rounded once. Among events at one time the smaller step id comes first.

#include <memory>

#include "core/executor.hpp"
#include "core/machine.hpp"
#include "models/cost.hpp"

namespace forelap::sim::fast {

/// One simulation. The makespan is the last end plus cost.run_overhead(). Throws core::Error (bad_input) where the plan
/// takes longer than core::kLongestTimeline.
core::Timeline simulate(const core::Plan& plan, const models::CostModel& cost);

/// The engine behind the executor interface; bindings are ignored. `machine` is shared.
std::unique_ptr<core::Executor> make_executor(std::shared_ptr<const core::Machine> machine,
                                              models::InterferenceMode mode);

}  // namespace forelap::sim::fast
