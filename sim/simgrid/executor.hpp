#pragma once
// The second opinion: the same plans on SimGrid, in a helper program of its own (forelap-simgrid), which takes costed
// plans on its input and writes intervals to its output. The semantics are those written in sim/fast/executor.hpp; no
// code is shared. `InterferenceMode::full` is not offered (SimGrid has no such rule): prepare() throws unavailable.

#include <filesystem>
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

/// An executor whose helper process stays up between plans. Throws core::Error (unavailable) where the helper is
/// missing. open_session throws unavailable: sessions are for sim/fast and hw.
std::unique_ptr<core::Executor> make_executor(std::shared_ptr<const core::Machine> machine,
                                              models::InterferenceMode mode);

}  // namespace forelap::sim::simgrid
