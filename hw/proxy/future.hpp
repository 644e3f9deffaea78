#pragma once
// What a worker holds of a task that it has submitted.

#include <chrono>
#include <memory>

#include "core/time.hpp"
#include "hw/proxy/task.hpp"

namespace forelap::hw::proxy {

/// When a task passed through, in ticks since the proxy was made, on the host's clock.
struct Outcome {
  core::Tick arrived = 0;
  core::Tick submitted = 0;  ///< when its first command was handed to the device
  core::Tick finished = 0;   ///< when its end was seen
};

struct TaskState;

/// The end of a task. Dropping it before the end is allowed: the task runs all the same and harms nobody. Movable; to
/// be used from one thread at a time. May outlive the proxy.
class Future {
 public:
  Future() = default;
  explicit Future(std::shared_ptr<TaskState> state) : state_(std::move(state)) {}
  Future(Future&&) noexcept = default;
  Future& operator=(Future&&) noexcept = default;
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  ~Future() = default;

  /// False after `get`, and for a default one, which nothing else may be asked of.
  [[nodiscard]] bool valid() const { return state_ != nullptr; }
  /// Whether the task has ended, well or not.
  [[nodiscard]] bool ready() const;
  void wait() const;
  /// False where the task has not ended within that time.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds time) const;
  /// Waits, copies the results into the worker's own memory (pinned memory of the proxy holds them already), and throws
  /// the task's error if it has one: core::Error with kind bad_input (arguments), device_failed or unavailable;
  /// Cancelled where it was withdrawn.
  Outcome get();
  /// Withdraws the task where it has not reached the device; then its error is Cancelled. False where it was too late.
  bool cancel();

 private:
  std::shared_ptr<TaskState> state_;
};

}  // namespace forelap::hw::proxy
