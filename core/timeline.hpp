#pragma once
// When things happened, or are predicted to: the same type from every executor.

#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace forelap::core {

/// The longest time of a timeline, ticks (104 days): what lies beyond may not fit a Tick.
inline constexpr double kLongestTimeline = 9e18;

/// Throws Error (bad_input): the plan takes longer than kLongestTimeline.
[[noreturn]] void throw_beyond_timeline();

/// The tick nearest to `ticks` >= 0, as simulators reckon it. Throws Error (bad_input) beyond kLongestTimeline.
inline Tick timeline_tick(double ticks) {
  if (!(ticks <= kLongestTimeline)) throw_beyond_timeline();
  return round_to_tick(ticks);
}

struct Interval {
  StepId step{};
  LaneId lane{};
  Tick begin = 0;  ///< includes the step's fixed part (latency)
  Tick end = 0;
};

/// The clock that stamped a device's, a rank's or the host's intervals, against the timeline's zero.
struct Clock {
  std::string name;
  Tick offset = 0;
  Tick uncertainty = 0;
};

struct Timeline {
  /// By step, where the run was instrumented (simulators always); else empty.
  std::vector<Interval> intervals;
  /// From the release of all lanes to the end of the last step. On hardware from an uninstrumented run; where a
  /// device's clock knows nothing of the release, from the start of the first step (OpenCL on GPUs).
  Tick makespan = 0;
  std::vector<Clock> clocks;
  bool complete = true;  ///< false: the run was stopped before its end
};

}  // namespace forelap::core
