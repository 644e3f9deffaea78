#include "scenarios/lower.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "core/text.hpp"
#include "scenarios/submission.hpp"

namespace forelap::scenarios {
namespace {

using core::Direction;
using core::LaneId;
using core::StepId;

struct DeviceLanes {
  LaneId htod{}, dtoh{};
  std::vector<LaneId> kernels;
  bool by_type = false;
};

/// What is known of a task while its steps are written.
struct TaskState {
  LaneId kernel_lane{};
  StepId last = core::none<StepId>();  ///< of the stages written so far
  std::uint64_t result = 0;            ///< where the result of the last kernel begins, bytes
};

class Lowering {
 public:
  Lowering(const Scenario& scenario, const TaskGroupTuning& tuning)
      : scenario_(scenario),
        tuning_(tuning),
        tasks_(std::get<TaskGroup>(scenario.body).cases.at(tuning.case_index).tasks),
        state_(tasks_.size()),
        submission_(scenario, tuning) {}

  core::Plan run() {
    check_order();
    add_lanes();
    add_buffers();
    submission_.arrange(tuning_.order, tuning_.device, tuning_.kernel_lanes);
    for (const std::uint32_t task : tuning_.order) {
      state_[task].kernel_lane = lanes_of(task).kernels[submission_.kernel_lane(task)];
    }
    for (std::size_t i = 0; i < submission_.round_count(); ++i) add_round(submission_.round(i));
    return builder_.build();
  }

 private:
  [[nodiscard]] DeviceLanes& lanes_of(std::uint32_t task) { return lanes_.at(tuning_.device.at(task)); }

  void check_order() const {
    std::vector<std::uint32_t> sorted = tuning_.order;
    std::sort(sorted.begin(), sorted.end());
    bool valid = sorted.size() == tasks_.size() && tuning_.tasks.size() == tasks_.size() &&
                 tuning_.device.size() == tasks_.size() && tuning_.kernel_lanes > 0;
    for (std::size_t i = 0; valid && i < sorted.size(); ++i) valid = sorted[i] == i;
    if (!valid) throw std::invalid_argument("lower: the tuning does not fit the case's tasks");
  }

  void add_lanes() {
    for (std::uint32_t d = 0; d < tuning_.device_count; ++d) {
      const std::string prefix = tuning_.device_count == 1 ? "" : "device " + std::to_string(d) + " ";
      const auto lane = [&](core::LaneKind kind, const std::string& name) {
        return builder_.add_lane({kind, core::make_id<core::DeviceId>(d), core::RankId{}, prefix + name});
      };
      const bool two = tuning_.engines.at(d) == 2;
      DeviceLanes lanes;
      lanes.htod = lane(core::LaneKind::copy, two ? "htod" : "copy");
      lanes.dtoh = two ? lane(core::LaneKind::copy, "dtoh") : lanes.htod;
      for (std::uint32_t k = 0; k < tuning_.kernel_lanes; ++k) {
        lanes.kernels.push_back(
            lane(core::LaneKind::kernel, tuning_.kernel_lanes == 1 ? "kernel" : "kernel " + std::to_string(k)));
      }
      lanes.by_type = submits_by_type(tuning_, d);
      lanes_.push_back(lanes);
    }
  }

  void add_buffers() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      core::Buffer buffer;
      buffer.bytes = tuning_.tasks[i].buffer_bytes;
      buffer.memory = tuning_.memory;
      buffer.device = core::make_id<core::DeviceId>(tuning_.device[i]);
      builder_.add_buffer(buffer);
    }
  }

  void add_round(std::span<const std::uint32_t> round) {
    for (const std::uint32_t task : round) {
      if (lanes_of(task).by_type) continue;
      add_copies(task, Direction::host_to_device);
      add_kernels(task);
      add_copies(task, Direction::device_to_host);
    }
    const auto by_type = [&](auto&& add) {
      for (const std::uint32_t task : round) {
        if (lanes_of(task).by_type) add(task);
      }
    };
    by_type([this](std::uint32_t task) { add_copies(task, Direction::host_to_device); });
    by_type([this](std::uint32_t task) { add_kernels(task); });
    by_type([this](std::uint32_t task) { add_copies(task, Direction::device_to_host); });
  }

