#include "hw/execute/run_state.hpp"

#include <chrono>

namespace forelap::hw::execute {
namespace {

/// Longer than a scheduler keeps a runnable thread away, shorter than anyone notices.
constexpr std::chrono::milliseconds kNoProgress{20};

}  // namespace

RunState::RunState(std::size_t lanes, std::size_t slots) : slots_(std::make_unique<Slot[]>(slots)), busy_(lanes) {}

template <class Condition>
bool RunState::wait_for(Condition condition) {
  std::unique_lock lock(mutex_);
  if (!halted() && !condition()) {
    --busy_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return halted() || condition(); });
    ++busy_;
  }
  return !halted();
}

bool RunState::await_slot(std::uint32_t slot) {
  const Slot& wanted = slots_[slot];
  if (wanted.ready.load(std::memory_order_acquire)) return !halted();
  return wait_for([&] { return wanted.ready.load(std::memory_order_acquire); });
}

void RunState::publish(std::uint32_t slot, EventPtr event) {
  slots_[slot].event = std::move(event);
  {
    const std::lock_guard lock(mutex_);
    slots_[slot].ready.store(true, std::memory_order_release);
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
  return wait_for([this] { return gate_open_; });
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
