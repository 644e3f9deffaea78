#pragma once
// From tasks to what the order engine knows of them: the one place where a task's bytes, work and given times become
// costs of its three stages on a device. Asks models::CostModel, as the simulators do.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/machine.hpp"
#include "core/policy.hpp"
#include "models/cost.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"
#include "sim/fast/order_engine.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune {

/// Prices tasks on one device of a machine. Copies what it needs; thread-safe once built.
class TaskPrices {
 public:
  /// `engines`: 1 or 2 copy engines, 0 = what the profile of the device says. Throws std::invalid_argument where
  /// `device` is none of the machine's.
  TaskPrices(const core::Machine& machine, std::size_t device, core::InterferenceMode mode, core::MemoryKind memory,
             std::uint32_t engines = 0);

  /// The device as the order engine takes it; its run overhead included.
  [[nodiscard]] const sim::fast::OrderDevice& device() const { return device_; }
  /// A stage with a given time of 0, or with neither time, bytes nor kernel, is not there. Nothing where the device has
  /// no model that the task needs. In ticks.
  [[nodiscard]] std::optional<sim::fast::TaskCost> price(const core::OpenTask& task) const;
  /// One command alone: a transfer by bytes, a kernel by work and items, or a given time where that is not negative.
  [[nodiscard]] std::optional<sim::fast::StageCost> transfer(core::Direction direction, std::uint64_t bytes,
                                                             core::Tick duration) const;
  [[nodiscard]] std::optional<sim::fast::StageCost> kernel(const std::string& name, double work, double items,
                                                           core::Tick duration) const;

 private:
  [[nodiscard]] sim::fast::StageCost cost(const core::Step& step) const;

  std::size_t index_;
  core::MemoryKind memory_;
  std::map<std::string, std::uint32_t> kernels_;  ///< with a model: their calls in the frame
  std::uint32_t unknown_kernel_ = 0;              ///< call of the kernel without a model
  std::array<bool, 2> transfers_{};               ///< with a model, by direction
  std::optional<models::CostModel> model_;
  sim::fast::OrderDevice device_;
};

/// What a policy is told of the task at `position` of a sized case; key and worker are left at 0. A stage of several
/// commands is told by the sum of their times. Throws core::Error (bad_input) where a kernel has no valid launch.
core::OpenTask open_task(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                         std::uint32_t position, const TaskPrices& prices);

/// The group as the order engine takes it: its makespans equal sim::fast on the lowered plan to one tick. Nothing where
/// it does not fit: several devices, kernel lanes or commands in a stage, dependencies between tasks, a memory limit
/// that not all tasks fit into together, more than sim::fast::OrderEngine::kMostTasks tasks, one engine with submission
/// by task, or interference `full`.
std::optional<order::Problem> problem_of(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                                         const core::Machine& machine, core::InterferenceMode mode);

}  // namespace forelap::tune
