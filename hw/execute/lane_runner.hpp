#pragma once
// Submits one lane's steps, on that lane's thread.

#include <chrono>
#include <vector>

#include "core/executor.hpp"
#include "hw/execute/program.hpp"
#include "hw/execute/run_state.hpp"

namespace forelap::hw::execute {

using HostClock = std::chrono::steady_clock;

core::Tick host_ticks(HostClock::time_point from, HostClock::time_point to);

/// What a lane's thread leaves behind.
struct LaneOutcome {
  std::size_t submitted = 0;                                                   ///< steps
  std::vector<std::pair<HostClock::time_point, HostClock::time_point>> times;  ///< of host work steps
};

/// What all lanes of a run share.
struct RunContext {
  const core::Plan& plan;
  const core::Bindings& bindings;
  const Program& program;
  Resources& resources;
  RunState& state;
  core::StopToken stop;
};

/// Submits (or, on a host lane, performs) the steps of lane `position` in order. Never throws: errors go to the state.
void run_lane(const RunContext& context, std::size_t position, LaneOutcome& outcome) noexcept;

/// Enqueues the commands of a step; each launch of a kernel in passes gets the number of its pass. A step of thousands
/// of launches takes a while: where `state` is given, each counts as progress.
void enqueue_step(const core::Step& step, const LaneStep& lane_step, const core::Plan& plan,
                  std::span<const ResolvedArgument> arguments, Queue& queue, RunState* state = nullptr);

}  // namespace forelap::hw::execute
