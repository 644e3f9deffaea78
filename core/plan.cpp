#include "core/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace forelap::core {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument("plan: " + message);
}

bool valid_amount(double amount) {
  // False for NaN too.
  return amount >= 0 && amount <= 1e30;
}

bool valid_duration(Tick duration) {
  return duration == kModelled || (duration >= 0 && static_cast<double>(duration) <= kLongestSeconds * kTicksPerSecond);
}

template <class Name>
Name find_or_add(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return make_id<Name>(static_cast<std::size_t>(at - names.begin()));
  names.push_back(name);
  return make_id<Name>(names.size() - 1);
}

/// Both ends of a message are written alike.
template <class Message>
Step message_step(StepKind kind, const Message& s) {
  Step step;
  step.kind = kind;
  step.lane = s.lane;
  step.count = s.count;
  step.subject = static_cast<std::uint32_t>(index(s.peer));
  step.amount = static_cast<double>(s.bytes);
  step.duration = s.duration;
  return step;
}

bool is_pass_argument(const Plan& plan, const KernelCall& call) {
  const auto position = static_cast<std::uint32_t>(call.pass_argument);
  return position < call.argument_count && std::holds_alternative<std::int32_t>(plan.arguments_of(call)[position]);
}

void check_subject(const Plan& plan, const Step& step, const std::string& who) {
  if (step.kind == StepKind::kernel) {
    if (step.subject >= plan.calls.size()) refuse(who + " launches an unknown call");
    const KernelCall& call = plan.calls[step.subject];
    if (index(call.kernel) >= plan.kernels.size()) refuse(who + " launches an unknown kernel");
    if (std::size_t{call.first_argument} + call.argument_count > plan.arguments.size()) {
      refuse(who + " has arguments outside the table");
    }
    if (call.pass_argument >= 0 && !is_pass_argument(plan, call)) {
      refuse(who + " counts its passes in an argument that is no int32");
    }
  }
  if (step.kind == StepKind::host_work && step.subject >= plan.host_work_names.size()) {
    refuse(who + " does unknown host work");
  }
}

/// A copy that names its buffer stays inside it and has two sides to move between.
void check_copy(const Plan& plan, const Step& step, const std::string& who) {
  if (step.buffer == none<BufferId>()) return;
  const Buffer& buffer = plan.buffers[index(step.buffer)];
  if (step.items + step.amount > static_cast<double>(buffer.bytes)) {
    refuse(who + ", a copy, is larger than its buffer from its offset on");
  }
  if (buffer.in_place) refuse(who + " copies a buffer that its device uses in place");
  if (buffer.device == none<DeviceId>()) refuse(who + " copies a buffer that is host memory only");
}

/// A buffer in the device memory of another has it on the same device, and fits.
void check_device_side(const Plan& plan, std::size_t position, const std::string& who) {
  const Buffer& buffer = plan.buffers[position];
  if (buffer.device_of == none<BufferId>()) return;
  if (index(buffer.device_of) >= position) refuse(who + " uses the device memory of itself or of a later buffer");
  const Buffer& owner = plan.buffers[index(buffer.device_of)];
  if (owner.device_of != none<BufferId>() || owner.in_place || owner.device == none<DeviceId>()) {
    refuse(who + " uses the device memory of a buffer that has none of its own");
  }
  if (buffer.in_place) refuse(who + " is in place and uses device memory too");
  if (buffer.device != owner.device) refuse(who + " uses memory of another device");
  if (buffer.bytes > owner.bytes) refuse(who + " is larger than the device memory that it uses");
}

