#include "tune/task_cost.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "scenarios/kernel_definition.hpp"

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

/// Commands of one stage, as one where there is only one.
struct Stage {
  std::size_t commands = 0;
  double ticks = 0;  ///< all of them, one after the other
  bool priced = true;

  void add(const std::optional<StageCost>& cost) {
    ++commands;
    priced = priced && cost.has_value();
    if (cost) ticks += cost->fixed + cost->work;
  }
  /// The time to tell of a stage of several commands.
  [[nodiscard]] core::Tick sum() const { return core::round_to_tick(ticks); }
};

const scenarios::KernelDefinition& definition_of(const scenarios::Scenario& scenario, const std::string& kernel) {
  const auto* definition = scenarios::find_definition(scenario, kernel);
  if (definition == nullptr) core::throw_bad_input("unknown kernel \"" + kernel + "\"");
  return *definition;
}

void tell_transfers(const std::vector<scenarios::SizedTransfer>& transfers, core::Direction direction,
                    const TaskPrices& prices, std::uint64_t& bytes, core::Tick& duration) {
  Stage stage;
  for (const auto& transfer : transfers) {
    if (!is_there(transfer.duration, transfer.bytes > 0)) continue;
    stage.add(prices.transfer(direction, transfer.bytes, transfer.duration));
    bytes += transfer.bytes;
    duration = transfer.duration;
  }
  if (stage.commands == 0) duration = core::kModelled;
  if (stage.commands > 1) duration = stage.priced ? stage.sum() : core::kModelled;
}

void tell_kernels(const scenarios::Scenario& scenario, const scenarios::SizedTask& task, const TaskPrices& prices,
                  core::OpenTask& open) {
  Stage stage;
  for (const auto& kernel : task.kernels) {
    if (kernel.duration == 0) continue;
    scenarios::Launch launch;
    if (kernel.duration == core::kModelled) {
      const std::uint64_t bytes = kernel.bytes != 0 ? kernel.bytes : task.buffer_bytes;
      launch = scenarios::make_launch(definition_of(scenario, kernel.kernel), core::BufferId{}, bytes, kernel.repeat);
    }
    stage.add(prices.kernel(kernel.kernel, launch.work, launch.items, kernel.duration));
    open.kernel = kernel.kernel;
    open.work = launch.work;
    open.items = launch.items;
    open.kernel_duration = kernel.duration;
  }
  if (stage.commands > 1 && stage.priced) open.kernel_duration = stage.sum();
}

bool fits_the_engine(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                     core::InterferenceMode mode) {
  const auto& tasks = std::get<scenarios::TaskGroup>(scenario.body).cases.at(tuning.case_index).tasks;
  const bool one_engine = tuning.engines.at(0) == 1;
  if (tuning.device_count != 1 || tuning.kernel_lanes != 1 || mode == core::InterferenceMode::full) return false;
  if (one_engine && tuning.submission == scenarios::Submission::by_task) return false;
  if (tuning.tasks.size() > sim::fast::OrderEngine::kMostTasks) return false;
  const auto commands = [](const std::vector<scenarios::SizedTransfer>& transfers) {
    return std::count_if(transfers.begin(), transfers.end(),
                         [](const auto& t) { return is_there(t.duration, t.bytes > 0); });
  };
  for (const auto& task : tuning.tasks) {
    const auto kernels =
        std::count_if(task.kernels.begin(), task.kernels.end(), [](const auto& k) { return k.duration != 0; });
    if (commands(task.htod) > 1 || kernels > 1 || commands(task.dtoh) > 1) return false;
  }
  return std::all_of(tasks.begin(), tasks.end(), [](const auto& task) { return task.after.empty(); });
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
  const models::StepCost cost = model_->cost(step);
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
  const scenarios::SizedTask& task = tuning.tasks.at(position);
  core::OpenTask open;
  open.buffer_bytes = task.buffer_bytes;
  tell_transfers(task.htod, core::Direction::host_to_device, prices, open.htod_bytes, open.htod_duration);
  tell_kernels(scenario, task, prices, open);
  tell_transfers(task.dtoh, core::Direction::device_to_host, prices, open.dtoh_bytes, open.dtoh_duration);
  return open;
}

std::optional<order::Problem> problem_of(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                                         const core::Machine& machine, core::InterferenceMode mode) {
  if (!fits_the_engine(scenario, tuning, mode)) return std::nullopt;
  const TaskPrices prices(machine, 0, mode, tuning.memory, tuning.engines.at(0));
  order::Problem problem;
  problem.device = prices.device();
  for (std::uint32_t i = 0; i < tuning.tasks.size(); ++i) {
    auto cost = prices.price(open_task(scenario, tuning, i, prices));
    if (!cost) return std::nullopt;
    problem.tasks.push_back(*cost);
  }
  return problem;
}

}  // namespace forelap::tune
