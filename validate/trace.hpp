#pragma once
// Timelines as Chrome trace JSON, which opens in Perfetto (ui.perfetto.dev): one process a timeline (predicted,
// measured), one thread a lane.

#include <span>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/timeline.hpp"

namespace forelap::validate {

/// One timeline of a plan. Both are referred to and must outlive the call.
struct TraceProcess {
  std::string name;  ///< such as "predicted: T1 T0 T2 T3"
  const core::Plan* plan = nullptr;
  const core::Timeline* timeline = nullptr;
  std::vector<std::string> labels;  ///< a name for each step; empty: the step's kind and number
};

/// Times are microseconds from the release, to the picosecond. A step that stands for `count` repetitions is drawn as
/// that many slices, up to 1,000; beyond, as one slice that says so. Slices carry bytes, work and step id.
std::string chrome_trace(std::span<const TraceProcess> processes);

}  // namespace forelap::validate
