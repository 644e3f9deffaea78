#pragma once
// Who decides about open work: tasks arrive while others run, workers may die. A policy is a pure state machine that is
// told what happens and says what to submit next; a simulator and real hardware ask it alike, so that what was simulated
// is what runs. It sees times rounded to ticks, on the clock of whoever asks it, and reads no clock itself.

#include <cstdint>
#include <string>
#include <vector>

#include "core/stop_token.hpp"
#include "core/time.hpp"

namespace forelap::core {

/// Names a task for as long as the policy is asked about it; given by whoever asks, never used twice.
using TaskKey = std::uint64_t;

/// What is known of a task before it runs; a part that it does not have is left at 0 or empty.
struct OpenTask {
  TaskKey key = 0;
  std::uint32_t worker = 0;  ///< who sent it
  std::uint64_t htod_bytes = 0;
  std::string kernel;  ///< name of the kernel, empty: none
  double work = 0;     ///< as in KernelStep
  double items = 0;
  std::uint64_t dtoh_bytes = 0;
  std::uint64_t buffer_bytes = 0;  ///< of device memory while it runs
  Tick htod_duration = -1, kernel_duration = -1, dtoh_duration = -1;  ///< given times; negative: ask the models
};

/// Calls come from one thread at a time, in the order of `now`.
class Policy {
 public:
  virtual ~Policy() = default;
  /// For messages and results.
  [[nodiscard]] virtual std::string name() const = 0;
  virtual void arrived(const OpenTask& task, Tick now) = 0;
  /// Cancelled before it was submitted.
  virtual void withdrawn(TaskKey task, Tick now) = 0;
  /// Its transfer to the device has ended (called for tasks without one when they are submitted).
  virtual void transferred(TaskKey task, Tick now) = 0;
  /// Has ended, well or not, or was in flight on a device that is lost.
  virtual void finished(TaskKey task, Tick now) = 0;
  /// The tasks to submit now, in their order; empty: nothing yet. Asked after events; what it returns counts as submitted.
  /// May take long to think: where `hurry` asks it to stop, it answers soon with the best it has.
  virtual std::vector<TaskKey> next(Tick now, const StopToken& hurry) = 0;
  /// Whether `next` has its answer already, whatever of finished() it has not been told yet; who asks may then tell that
  /// afterwards, so that the device does not wait for it.
  [[nodiscard]] virtual bool knows_next() const { return false; }
  /// Something to think about ahead of time: called where there is time before the next `next`, with the same meaning
  /// of `hurry`. It may prepare its next answer; tasks that arrive meanwhile are told afterwards.
  virtual void prepare(Tick now, const StopToken& hurry) = 0;
};

}  // namespace forelap::core
