#pragma once
// One run of open work: tasks arrive, a policy says what to submit, a session runs it. The session may be a simulated
// one or one of a device; time is the session's.
//
// Arrivals between events: a session cannot be asked to wait until a time, so the next arrival is a step on a lane of
// its own, which slows nothing and takes until then.

#include <cstdint>
#include <functional>
#include <vector>

#include "core/executor.hpp"
#include "core/policy.hpp"
#include "core/stop_token.hpp"
#include "run/arrivals.hpp"
#include "run/online_plans.hpp"

namespace forelap::run {

/// What one run leaves behind.
struct OnlineRun {
  core::Tick makespan = 0;            ///< from the start to the end of the last task
  std::vector<core::Tick> latencies;  ///< of each task by number: from when it wished to come to its end
  std::vector<std::uint32_t> groups;  ///< sizes, in the order of submission
  std::vector<std::uint32_t> order;   ///< numbers of the tasks in the order of submission
  bool complete = true;               ///< false: stopped before the last task had ended
};

/// What a policy is told of a copy of the case's task at a position; key and worker are filled in by the driver.
using TaskFacts = std::vector<core::OpenTask>;

/// Runs `arrivals` to their end. At most `queue` tasks wait to be submitted; the next ones come when there is room, and
/// their latencies count from when they wished to. Throws what the session throws; std::logic_error where the policy
/// leaves tasks behind or names one that does not wait. Stopped, it returns after the next event.
OnlineRun run_online(core::Session& session, OnlinePlans& plans, ArrivalSequence arrivals, core::Policy& policy,
                     const TaskFacts& facts, std::size_t queue, const core::StopToken& stop = {});

}  // namespace forelap::run
