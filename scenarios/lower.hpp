#pragma once
// From a scenario and the choices made to a plan. Never predicts.

#include "core/plan.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::scenarios {

/// The plan of one case in one order.
///
/// Lanes of a device with two engines: htod, dtoh, kernel lanes; with one engine: one copy lane and kernel lanes. Tasks
/// take kernel lanes in turn by their place in the order. Steps stand in submission order: by task, or by type. With
/// one engine each dtoh also stands behind every htod on the copy lane (paper, figure 2). Within a task each stage
/// depends on the one before it; stages of zero bytes and zero duration are left out; `after` becomes a dependency of a
/// task's first step on the last of the other's, and so does room in the device memory that the scenario allows
/// (scenarios/submission.hpp); by type, the order is cut where a task waits for another, and each part is submitted by
/// type on its own, because the lane would else wait for ever. Buffer i is the buffer of the task
/// at position i, whatever the order, so that plans of different orders share memory. A task's transfers in fill
/// its buffer one behind the other from its begin on, those back take it from the begin of its last kernel's result on;
/// one that would not fit is at the begin. Throws core::Error (bad_input)
/// where a kernel is unknown, a launch has no valid size, the order breaks `after`, or a task needs
/// more device memory than the scenario allows; std::invalid_argument where the
/// tuning is not one of this case.
core::Plan lower(const Scenario& scenario, const TaskGroupTuning& tuning);

}  // namespace forelap::scenarios
