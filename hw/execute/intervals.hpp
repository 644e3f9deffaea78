#pragma once
// From the stamps of queues and host work to the intervals of steps.

#include <vector>

#include "core/timeline.hpp"
#include "hw/execute/lane_runner.hpp"

namespace forelap::hw::execute {

/// Stamps of one lane in the order of its commands, on the timeline's clock.
using LaneStamps = std::vector<Stamp>;

/// Stamps of neighbours on an in-order queue may overlap by the resolution of a device's timer; this much is clamped.
inline constexpr core::Tick kStampSlack = 2'000'000;

/// Checks that stamps run forward (clamping what lies within the slack). Throws core::Error (device_failed) naming the
/// lane where they run backwards.
void check_stamps(const core::Plan& plan, const LaneProgram& lane, LaneStamps& stamps);

/// Intervals by step of what was submitted, repetitions joined. A step that enqueued nothing begins and ends when the
/// step before it on its lane and its dependencies have ended. `stamps` are by lane of the program; host work has one
/// stamp a step.
std::vector<core::Interval> make_intervals(const core::Plan& plan, const Program& program,
                                           const std::vector<LaneOutcome>& outcomes,
                                           const std::vector<LaneStamps>& stamps);

}  // namespace forelap::hw::execute
