#include "run/online_plans.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "scenarios/lower.hpp"
#include "scenarios/submission.hpp"

namespace forelap::run {
namespace {

using core::StepId;

constexpr const char* kTimer = "timer";
/// Copies of one task that the frame has buffers for, where memory allows.
constexpr std::uint32_t kMostCopies = 64;

const scenarios::TaskCase& case_of(const scenarios::Scenario& scenario, std::size_t i) {
  return std::get<scenarios::TaskGroup>(scenario.body).cases.at(i);
}

std::size_t stage_of(const core::Step& step) {
  if (step.kind == core::StepKind::kernel) return 1;
  return step.direction == core::Direction::host_to_device ? 0 : 2;
}

}  // namespace

OnlinePlans::OnlinePlans(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                         std::span<const std::uint32_t> positions)
    : tasks_(tuning.tasks.size()),
      specs_(case_of(scenario, tuning.case_index).tasks),
      sized_(tuning),
      by_type_(scenarios::submits_by_type(tuning, 0)) {
  if (tuning.device_count != 1) throw std::invalid_argument("an online scenario runs on one device");
  scenario_.kernels = scenario.kernels;
  scenario_.body = scenarios::TaskGroup{};
  std::get<scenarios::TaskGroup>(scenario_.body).cases.resize(1);
  count_steps();
  add_buffers(positions);
}

/// The steps of a group of copies, numbered from 0, with the group's own buffers.
core::Plan OnlinePlans::lower(std::span<const std::uint32_t> positions) {
  auto& tasks = std::get<scenarios::TaskGroup>(scenario_.body).cases.front().tasks;
  tasks.clear();
  scenarios::TaskGroupTuning tuning;
  tuning.engines = sized_.engines;
  tuning.submission = sized_.submission;
  tuning.kernel_lanes = sized_.kernel_lanes;
  tuning.memory = sized_.memory;
  tuning.device.assign(positions.size(), 0);
  for (const std::uint32_t position : positions) {
    tuning.order.push_back(static_cast<std::uint32_t>(tasks.size()));
    tasks.push_back(specs_.at(position));
    tuning.tasks.push_back(sized_.tasks.at(position));
  }
  return scenarios::lower(scenario_, tuning);
}

/// What each task of the case is made of; the frame gets the lanes and all kernels.
void OnlinePlans::count_steps() {
  core::PlanBuilder builder;
  for (std::uint32_t i = 0; i < tasks_; ++i) {
    const core::Plan alone = lower(std::span(&i, 1));
    StageCounts counts{};
    for (const core::Step& step : alone.steps) ++counts[stage_of(step)];
    counts_.push_back(counts);
    for (const std::string& kernel : alone.kernels) builder.kernel(kernel);
    if (i != 0) continue;
    for (const core::Lane& lane : alone.lanes) builder.add_lane(lane);
  }
  // A rank of its own: waiting for a time takes nothing from the host that feeds the device.
  timer_lane_ = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), core::RankId{1}, "arrivals"});
  builder.host_work(kTimer);
  frame_ = builder.build();
}

void OnlinePlans::add_buffers(std::span<const std::uint32_t> positions) {
  std::vector<std::uint32_t> wished(tasks_);
  for (const std::uint32_t position : positions) ++wished.at(position);
  std::uint32_t most = std::min(kMostCopies, std::max(1U, *std::max_element(wished.begin(), wished.end())));
  const auto memory = [&] {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < tasks_; ++i) bytes += std::clamp(wished[i], 1U, most) * sized_.tasks[i].buffer_bytes;
    return bytes;
  };
  while (most > 1 && memory() > kMostMemory) --most;
  buffers_.resize(tasks_);
  taken_.assign(tasks_, 0);
  for (std::uint32_t i = 0; i < tasks_; ++i) {
    for (std::uint32_t copy = 0; copy < std::clamp(wished[i], 1U, most); ++copy) {
      core::Buffer buffer;
      buffer.bytes = sized_.tasks[i].buffer_bytes;
      buffer.memory = sized_.memory;
      buffers_[i].push_back(static_cast<std::uint32_t>(frame_.buffers.size()));
      frame_.buffers.push_back(buffer);
      owners_.push_back(i);
    }
  }
  last_step_.assign(frame_.buffers.size(), core::none<StepId>());
}

