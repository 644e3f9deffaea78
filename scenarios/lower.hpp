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

/// The plan of one run of a partition.
///
/// Buffers 0 to n - 1 are the tiles: host memory only, the whole arrays. After them come, for each device with rows,
/// its whole tiles, and then for each of its chunks the stretch of each divided tile, all sharing the tiles' host
/// memory. A device has the lanes htod, dtoh and kernel, one of them "copy" with one engine; one that works in place
/// has a kernel lane only. Whole tiles are copied first; then for each chunk its stretches in, its kernel (`launches`
/// times) and its results back. A device's chunks overlap: with one engine, the results of a chunk come back after the
/// next one is in. With `serial` transfers a device's copies in begin after those of the device before it, and the
/// copies back, one device after the other, after the last copy in. A device without rows has no steps. `labels`
/// receives a name for each step, such as "htod a" or "matrix_add 2/4". Throws core::Error (bad_input) where a launch
/// has no valid size; std::invalid_argument where the shares do not sum to the rows or a device's chunks are 0.
core::Plan lower(const Scenario& scenario, const PartitionTuning& tuning, std::vector<std::string>* labels = nullptr);

}  // namespace forelap::scenarios
