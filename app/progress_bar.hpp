#pragma once
// Progress of long work on a terminal: a bar, how much, the rate and the time left. Nothing elsewhere.

#include <chrono>
#include <memory>
#include <string>

#include "core/progress.hpp"

namespace forelap::app {

/// One line of progress: "measuring  [======>     ] 120/384  12.3/s  0:21 left", at most `columns` wide. `total` 0: how
/// much is done, without a bar.
std::string progress_line(const std::string& what, std::size_t done, std::size_t total, double seconds,
                          std::size_t columns);

/// Draws on standard error, at most ten times a second, where that is a terminal and the user is not for quiet. The
/// line is wiped when it goes.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Empty where nothing is drawn, which spares the work the calls. Refers to this object.
  [[nodiscard]] core::Progress receiver();

 private:
  using Clock = std::chrono::steady_clock;
  void update(const std::string& what, std::size_t done, std::size_t total);
  bool shown_ = false;
  bool drawn_ = false;
  std::string what_;
  Clock::time_point started_;
  Clock::time_point last_;
};

}  // namespace forelap::app
