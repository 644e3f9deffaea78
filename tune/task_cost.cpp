#include "tune/task_cost.hpp"

#include <algorithm>
#include <stdexcept>

#include "scenarios/lower.hpp"

namespace forelap::tune {
namespace {

using sim::fast::StageCost;
using sim::fast::TaskCost;

constexpr core::LaneId kCopyLane{0};
constexpr core::LaneId kKernelLane{1};

/// A plan without steps: a copy lane and a kernel lane of the device, and a call of each kernel that has a model there,
/// the last one of a kernel that has none.
core::Plan make_frame(const core::DeviceModel& device, std::size_t index) {
  core::Plan frame;
  const auto id = core::make_id<core::DeviceId>(index);
  frame.lanes = {{core::LaneKind::copy, id, core::RankId{}, "copy"},
                 {core::LaneKind::kernel, id, core::RankId{}, "kernel"}};
  frame.device_count = static_cast<std::uint32_t>(index) + 1;
  for (const core::KernelModel& kernel : device.kernels) frame.kernels.push_back(kernel.kernel);
  frame.kernels.emplace_back();
  for (std::size_t i = 0; i < frame.kernels.size(); ++i) {
    frame.calls.emplace_back().kernel = core::make_id<core::KernelId>(i);
  }
  return frame;
}

std::uint32_t engines_of(const core::DeviceModel& device, std::uint32_t wished) {
  constexpr double kBetweenOneAndTwo = 1.5;
  if (wished != 0) return wished;
  return device.copy_engines.value > kBetweenOneAndTwo ? 2 : 1;
}

bool is_there(core::Tick duration, bool amount) {
  return duration > 0 || (duration < 0 && amount);
}

/// Lowers tasks of a case alone, on a machine's first device: what a task does does not hang on how it is written down.
class Lone {
 public:
  Lone(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning) : tuning_(tuning) {
    const auto& cases = std::get<scenarios::TaskGroup>(scenario.body).cases;
    case_ = &cases.at(tuning.case_index);
    scenario_.kernels = scenario.kernels;
    scenario_.body = scenarios::TaskGroup{};
    std::get<scenarios::TaskGroup>(scenario_.body).cases.resize(1);
    alone_.memory = tuning.memory;
    alone_.order = {0};
    alone_.device = {0};
    alone_.engines = {2};
  }

  core::Plan plan(std::uint32_t position) {
    scenarios::TaskSpec task = case_->tasks.at(position);
    task.after.clear();
    task.device = 0;
    std::get<scenarios::TaskGroup>(scenario_.body).cases.front().tasks = {task};
    alone_.tasks = {tuning_.tasks.at(position)};
    return scenarios::lower(scenario_, alone_);
  }

 private:
  const scenarios::TaskGroupTuning& tuning_;
  const scenarios::TaskCase* case_ = nullptr;
  scenarios::Scenario scenario_;
  scenarios::TaskGroupTuning alone_;
};

/// The commands of one stage, told as one.
struct Stage {
  std::uint64_t commands = 0;
  double ticks = 0;  ///< one after the other
  bool priced = true;

  void add(std::uint32_t count, const std::optional<StageCost>& cost) {
    commands += count;
    priced = priced && cost.has_value();
    if (cost) ticks += (cost->fixed + cost->work) * count;
  }
  /// The time to tell: that of the only command, else the sum.
  [[nodiscard]] core::Tick time(core::Tick of_last) const {
    return commands > 1 && priced ? core::round_to_tick(ticks) : of_last;
  }
};

bool fits_the_engine(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                     core::InterferenceMode mode) {
  const auto& tasks = std::get<scenarios::TaskGroup>(scenario.body).cases.at(tuning.case_index).tasks;
  if (tuning.device_count != 1 || tuning.kernel_lanes != 1 || mode == core::InterferenceMode::full) return false;
  if (tuning.engines.at(0) == 1 && tuning.submission == scenarios::Submission::by_task) return false;
  if (tuning.tasks.size() > sim::fast::OrderEngine::kMostTasks) return false;
  std::uint64_t bytes = 0;
  for (const auto& task : tuning.tasks) bytes += task.buffer_bytes;
  const std::uint64_t limit = std::get<scenarios::TaskGroup>(scenario.body).device_memory;
  if (limit != 0 && bytes > limit) return false;
  return std::all_of(tasks.begin(), tasks.end(), [](const auto& task) { return task.after.empty(); });
}

/// Nothing where a stage has several steps.
std::optional<TaskCost> cost_of(const core::Plan& plan, const core::Machine& machine, core::InterferenceMode mode) {
  const models::CostModel model(machine, plan, mode);
  TaskCost cost;
  for (const core::Step& step : plan.steps) {
    const bool in = step.direction == core::Direction::host_to_device;
    StageCost& stage = step.kind == core::StepKind::kernel ? cost.kernel : in ? cost.htod : cost.dtoh;
    if (stage.present) return std::nullopt;
    const models::StepCost price = model.cost(step).folded();
    stage = {true, price.fixed, price.work};
  }
  return cost;
}

}  // namespace

TaskPrices::TaskPrices(const core::Machine& machine, std::size_t device, core::InterferenceMode mode,
                       core::MemoryKind memory, std::uint32_t engines)
    : index_(device), memory_(memory) {
  if (device >= machine.devices.size()) {
    throw std::invalid_argument("machine \"" + machine.name + "\" has no device " + std::to_string(device));
  }
  const core::DeviceModel& described = machine.devices[device];
  const core::Plan frame = make_frame(described, device);
  model_.emplace(machine, frame, mode);
  for (std::size_t i = 0; i < described.kernels.size(); ++i) {
    if (!described.kernels[i].pieces.empty()) {
      kernels_.emplace(described.kernels[i].kernel, static_cast<std::uint32_t>(i));
    }
  }
  unknown_kernel_ = static_cast<std::uint32_t>(described.kernels.size());
  for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
    const core::TransferModel* transfer = core::find_transfer(described, direction, memory);
    transfers_[static_cast<std::size_t>(direction)] = transfer != nullptr && !transfer->pieces.empty();
  }
  device_.two_engines = engines_of(described, engines) == 2;
  device_.hop = model_->hop(kKernelLane);
  device_.submit = model_->submit(kCopyLane);
  device_.run_overhead = described.run_overhead.value * core::kTicksPerSecond;
  device_.rates = model_->domain(device);
  device_.host_rates = model_->domain(frame.device_count);
}

