#pragma once
// How runs are predicted: shared by closed and online scenarios.

#include <cstdint>
#include <limits>
#include <string>

#include "core/progress.hpp"
#include "core/stop_token.hpp"

namespace forelap::run {

struct PredictOptions {
  std::string engine = "fast";  ///< "fast" or "simgrid"
  /// Machines drawn for the 90 % interval; 0 = no interval (low = high = prediction). At most so many simulations are
  /// spent on intervals that a group of a thousand orders still takes seconds; large sets get fewer draws.
  std::uint32_t draws = 200;
  /// Wall-clock time for the intervals. Where it ends before 40 machines were met there are none, and a note of the set
  /// says so.
  double interval_seconds = std::numeric_limits<double>::infinity();
  core::Progress progress;
  core::StopToken stop;
};

}  // namespace forelap::run
