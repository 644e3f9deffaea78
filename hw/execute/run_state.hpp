#pragma once
// What the submitting threads of one run share: published events, the gate's state, the first error. Every wait ends
// when the run is halted, so an error on one lane never leaves another hanging.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "hw/device.hpp"

namespace forelap::hw::execute {

class RunState {
 public:
  RunState(std::size_t lanes, std::size_t slots);

  // ---- of the lanes' threads ----

  /// Waits until the step of `slot` has been submitted (or, on a host lane, done); false when the run was halted.
  bool await_slot(std::uint32_t slot);
  /// The event of a published slot; null for a step of a host lane, which was done when published.
  [[nodiscard]] const EventPtr& event(std::uint32_t slot) const { return slots_[slot].event; }
  void publish(std::uint32_t slot, EventPtr event);
  /// Waits on the calling thread until the device is done with what `event` stands for.
  void await_event(Event& event);
  /// Waits until the gate has been opened; false when the run was halted.
  bool await_gate();
  /// A step was submitted.
  void advanced() { progress_.fetch_add(1, std::memory_order_relaxed); }
  void lane_done();
  /// Keeps the first error and halts the run.
  void fail(std::exception_ptr error);
  /// Ends submission early, without an error.
  void stop();
  [[nodiscard]] bool halted() const { return halted_.load(std::memory_order_acquire); }

  // ---- of the thread that runs the plan ----

  /// Waits until nothing more can be submitted behind a closed gate: each lane is done or waits for the device, or none
  /// has made progress for a while (a full queue, or a copy of pageable memory that blocks).
  void await_submission();
  void gate_opened();
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  void rethrow_error();

 private:
  struct Slot {
    std::atomic<bool> ready{false};
    EventPtr event;
    std::size_t waiting = 0;  ///< lanes; guarded by the mutex
  };

  void halt(std::unique_lock<std::mutex>& lock);

  std::unique_ptr<Slot[]> slots_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<bool> halted_{false};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t busy_;  ///< lanes neither done nor waiting; who ends a wait counts the waiting lanes in again
  bool gate_open_ = false;
  std::exception_ptr error_;
};

}  // namespace forelap::hw::execute