void check_buffer(const Plan& plan, std::size_t position) {
  const Buffer& buffer = plan.buffers[position];
  const std::string who = "buffer " + std::to_string(position);
  check_device_side(plan, position, who);
  if (buffer.in_place && buffer.device == none<DeviceId>()) refuse(who + " is in place, but on no device");
  if (buffer.host_of == none<BufferId>()) {
    if (buffer.host_offset != 0) refuse(who + " has an offset in host memory that it owns");
    return;
  }
  if (index(buffer.host_of) >= position) refuse(who + " shares the host memory of itself or of a later buffer");
  const Buffer& owner = plan.buffers[index(buffer.host_of)];
  if (owner.host_of != none<BufferId>()) refuse(who + " shares the host memory of a buffer that owns none");
  if (buffer.memory != owner.memory) refuse(who + " gives another kind of memory than the owner of its host side");
  if (buffer.host_offset > owner.bytes || buffer.bytes > owner.bytes - buffer.host_offset) {
    refuse(who + " reaches beyond the host memory that it shares");
  }
}

void check_argument_buffer(const Plan& plan, BufferId buffer) {
  if (index(buffer) >= plan.buffers.size()) refuse("an argument is an unknown buffer");
  if (plan.buffers[index(buffer)].device == none<DeviceId>()) {
    refuse("an argument is buffer " + std::to_string(index(buffer)) + ", which is host memory only");
  }
}

void check_step(const Plan& plan, std::size_t position) {
  const Step& step = plan.steps[position];
  const std::size_t id = plan.first_id + position;
  const std::string who = "step " + std::to_string(id);
  if (index(step.lane) >= plan.lanes.size()) refuse(who + " is on an unknown lane");
  const bool on_device = step.kind == StepKind::copy || step.kind == StepKind::kernel;
  if (on_device && index(step.device) >= plan.device_count) refuse(who + " is on an unknown device");
  if (!valid_amount(step.amount) || !valid_amount(step.items)) refuse(who + " has an amount that is not one");
  if (!valid_duration(step.duration)) refuse(who + " has a duration that is negative or too long");
  if (step.count == 0) refuse(who + " is repeated zero times");
  if (step.buffer != none<BufferId>() && index(step.buffer) >= plan.buffers.size()) {
    refuse(who + " uses an unknown buffer");
  }
  if (step.kind == StepKind::copy) check_copy(plan, step, who);
  check_subject(plan, step, who);
  if (std::size_t{step.first_dependency} + step.dependency_count > plan.dependencies.size()) {
    refuse(who + " has dependencies outside the table");
  }
  for (const StepId dependency : plan.dependencies_of(step)) {
    if (index(dependency) >= id) refuse(who + " depends on itself or on a later step");
  }
}

}  // namespace

LaneId PlanBuilder::add_lane(Lane lane) {
  if (lane.device != none<DeviceId>()) {
    plan_.device_count = std::max(plan_.device_count, static_cast<std::uint32_t>(index(lane.device)) + 1);
  }
  plan_.lanes.push_back(std::move(lane));
  return make_id<LaneId>(plan_.lanes.size() - 1);
}

BufferId PlanBuilder::add_buffer(Buffer buffer) {
  plan_.buffers.push_back(buffer);
  check_buffer(plan_, plan_.buffers.size() - 1);
  return make_id<BufferId>(plan_.buffers.size() - 1);
}

KernelId PlanBuilder::kernel(const std::string& name) {
  return find_or_add<KernelId>(plan_.kernels, name);
}

HostWorkId PlanBuilder::host_work(const std::string& name) {
  return find_or_add<HostWorkId>(plan_.host_work_names, name);
}

void PlanBuilder::reserve(std::size_t steps) {
  plan_.steps.reserve(steps);
  plan_.dependencies.reserve(2 * steps);
}

void PlanBuilder::touch(BufferId buffer, StepId step) {
  if (buffer == none<BufferId>()) return;
  if (index(buffer) >= plan_.buffers.size()) refuse("a step uses an unknown buffer");
  for (const BufferId used : {buffer, host_owner(plan_, buffer)}) {
    Buffer& b = plan_.buffers[index(used)];
    if (b.first_use == none<StepId>()) b.first_use = step;
    b.last_use = step;
  }
}

