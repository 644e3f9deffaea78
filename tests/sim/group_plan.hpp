#pragma once
// Plans of task groups on one device as scenarios/lower.hpp shapes them, and what the order engine needs for the same.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan.hpp"
#include "models/cost.hpp"
#include "sim/fast/order_engine.hpp"

namespace forelap::tests {

/// One stage: a given duration, or bytes (copies) or work (kernels) for the model.
struct GroupStage {
  core::Tick duration = core::kModelled;
  std::uint64_t amount = 0;
};
/// htod, kernel, dtoh; empty: left out.
using GroupTask = std::array<std::optional<GroupStage>, 3>;

/// A task of given durations, each stage present.
GroupTask timed_task(core::Tick htod, core::Tick kernel, core::Tick dtoh);

/// With two engines lanes htod, dtoh, kernel and steps by task; with one lanes copy, kernel and steps by type. Kernels
/// are called "k".
core::Plan group_plan(std::span<const GroupTask> tasks, std::span<const std::uint32_t> order, bool two_engines);

/// The order engine for the same tasks on the device and host of `cost`, which was built on a plan of them.
sim::fast::OrderEngine group_engine(std::span<const GroupTask> tasks, bool two_engines, const core::Plan& plan,
                                    const models::CostModel& cost);

}  // namespace forelap::tests