StageCost TaskPrices::cost(const core::Step& step) const {
  const models::StepCost cost = model_->cost(step).folded();
  return {true, cost.fixed, cost.work};
}

std::optional<StageCost> TaskPrices::transfer(core::Direction direction, std::uint64_t bytes,
                                              core::Tick duration) const {
  if (!is_there(duration, bytes > 0)) return StageCost{};
  if (duration < 0 && !transfers_[static_cast<std::size_t>(direction)]) return std::nullopt;
  core::Step step;
  step.kind = core::StepKind::copy;
  step.direction = direction;
  step.memory = memory_;
  step.lane = kCopyLane;
  step.device = core::make_id<core::DeviceId>(index_);
  step.amount = static_cast<double>(bytes);
  step.duration = duration < 0 ? core::kModelled : duration;
  return cost(step);
}

std::optional<StageCost> TaskPrices::kernel(const std::string& name, double work, double items,
                                            core::Tick duration) const {
  if (!is_there(duration, !name.empty())) return StageCost{};
  const auto known = kernels_.find(name);
  if (duration < 0 && known == kernels_.end()) return std::nullopt;
  core::Step step;
  step.kind = core::StepKind::kernel;
  step.lane = kKernelLane;
  step.device = core::make_id<core::DeviceId>(index_);
  step.subject = known == kernels_.end() ? unknown_kernel_ : known->second;
  step.amount = work;
  step.items = items;
  step.duration = duration < 0 ? core::kModelled : duration;
  return cost(step);
}

std::optional<TaskCost> TaskPrices::price(const core::OpenTask& task) const {
  const auto htod = transfer(core::Direction::host_to_device, task.htod_bytes, task.htod_duration);
  const auto work = kernel(task.kernel, task.work, task.items, task.kernel_duration);
  const auto dtoh = transfer(core::Direction::device_to_host, task.dtoh_bytes, task.dtoh_duration);
  if (!htod || !work || !dtoh) return std::nullopt;
  return TaskCost{*htod, *work, *dtoh};
}

core::OpenTask open_task(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                         std::uint32_t position, const TaskPrices& prices) {
  const core::Plan plan = Lone(scenario, tuning).plan(position);
  core::OpenTask open;
  open.buffer_bytes = tuning.tasks.at(position).buffer_bytes;
  Stage htod;
  Stage kernel;
  Stage dtoh;
  for (const core::Step& step : plan.steps) {
    if (step.kind == core::StepKind::kernel) {
      open.kernel = plan.kernels[index(plan.call_of(step).kernel)];
      open.work = step.amount;
      open.items = step.items;
      kernel.add(step.count, prices.kernel(open.kernel, step.amount, step.items, step.duration));
      open.kernel_duration = kernel.time(step.duration);
      continue;
    }
    const bool in = step.direction == core::Direction::host_to_device;
    Stage& stage = in ? htod : dtoh;
    const auto bytes = static_cast<std::uint64_t>(step.amount);
    stage.add(step.count, prices.transfer(step.direction, bytes, step.duration));
    (in ? open.htod_bytes : open.dtoh_bytes) += bytes * step.count;
    (in ? open.htod_duration : open.dtoh_duration) = stage.time(step.duration);
  }
  return open;
}

std::optional<order::Problem> problem_of(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                                         const core::Machine& machine, core::InterferenceMode mode) {
  if (!fits_the_engine(scenario, tuning, mode)) return std::nullopt;
  order::Problem problem;
  problem.device = TaskPrices(machine, 0, mode, tuning.memory, tuning.engines.at(0)).device();
  Lone lone(scenario, tuning);
  for (std::uint32_t i = 0; i < tuning.tasks.size(); ++i) {
    const auto cost = cost_of(lone.plan(i), machine, mode);
    if (!cost) return std::nullopt;
    problem.tasks.push_back(*cost);
  }
  return problem;
}

}  // namespace forelap::tune
