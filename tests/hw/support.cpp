#include "tests/hw/support.hpp"

#include <array>
#include <cstdlib>

#include "core/text.hpp"
#include "hw/backends.hpp"

namespace forelap::hw::test {

std::shared_ptr<Device> try_open(const std::string& spec, std::string& reason) {
  try {
    return open_device(spec).device;
  } catch (const core::Error& error) {
    reason = spec + ": " + error.what();
    return nullptr;
  }
}

bool is_required(const std::string& spec) {
  const char* required = std::getenv("FORELAP_REQUIRE");
  if (required == nullptr) return false;
  // "cuda" requires one device of it; a second one is required only where it is named.
  const std::size_t colon = spec.find(':');
  const bool is_first = colon == std::string::npos || spec.substr(colon) == ":0";
  for (const std::string& name : core::split(required, ',')) {
    if (core::trim(name) == spec || (is_first && core::trim(name) == spec.substr(0, colon))) return true;
  }
  return false;
}

std::optional<core::Error> error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const core::Error& error) {
    return error;
  }
  return std::nullopt;
}

Lanes add_lanes(core::PlanBuilder& builder, std::size_t device) {
  const auto id = core::make_id<core::DeviceId>(device);
  const std::string name = "dev" + std::to_string(device);
  return {builder.add_lane({core::LaneKind::copy, id, {}, name + " htod"}),
          builder.add_lane({core::LaneKind::kernel, id, {}, name + " kernel"}),
          builder.add_lane({core::LaneKind::copy, id, {}, name + " dtoh"})};
}

core::StepId add_copy(core::PlanBuilder& builder, core::LaneId lane, core::Direction direction, core::BufferId buffer,
                      std::uint64_t bytes, std::span<const core::StepId> after, std::size_t device,
                      std::uint32_t count) {
  core::CopyStep step;
  step.lane = lane;
  step.device = core::make_id<core::DeviceId>(device);
  step.direction = direction;
  step.buffer = buffer;
  step.bytes = bytes;
  step.count = count;
  return builder.add(step, after);
}

core::StepId add_synthetic(core::PlanBuilder& builder, core::LaneId lane, core::BufferId buffer, int n, int repeat,
                           std::span<const core::StepId> after, std::size_t device, std::uint32_t count) {
  core::KernelStep step;
  step.lane = lane;
  step.device = core::make_id<core::DeviceId>(device);
  step.call.kernel = builder.kernel("synthetic");
  step.call.global_size = {static_cast<std::uint64_t>(n), 1, 1};
  step.count = count;
  const std::array<core::Argument, 4> arguments = {buffer, std::int32_t{n}, std::int32_t{repeat}, std::int32_t{3}};
  return builder.add(step, arguments, after);
}

core::StepId add_task(core::PlanBuilder& builder, const Lanes& lanes, core::BufferId buffer, int n, int repeat,
                      std::size_t device, std::span<const core::StepId> after) {
  const auto bytes = static_cast<std::uint64_t>(n) * 4;
  const std::array in = {add_copy(builder, lanes.in, core::Direction::host_to_device, buffer, bytes, after, device)};
  const std::array kernel = {add_synthetic(builder, lanes.kernel, buffer, n, repeat, in, device)};
  return add_copy(builder, lanes.out, core::Direction::device_to_host, buffer, bytes, kernel, device);
}

core::BufferId add_buffer(core::PlanBuilder& builder, std::uint64_t bytes, core::MemoryKind memory,
                          std::size_t device) {
  core::Buffer buffer;
  buffer.bytes = bytes;
  buffer.memory = memory;
  buffer.device = core::make_id<core::DeviceId>(device);
  return builder.add_buffer(buffer);
}

core::Plan task_plan(std::size_t tasks, int n, int repeat) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  for (std::size_t i = 0; i < tasks; ++i) {
    add_task(builder, lanes, add_buffer(builder, static_cast<std::uint64_t>(n) * 4), n, repeat);
  }
  return builder.build();
}

core::Plan kernel_plan(const std::string& name, std::uint64_t bytes, std::uint64_t items,
                       const std::vector<std::int32_t>& numbers, core::MemoryKind memory, std::uint32_t passes) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::BufferId buffer = add_buffer(builder, bytes, memory);
  const std::array in = {add_copy(builder, lanes.in, core::Direction::host_to_device, buffer, bytes)};
  core::KernelStep step;
  step.lane = lanes.kernel;
  step.call.kernel = builder.kernel(name);
  step.call.global_size[0] = items;
  if (passes > 0) {
    step.count = passes;
    step.call.pass_argument = static_cast<std::int32_t>(numbers.size());
  }
  std::vector<core::Argument> arguments = {buffer};
  for (const std::int32_t number : numbers) arguments.emplace_back(number);
  const std::array done = {builder.add(step, arguments, in)};
  add_copy(builder, lanes.out, core::Direction::device_to_host, buffer, bytes, done);
  return builder.build();
}

}  // namespace forelap::hw::test
