#pragma once
// What of an order is decided before its steps are written: which tasks wait for which, where the order is cut into
// rounds, and which kernel lane each task takes. lower() and those that evaluate orders without lowering them ask
// alike.

#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::scenarios {

/// Whether a command of a task is a step of a plan: one without bytes and without time is left out.
bool is_step(const SizedTransfer& transfer);
bool is_step(const SizedKernel& kernel);
bool has_steps(const SizedTask& task);
/// Whether the tasks of `device` are submitted by type: all transfers in, all kernels, all transfers back.
bool submits_by_type(const TaskGroupTuning& tuning, std::uint32_t device);

/// Arranges any number of orders of one case. Not thread-safe; no allocation once it has arranged an order of all
/// tasks.
///
/// Device memory (`TaskGroup::device_memory`): the buffer of a task is in use from the begin of its first step to the
/// end of its last. Each device has a queue of the tasks whose buffers may be in use, in their order; a task for which
/// there is no room waits for the ends of as many of the first of them as it takes. What a task waits for, later tasks
/// wait for too, by their place on the same lane or by a wait of their own, so that no execution of the plan exceeds
/// the limit, however long the steps take.
class SubmissionOrder {
 public:
  /// Refers to `scenario`; takes sizes, engines and the scheme from `tuning`. Its order, devices and kernel lanes are
  /// not looked at.
  SubmissionOrder(const Scenario& scenario, const TaskGroupTuning& tuning);

  /// `order`: some or all tasks of the case, each at most once; `device` of each task, by position. Tasks to come after
  /// that are not in `order` are not waited for. Throws core::Error (bad_input) where the order breaks `after`, or the
  /// buffer of a task is larger than the limit.
  void arrange(std::span<const std::uint32_t> order, std::span<const std::uint32_t> device, std::uint32_t kernel_lanes);

  /// Of the order last arranged: the tasks of each round, in order; by type, each round is submitted on its own.
  [[nodiscard]] std::size_t round_count() const { return round_begin_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> round(std::size_t i) const;
  /// Tasks that must have ended before `task` begins, without those that its place on a lane makes it wait for. Tasks
  /// without steps are not among them.
  [[nodiscard]] std::span<const std::uint32_t> waits(std::uint32_t task) const;
  /// From 0, on its device.
  [[nodiscard]] std::uint32_t kernel_lane(std::uint32_t task) const { return state_[task].kernel_lane; }

 private:
  enum class Place : std::uint8_t { absent, later, placed };
  struct TaskState {
    Place place = Place::absent;
    std::uint32_t round = 0;
    std::uint32_t kernel_lane = 0;
    std::uint32_t first_wait = 0, wait_count = 0;
  };
  struct DeviceState {
    std::uint32_t tasks = 0;              ///< that were given a kernel lane
    std::uint64_t in_use = 0;             ///< bytes of the tasks from `gone` on
    std::size_t gone = 0;                 ///< tasks of `queue` that the last arranged ones wait for
    std::vector<std::uint32_t> queue;     ///< tasks with a buffer, in their order
    std::vector<std::size_t> waited_for;  ///< by lane of a first step: how many of `queue` its tasks wait for
  };
  void start(std::span<const std::uint32_t> order, std::uint32_t kernel_lanes);
  void add_after(std::uint32_t task);
  void add_memory(std::uint32_t task, DeviceState& device);
  [[nodiscard]] std::size_t first_lane(std::uint32_t task) const;
  [[nodiscard]] bool waits_in_round(std::uint32_t task, std::uint32_t round) const;
  [[noreturn]] void refuse_size(std::uint32_t task) const;

  const std::vector<TaskSpec>& tasks_;
  std::uint64_t limit_;
  std::vector<std::uint64_t> bytes_;       ///< of each task's buffer; 0 for one without steps
  std::vector<std::uint8_t> first_stage_;  ///< of each task: 0 htod, 1 kernel, 2 dtoh, 3 none
  std::vector<bool> by_type_;              ///< by device
  std::vector<TaskState> state_;
  std::vector<DeviceState> devices_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> round_begin_;
  std::vector<std::uint32_t> waits_;
};

}  // namespace forelap::scenarios
