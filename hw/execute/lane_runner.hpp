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

/// The lanes that one thread submits: each its own, but those of a device that keeps the order of calls together.
std::vector<std::vector<std::size_t>> lanes_by_thread(const Program& program, Resources& resources);

/// Submits (or, on a host lane, performs) the steps of the lanes at `positions`, each lane in order and all of them in
/// the order of the plan. Never throws: errors go to the state.
void run_lanes(const RunContext& context, const std::vector<std::size_t>& positions,
               std::vector<LaneOutcome>& outcomes) noexcept;

/// Enqueues the commands of a step; each launch of a kernel in passes gets the number of its pass. A step of thousands
/// of launches takes a while: where `state` is given, each counts as progress.
void enqueue_step(const core::Step& step, const LaneStep& lane_step, const core::Plan& plan,
                  std::span<const ResolvedArgument> arguments, Queue& queue, RunState* state = nullptr);

}  // namespace forelap::hw::execute
