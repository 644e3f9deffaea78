#pragma once
// The policies that order open work on one device: tasks arrive while others run, and the group that waits is ordered
// and submitted as one. The proxy and the simulator of `online:` scenarios ask the same ones.
//
// All of them form groups alike (ordering paper, section on its runtime, with one change): the next group is all that
// waits when the last transfer to the device of the group before it has ended. The paper takes it once that transfer is
// submitted; with asynchronous submission that is at once, and groups would never fill.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/policy.hpp"
#include "sim/fast/order_engine.hpp"

namespace forelap::tune {

struct PolicyOptions {
  std::size_t device = 0;     ///< position in the machine's devices
  std::uint32_t engines = 0;  ///< copy engines 1 or 2, 0 = what the profile says
  core::InterferenceMode interference = core::InterferenceMode::partial;
  core::MemoryKind memory = core::MemoryKind::pinned;  ///< host memory of the transfers
  /// Longest thinking in prepare(), seconds of wall-clock time.
  double seconds = 1e-3;
  /// next() keeps the device waiting while it thinks: at most this share of what the group is predicted to take.
  double urgent_share = 5e-4;
  /// Where not 0, searches end after so many nodes and not by time, so that the same events give the same answers
  /// however fast the machine is that thinks (simulation).
  std::uint64_t nodes = 0;
  std::uint64_t seed = 1;
  /// Tasks of a group, at least 1; more are left to the next one, first come first served. At most
  /// sim::fast::OrderEngine::kMostTasks.
  std::size_t largest_group = sim::fast::OrderEngine::kMostTasks;
};

/// Names that make_policy knows: "arrival", "heuristic", "neh", "auto".
const std::vector<std::string>& policy_names();

/// - "arrival": the order in which the tasks came.
/// - "heuristic": the ordering paper's batch reordering of the group, whatever still runs.
/// - "neh": insertion by decreasing total time, likewise.
/// - "auto": order::Method::automatic, judged and improved behind what still runs of the groups before (two engines; on
///   one engine a group begins where the one before it ends). Tasks that arrive after prepare() are inserted where they
///   cost least, and all are searched anew while there is time. Never worse than "arrival" for a group by the model.
///
/// A task that the models cannot price (no model of its kernel) goes behind the others of its group. Unknown keys in
/// withdrawn(), transferred() and finished() are ignored; a task that finishes before it was transferred (it failed)
/// holds nothing up. Throws core::Error (bad_input) for an unknown name, std::invalid_argument for options out of
/// range.
std::unique_ptr<core::Policy> make_policy(const std::string& name, const core::Machine& machine,
                                          const PolicyOptions& options);

}  // namespace forelap::tune
