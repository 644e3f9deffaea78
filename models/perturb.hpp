#pragma once
// Machines drawn from a machine's spreads: what the 90 % interval of a prediction is made of.

#include "core/machine.hpp"
#include "core/statistics.hpp"

namespace forelap::models {

/// `machine` with each parameter drawn from a normal distribution of its value and spread; parameters that must not be
/// negative are cut at zero, rates at (0, 1].
core::Machine perturb(const core::Machine& machine, core::Random& random);

}  // namespace forelap::models
