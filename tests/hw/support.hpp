#pragma once
// Plans for the tests of hardware executors, and devices where they are there.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/executor.hpp"
#include "core/plan.hpp"
#include "hw/device.hpp"

namespace forelap::hw::test {

/// Opens a device; where it is not there returns null and says why in `reason`.
std::shared_ptr<Device> try_open(const std::string& spec, std::string& reason);
/// True where the environment variable FORELAP_REQUIRE ("cuda,opencl") names the backend of `spec`.
bool is_required(const std::string& spec);

/// The error that `body` throws, or nothing.
std::optional<core::Error> error_of(const std::function<void()>& body);

/// The lanes of a device with two copy engines.
struct Lanes {
  core::LaneId in{};
  core::LaneId kernel{};
  core::LaneId out{};
};
Lanes add_lanes(core::PlanBuilder& builder, std::size_t device = 0);

core::StepId add_copy(core::PlanBuilder& builder, core::LaneId lane, core::Direction direction, core::BufferId buffer,
                      std::uint64_t bytes, std::span<const core::StepId> after = {}, std::size_t device = 0,
                      std::uint32_t count = 1);
/// Multiplies the buffer's first n integers by 3, `repeat` times.
core::StepId add_synthetic(core::PlanBuilder& builder, core::LaneId lane, core::BufferId buffer, int n, int repeat,
                           std::span<const core::StepId> after = {}, std::size_t device = 0, std::uint32_t count = 1);
/// htod, synthetic kernel, dtoh over a buffer of n integers, the first after `after`; returns the last step.
core::StepId add_task(core::PlanBuilder& builder, const Lanes& lanes, core::BufferId buffer, int n, int repeat,
                      std::size_t device = 0, std::span<const core::StepId> after = {});
core::BufferId add_buffer(core::PlanBuilder& builder, std::uint64_t bytes,
                          core::MemoryKind memory = core::MemoryKind::pinned, std::size_t device = 0);

/// `tasks` tasks over buffers of n integers on one device.
core::Plan task_plan(std::size_t tasks, int n, int repeat);

/// htod, the kernel, dtoh over one buffer. In `passes` where those are not 0; the last number then counts them.
core::Plan kernel_plan(const std::string& name, std::uint64_t bytes, std::uint64_t items,
                       const std::vector<std::int32_t>& numbers, core::MemoryKind memory, std::uint32_t passes = 0);

}  // namespace forelap::hw::test
