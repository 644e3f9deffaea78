#pragma once
// The second opinion: the same plans on SimGrid, in a helper program of its own (forelap-simgrid), which takes costed
// plans on its input and writes intervals to its output. The semantics are those written in sim/fast/executor.hpp; no
// code is shared. `InterferenceMode::full` is not offered (SimGrid has no such rule): prepare() throws unavailable.

#include <memory>
#include <string>

#include "core/executor.hpp"
#include "core/machine.hpp"
#include "models/cost.hpp"

namespace forelap::sim::simgrid {

/// Whether the helper is here and runs: then `reason` is the version, such as "SimGrid 3.32"; where not, why, and what
/// to install or switch on.
struct Availability {
  bool available = false;
  std::string reason;
};
Availability availability();

/// The helper process, which stays up between plans; after a failure the next plan starts a new one. It may serve
/// several executors of one thread, which saves its start (25 ms).
class Helper;
/// Throws core::Error (unavailable) where it is missing or does not run.
std::shared_ptr<Helper> start_helper();

/// The executor behind the interface; bindings are ignored. open_session throws unavailable: sessions are for sim/fast
/// and hw. Without a `helper` it starts its own, and throws as start_helper() does.
std::unique_ptr<core::Executor> make_executor(std::shared_ptr<const core::Machine> machine,
                                              models::InterferenceMode mode, std::shared_ptr<Helper> helper = nullptr);

}  // namespace forelap::sim::simgrid