  /// What the first step of a stage waits for: the stage before it, or the tasks that the task waits for.
  [[nodiscard]] std::vector<StepId> before_stage(std::uint32_t task) const {
    if (state_[task].last != core::none<StepId>()) return {state_[task].last};
    std::vector<StepId> steps;
    for (const std::uint32_t other : submission_.waits(task)) steps.push_back(state_[other].last);
    return steps;
  }

  void add_copies(std::uint32_t task, Direction direction) {
    const SizedTask& sized = tuning_.tasks[task];
    const bool in = direction == Direction::host_to_device;
    std::vector<StepId> after = before_stage(task);
    // One transfer takes up where the one before it ended; back come results, from where they lie.
    std::uint64_t next = in ? 0 : state_[task].result;
    for (const SizedTransfer& transfer : in ? sized.htod : sized.dtoh) {
      const bool modelled = transfer.duration == core::kModelled;
      if (modelled ? transfer.bytes == 0 : transfer.duration == 0) continue;
      core::CopyStep step;
      step.lane = in ? lanes_of(task).htod : lanes_of(task).dtoh;
      step.device = core::make_id<core::DeviceId>(tuning_.device[task]);
      step.direction = direction;
      step.memory = tuning_.memory;
      if (transfer.bytes > 0) step.buffer = core::make_id<core::BufferId>(task);
      step.bytes = transfer.bytes;
      step.duration = transfer.duration;
      if (next + transfer.bytes > sized.buffer_bytes) next = 0;
      step.offset = next;
      next += transfer.bytes;
      state_[task].last = builder_.add(step, after);
      after.clear();  // the lane keeps the rest of the stage in order
    }
  }

  void add_kernels(std::uint32_t task) {
    const SizedTask& sized = tuning_.tasks[task];
    std::vector<StepId> after = before_stage(task);
    for (const SizedKernel& kernel : sized.kernels) {
      if (kernel.duration == 0) continue;
      const KernelDefinition& definition = find(kernel.kernel);
      Launch launch;
      if (kernel.duration == core::kModelled) {
        const std::uint64_t bytes = kernel.bytes != 0 ? kernel.bytes : sized.buffer_bytes;
        launch = make_launch(definition, core::make_id<core::BufferId>(task), bytes, kernel.repeat);
      }
      core::KernelStep step;
      step.lane = state_[task].kernel_lane;
      step.device = core::make_id<core::DeviceId>(tuning_.device[task]);
      step.call = launch.call;
      step.call.kernel = builder_.kernel(definition.name);
      step.work = launch.work;
      step.items = launch.items;
      step.count = launch.passes;
      step.duration = kernel.duration;
      state_[task].result = launch.result;
      state_[task].last = builder_.add(step, launch.arguments, after);
      after.clear();
    }
  }

  [[nodiscard]] const KernelDefinition& find(const std::string& name) const {
    if (const KernelDefinition* definition = find_definition(scenario_, name)) return *definition;
    std::vector<std::string> known;
    for (const KernelDefinition& kernel : scenario_.kernels) known.push_back(kernel.name);
    for (const KernelDefinition& kernel : builtin_definitions()) known.push_back(kernel.name);
    core::throw_bad_input("unknown kernel \"" + name + "\"; known are " + core::join_names(known));
  }

  const Scenario& scenario_;
  const TaskGroupTuning& tuning_;
  const std::vector<TaskSpec>& tasks_;
  std::vector<TaskState> state_;
  SubmissionOrder submission_;
  std::vector<DeviceLanes> lanes_;
  core::PlanBuilder builder_;
};

}  // namespace

core::Plan lower(const Scenario& scenario, const TaskGroupTuning& tuning) {
  return Lowering(scenario, tuning).run();
}

}  // namespace forelap::scenarios
