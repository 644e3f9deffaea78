#pragma once
// Asking long work to stop: set by a signal handler or a time limit, checked by the work. Cheap to copy.

#include <atomic>
#include <memory>

namespace forelap::core {

/// Says whether the work should stop. A default token never does. Thread-safe.
class StopToken {
 public:
  StopToken() = default;
  [[nodiscard]] bool stop_requested() const { return flag_ && flag_->load(std::memory_order_relaxed); }

 private:
  friend class StopSource;
  explicit StopToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<const std::atomic<bool>> flag_;
};

/// Owns the wish to stop. `request_stop` may be called from a signal handler (it is one lock-free store).
class StopSource {
 public:
  StopSource() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void request_stop() { flag_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] StopToken token() const { return StopToken(flag_); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
  static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace forelap::core
