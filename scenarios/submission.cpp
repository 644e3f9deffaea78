#include "scenarios/submission.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/quantity.hpp"

namespace forelap::scenarios {
namespace {

const TaskGroup& group_of(const Scenario& scenario) {
  return std::get<TaskGroup>(scenario.body);
}

template <class Command>
bool any_step(const std::vector<Command>& commands) {
  return std::any_of(commands.begin(), commands.end(), [](const Command& command) { return is_step(command); });
}

std::uint8_t first_stage_of(const SizedTask& task) {
  if (any_step(task.htod)) return 0;
  if (any_step(task.kernels)) return 1;
  return any_step(task.dtoh) ? 2 : 3;
}

}  // namespace

bool is_step(const SizedTransfer& transfer) {
  return transfer.duration == core::kModelled ? transfer.bytes != 0 : transfer.duration != 0;
}

bool is_step(const SizedKernel& kernel) {
  return kernel.duration != 0;
}

bool has_steps(const SizedTask& task) {
  return first_stage_of(task) != 3;
}

bool submits_by_type(const TaskGroupTuning& tuning, std::uint32_t device) {
  if (tuning.submission != Submission::automatic) return tuning.submission == Submission::by_type;
  return tuning.engines.at(device) != 2;
}

SubmissionOrder::SubmissionOrder(const Scenario& scenario, const TaskGroupTuning& tuning)
    : tasks_(group_of(scenario).cases.at(tuning.case_index).tasks),
      limit_(group_of(scenario).device_memory),
      state_(tasks_.size()),
      devices_(tuning.device_count) {
  for (const SizedTask& task : tuning.tasks) {
    first_stage_.push_back(first_stage_of(task));
    bytes_.push_back(has_steps(task) ? task.buffer_bytes : 0);
  }
  for (std::uint32_t d = 0; d < tuning.device_count; ++d) by_type_.push_back(submits_by_type(tuning, d));
}

void SubmissionOrder::start(std::span<const std::uint32_t> order, std::uint32_t kernel_lanes) {
  order_.assign(order.begin(), order.end());
  round_begin_.clear();
  if (!order.empty()) round_begin_.push_back(0);
  waits_.clear();
  std::fill(state_.begin(), state_.end(), TaskState{});
  for (const std::uint32_t task : order) state_.at(task).place = Place::later;
  for (DeviceState& device : devices_) {
    device.tasks = 0;
    device.in_use = 0;
    device.gone = 0;
    device.queue.clear();
    device.waited_for.assign(std::size_t{kernel_lanes} + 2, 0);
  }
}

void SubmissionOrder::arrange(std::span<const std::uint32_t> order, std::span<const std::uint32_t> device,
                              std::uint32_t kernel_lanes) {
  start(order, kernel_lanes);
  std::uint32_t round = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t task = order_[i];
    TaskState& state = state_[task];
    DeviceState& on = devices_.at(device[task]);
    state.kernel_lane = on.tasks++ % kernel_lanes;
    state.first_wait = static_cast<std::uint32_t>(waits_.size());
    add_after(task);
    const bool after_round = waits_in_round(task, round);
    if (limit_ != 0 && bytes_[task] != 0) add_memory(task, on);
    // By type, what is waited for must stand on the lanes before; by task it does anyway.
    if (after_round || (by_type_[device[task]] && waits_in_round(task, round))) {
      ++round;
      round_begin_.push_back(i);
    }
    state.round = round;
    state.place = Place::placed;
  }
}

void SubmissionOrder::add_after(std::uint32_t task) {
  for (const std::uint32_t other : tasks_[task].after) {
    if (state_[other].place == Place::later) {
      core::throw_bad_input("task \"" + tasks_[task].name + "\" comes after \"" + tasks_[other].name +
                            "\", which this order puts behind it");
    }
    if (state_[other].place == Place::absent || first_stage_[other] == 3) continue;
    waits_.push_back(other);
    ++state_[task].wait_count;
  }
}

void SubmissionOrder::add_memory(std::uint32_t task, DeviceState& device) {
  if (bytes_[task] > limit_) refuse_size(task);
  while (device.in_use > limit_ - bytes_[task]) device.in_use -= bytes_[device.queue[device.gone++]];
  device.queue.push_back(task);
  device.in_use += bytes_[task];
  std::size_t& waited_for = device.waited_for[first_lane(task)];
  TaskState& state = state_[task];
  for (; waited_for < device.gone; ++waited_for) {
    const std::uint32_t other = device.queue[waited_for];
    const auto begin = waits_.begin() + state.first_wait;
    if (std::find(begin, waits_.end(), other) != waits_.end()) continue;
    waits_.push_back(other);
    ++state.wait_count;
  }
}

/// Tasks whose first steps share a lane, in their order.
std::size_t SubmissionOrder::first_lane(std::uint32_t task) const {
  const std::uint8_t stage = first_stage_[task];
  return stage == 0 ? 0 : stage == 2 ? 1 : 2 + state_[task].kernel_lane;
}

bool SubmissionOrder::waits_in_round(std::uint32_t task, std::uint32_t round) const {
  const auto all = waits(task);
  return std::any_of(all.begin(), all.end(), [&](std::uint32_t other) { return state_[other].round == round; });
}

std::span<const std::uint32_t> SubmissionOrder::round(std::size_t i) const {
  const std::size_t end = i + 1 < round_begin_.size() ? round_begin_[i + 1] : order_.size();
  return {order_.data() + round_begin_[i], end - round_begin_[i]};
}

std::span<const std::uint32_t> SubmissionOrder::waits(std::uint32_t task) const {
  return {waits_.data() + state_[task].first_wait, state_[task].wait_count};
}

void SubmissionOrder::refuse_size(std::uint32_t task) const {
  const auto text = [](std::uint64_t bytes) {
    return core::format_quantity(static_cast<double>(bytes), core::Dimension::bytes);
  };
  core::throw_bad_input("task \"" + tasks_[task].name + "\" needs " + text(bytes_[task]) +
                        " of device memory, but the scenario allows " + text(limit_) +
                        "; raise its limit (`memory` or `device_memory`) or make the task smaller");
}

}  // namespace forelap::scenarios
