#include "hw/execute/run_state.hpp"

#include <chrono>
#include <utility>

namespace forelap::hw::execute {
namespace {

/// Longer than a scheduler keeps a runnable thread away, shorter than anyone notices.
constexpr std::chrono::milliseconds kNoProgress{20};

}  // namespace

RunState::RunState(std::size_t lanes, std::size_t slots) : slots_(std::make_unique<Slot[]>(slots)), busy_(lanes) {}

bool RunState::await_slot(std::uint32_t slot) {
  Slot& wanted = slots_[slot];
  if (wanted.ready.load(std::memory_order_acquire)) return !halted();
  std::unique_lock lock(mutex_);
  const auto over = [&] { return halted() || wanted.ready.load(std::memory_order_acquire); };
  if (over()) return !halted();
  --busy_;
  ++wanted.waiting;
  changed_.notify_all();
  changed_.wait(lock, over);
  if (!wanted.ready.load(std::memory_order_acquire)) {
    ++busy_;
    --wanted.waiting;
  }
  return !halted();
}

void RunState::publish(std::uint32_t slot, EventPtr event) {
  Slot& target = slots_[slot];
  target.event = std::move(event);
  {
    const std::lock_guard lock(mutex_);
    target.ready.store(true, std::memory_order_release);
    // Counted here and not by the lanes themselves: until they run again the gate must not open.
    busy_ += std::exchange(target.waiting, 0);
  }
  changed_.notify_all();
}

void RunState::await_event(Event& event) {
  {
    const std::lock_guard lock(mutex_);
    --busy_;
  }
  changed_.notify_all();
  try {
    event.wait();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    ++busy_;
    throw;
  }
  const std::lock_guard lock(mutex_);
  ++busy_;
}

bool RunState::await_gate() {
  std::unique_lock lock(mutex_);
  const auto over = [this] { return halted() || gate_open_; };
  if (over()) return !halted();
  --busy_;
  changed_.notify_all();
  changed_.wait(lock, over);
  ++busy_;
  return !halted();
}

void RunState::lane_done() {
  {
    const std::lock_guard lock(mutex_);
    --busy_;
  }
  changed_.notify_all();
}

void RunState::halt(std::unique_lock<std::mutex>& lock) {
  halted_.store(true, std::memory_order_release);
  lock.unlock();
  changed_.notify_all();
}

void RunState::fail(std::exception_ptr error) {
  std::unique_lock lock(mutex_);
  if (!error_) error_ = std::move(error);
  halt(lock);
}

void RunState::stop() {
  std::unique_lock lock(mutex_);
  stopped_.store(true, std::memory_order_release);
  halt(lock);
}

void RunState::await_submission() {
  std::unique_lock lock(mutex_);
  while (busy_ > 0) {
    const std::uint64_t before = progress_.load(std::memory_order_relaxed);
    if (changed_.wait_for(lock, kNoProgress, [this] { return busy_ == 0; })) return;
    if (progress_.load(std::memory_order_relaxed) == before) return;
  }
}

void RunState::gate_opened() {
  {
    const std::lock_guard lock(mutex_);
    gate_open_ = true;
  }
  changed_.notify_all();
}

void RunState::rethrow_error() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

}  // namespace forelap::hw::execute
