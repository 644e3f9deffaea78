#include "tests/sim/group_plan.hpp"

namespace forelap::tests {
namespace {

using core::StepId;

class GroupWriter {
 public:
  explicit GroupWriter(bool two_engines) {
    const auto lane = [this](core::LaneKind kind, const char* name) {
      return builder_.add_lane({kind, core::DeviceId{0}, core::RankId{0}, name});
    };
    htod_ = lane(core::LaneKind::copy, two_engines ? "htod" : "copy");
    dtoh_ = two_engines ? lane(core::LaneKind::copy, "dtoh") : htod_;
    kernel_ = lane(core::LaneKind::kernel, "kernel");
  }

  /// Writes stage `i` of the task behind `last`, which becomes that step.
  void add(const GroupTask& task, std::size_t i, std::optional<StepId>& last) {
    if (!task[i]) return;
    const std::vector<StepId> after = last ? std::vector<StepId>{*last} : std::vector<StepId>{};
    if (i == 1) {
      core::KernelStep step;
      step.lane = kernel_;
      step.call.kernel = builder_.kernel("k");
      step.work = static_cast<double>(task[i]->amount);
      step.duration = task[i]->duration;
      last = builder_.add(step, {}, after);
      return;
    }
    core::CopyStep step;
    step.lane = i == 0 ? htod_ : dtoh_;
    step.direction = i == 0 ? core::Direction::host_to_device : core::Direction::device_to_host;
    step.bytes = task[i]->amount;
    step.duration = task[i]->duration;
    last = builder_.add(step, after);
  }

  core::Plan build() { return builder_.build(); }

 private:
  core::PlanBuilder builder_;
  core::LaneId htod_{}, dtoh_{}, kernel_{};
};

}  // namespace

GroupTask timed_task(core::Tick htod, core::Tick kernel, core::Tick dtoh) {
  return {GroupStage{htod, 0}, GroupStage{kernel, 0}, GroupStage{dtoh, 0}};
}

core::Plan group_plan(std::span<const GroupTask> tasks, std::span<const std::uint32_t> order, bool two_engines) {
  GroupWriter writer(two_engines);
  std::vector<std::optional<StepId>> last(tasks.size());
  if (two_engines) {
    for (const std::uint32_t i : order) {
      for (std::size_t stage = 0; stage < 3; ++stage) writer.add(tasks[i], stage, last[i]);
    }
  } else {
    for (std::size_t stage = 0; stage < 3; ++stage) {
      for (const std::uint32_t i : order) writer.add(tasks[i], stage, last[i]);
    }
  }
  return writer.build();
}

sim::fast::OrderEngine group_engine(std::span<const GroupTask> tasks, bool two_engines, const core::Plan& plan,
                                    const models::CostModel& cost) {
  sim::fast::OrderDevice device;
  device.two_engines = two_engines;
  device.hop = cost.hop(core::LaneId{0});
  device.submit = cost.submit(core::LaneId{0});
  device.run_overhead = cost.run_overhead();
  device.rates = cost.domain(0);
  device.host_rates = cost.domain(1);
  std::vector<sim::fast::TaskCost> costs(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::array<sim::fast::StageCost*, 3> stages = {&costs[i].htod, &costs[i].kernel, &costs[i].dtoh};
    for (std::size_t stage = 0; stage < 3; ++stage) {
      if (!tasks[i][stage]) continue;
      core::Step step;
      step.kind = stage == 1 ? core::StepKind::kernel : core::StepKind::copy;
      step.direction = stage == 0 ? core::Direction::host_to_device : core::Direction::device_to_host;
      step.lane = core::LaneId{static_cast<std::uint32_t>(stage == 1 ? plan.lanes.size() - 1 : 0)};
      step.device = core::DeviceId{0};
      step.amount = static_cast<double>(tasks[i][stage]->amount);
      step.duration = tasks[i][stage]->duration;
      const models::StepCost price = cost.cost(step);
      *stages[stage] = {true, price.fixed, price.work};
    }
  }
  return {device, costs};
}

}  // namespace forelap::tests