std::vector<GroupFragment::StepOf> OnlinePlans::steps_of(std::span<const std::uint32_t> positions) const {
  std::vector<GroupFragment::StepOf> steps;
  const auto add = [&](std::uint32_t place, std::size_t stage) {
    const StageCounts& counts = counts_[positions[place]];
    const std::size_t last_stage = counts[2] != 0 ? 2 : counts[1] != 0 ? 1 : 0;
    for (std::uint32_t i = 1; i <= counts[stage]; ++i) {
      const bool ends = i == counts[stage];
      steps.push_back({place, ends && stage == 0, ends && stage == last_stage});
    }
  };
  const auto size = static_cast<std::uint32_t>(positions.size());
  for (std::size_t stage = 0; by_type_ && stage < 3; ++stage) {
    for (std::uint32_t place = 0; place < size; ++place) add(place, stage);
  }
  for (std::uint32_t place = 0; !by_type_ && place < size; ++place) {
    for (std::size_t stage = 0; stage < 3; ++stage) add(place, stage);
  }
  return steps;
}

/// The next buffer of each task of the group, and the steps that they wait for to have it.
std::vector<OnlinePlans::Taken> OnlinePlans::take_buffers(const GroupFragment& group,
                                                          std::span<const std::uint32_t> positions) {
  std::vector<StepId> last(positions.size(), core::none<StepId>());
  for (std::size_t i = 0; i < group.steps.size(); ++i) {
    if (group.steps[i].last) last[group.steps[i].place] = core::make_id<StepId>(group.plan.first_id + i);
  }
  std::vector<Taken> taken;
  for (std::size_t place = 0; place < positions.size(); ++place) {
    const auto& mine = buffers_[positions[place]];
    const std::uint32_t buffer = mine[taken_[positions[place]]++ % mine.size()];
    StepId before = std::exchange(last_step_[buffer], last[place]);
    if (by_type_ && before != core::none<StepId>() && index(before) >= group.plan.first_id) {
      before = core::none<StepId>();
    }
    taken.push_back({core::make_id<core::BufferId>(buffer), before});
  }
  return taken;
}

/// From a plan of its own to a fragment of the session: steps, dependencies and buffers as the session numbers them.
void OnlinePlans::renumber(GroupFragment& group, const std::vector<Taken>& taken) const {
  core::Plan& plan = group.plan;
  std::vector<StepId> dependencies;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    core::Step& step = plan.steps[i];
    const Taken& mine = taken[group.steps[i].place];
    const auto own = plan.dependencies_of(step);
    const auto first = static_cast<std::uint32_t>(dependencies.size());
    for (const StepId d : own) dependencies.push_back(core::make_id<StepId>(plan.first_id + index(d)));
    if (own.empty() && mine.before != core::none<StepId>()) dependencies.push_back(mine.before);
    step.first_dependency = first;
    step.dependency_count = static_cast<std::uint32_t>(dependencies.size()) - first;
    if (step.buffer != core::none<core::BufferId>()) step.buffer = mine.buffer;
  }
  plan.dependencies = std::move(dependencies);
  for (core::Argument& argument : plan.arguments) {
    if (auto* buffer = std::get_if<core::BufferId>(&argument)) *buffer = taken[index(*buffer)].buffer;
  }
  plan.buffers = frame_.buffers;
  plan.lanes = frame_.lanes;
}

GroupFragment OnlinePlans::group(std::span<const std::uint32_t> positions) {
  GroupFragment group;
  group.plan = lower(positions);
  group.steps = steps_of(positions);
  if (group.steps.size() != group.plan.steps.size()) {
    throw std::logic_error("a group is not made of the steps of its tasks");
  }
  group.plan.first_id = submitted_;
  renumber(group, take_buffers(group, positions));
  submitted_ += static_cast<std::uint32_t>(group.plan.steps.size());
  return group;
}

core::Plan OnlinePlans::timer(core::Tick duration) {
  core::PlanBuilder builder(submitted_);
  for (const core::Lane& lane : frame_.lanes) builder.add_lane(lane);
  core::HostWorkStep step;
  step.lane = timer_lane_;
  step.work = builder.host_work(kTimer);
  step.duration = duration;
  builder.add(step);
  ++submitted_;
  return builder.build();
}

}  // namespace forelap::run
