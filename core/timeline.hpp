#pragma once
// When things happened, or are predicted to: the same type from every executor.

#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace forelap::core {

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
  /// From the release of the first step to the end of the last. On hardware from an uninstrumented run.
  Tick makespan = 0;
  std::vector<Clock> clocks;
  bool complete = true;  ///< false: the run was stopped before its end
};

}  // namespace forelap::core