StepId PlanBuilder::append(Step step, std::span<const StepId> after) {
  step.first_dependency = static_cast<std::uint32_t>(plan_.dependencies.size());
  step.dependency_count = static_cast<std::uint32_t>(after.size());
  plan_.dependencies.insert(plan_.dependencies.end(), after.begin(), after.end());
  plan_.steps.push_back(step);
  check_step(plan_, plan_.steps.size() - 1);
  const StepId id = make_id<StepId>(plan_.first_id + plan_.steps.size() - 1);
  if (step.kind == StepKind::copy) touch(step.buffer, id);
  if (step.kind == StepKind::kernel) {
    for (const Argument& argument : plan_.arguments_of(plan_.call_of(step))) {
      const auto* buffer = std::get_if<BufferId>(&argument);
      if (buffer == nullptr) continue;
      check_argument_buffer(plan_, *buffer);
      touch(*buffer, id);
    }
  }
  return id;
}

StepId PlanBuilder::add(const CopyStep& s, std::span<const StepId> after) {
  Step step;
  step.kind = StepKind::copy;
  step.direction = s.direction;
  step.memory = s.memory;
  step.lane = s.lane;
  step.device = s.device;
  step.count = s.count;
  step.buffer = s.buffer;
  step.amount = static_cast<double>(s.bytes);
  step.items = static_cast<double>(s.offset);
  step.duration = s.duration;
  return append(step, after);
}

StepId PlanBuilder::add(const KernelStep& s, std::span<const Argument> arguments, std::span<const StepId> after) {
  KernelCall call = s.call;
  call.first_argument = static_cast<std::uint32_t>(plan_.arguments.size());
  call.argument_count = static_cast<std::uint32_t>(arguments.size());
  plan_.arguments.insert(plan_.arguments.end(), arguments.begin(), arguments.end());
  plan_.calls.push_back(call);
  Step step;
  step.kind = StepKind::kernel;
  step.lane = s.lane;
  step.device = s.device;
  step.count = s.count;
  step.subject = static_cast<std::uint32_t>(plan_.calls.size() - 1);
  step.amount = s.work;
  step.items = s.items;
  step.duration = s.duration;
  return append(step, after);
}

StepId PlanBuilder::add(const HostWorkStep& s, std::span<const StepId> after) {
  Step step;
  step.kind = StepKind::host_work;
  step.lane = s.lane;
  step.count = s.count;
  step.subject = static_cast<std::uint32_t>(index(s.work));
  step.amount = s.amount;
  step.duration = s.duration;
  return append(step, after);
}

StepId PlanBuilder::add(const SendStep& s, std::span<const StepId> after) {
  return append(message_step(StepKind::send, s), after);
}

StepId PlanBuilder::add(const ReceiveStep& s, std::span<const StepId> after) {
  if (after.empty()) refuse("a receive step must depend on the step that sends");
  return append(message_step(StepKind::receive, s), after);
}

Plan PlanBuilder::build() {
  // Room for growth that is never used is a fifth of a large plan.
  plan_.dependencies.shrink_to_fit();
  plan_.calls.shrink_to_fit();
  return std::exchange(plan_, Plan{});
}

BufferId host_owner(const Plan& plan, BufferId buffer) {
  const BufferId owner = plan.buffers[index(buffer)].host_of;
  return owner == none<BufferId>() ? buffer : owner;
}

void check_plan(const Plan& plan) {
  for (const Lane& lane : plan.lanes) {
    if (lane.device != none<DeviceId>() && index(lane.device) >= plan.device_count) {
      refuse("lane \"" + lane.name + "\" is on an unknown device");
    }
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) check_buffer(plan, i);
  for (const Argument& argument : plan.arguments) {
    const auto* buffer = std::get_if<BufferId>(&argument);
    if (buffer != nullptr) check_argument_buffer(plan, *buffer);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) check_step(plan, i);
}

}  // namespace forelap::core
