#pragma once
// One plan on SimGrid. Only the helper program is built from this.

#include <string>
#include <vector>

#include "sim/simgrid/protocol.hpp"

namespace forelap::sim::simgrid {

/// When each step ran. SimGrid allows one engine a process whose clock starts at zero: call it once, in a process that
/// is about to end. `plan` must be one that decode_plan() accepts.
std::vector<StepInterval> simulate(const CostedPlan& plan);

/// Of the library that runs, such as "3.32".
std::string simgrid_version();

}  // namespace forelap::sim::simgrid
