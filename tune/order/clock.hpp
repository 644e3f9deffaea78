#pragma once
// The end of a search: a time limit or the wish to stop, looked at seldom enough to cost nothing.

#include <chrono>

#include "tune/order/search.hpp"

namespace forelap::tune::order {

class Deadline {
 public:
  explicit Deadline(const Limits& limits)
      : stop_(limits.stop), end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds)) {}

  /// Looks at the clock every 64th call.
  [[nodiscard]] bool reached() {
    if (reached_ || (++calls_ & 63U) != 0) return reached_;
    return look();
  }
  /// Looks at the clock now.
  [[nodiscard]] bool look() {
    reached_ = reached_ || stop_.stop_requested() || std::chrono::steady_clock::now() >= end_;
    return reached_;
  }

 private:
  core::StopToken stop_;
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double, std::nano>> end_;
  unsigned calls_ = 0;
  bool reached_ = false;
};

}  // namespace forelap::tune::order
