#pragma once
// Machines drawn from a machine's spreads: what the 90 % interval of a prediction is made of.

#include "core/machine.hpp"
#include "core/statistics.hpp"

namespace forelap::models {

/// `machine` with the parameters of time drawn from normal distributions of their values and spreads: one draw moves
/// all pieces of a model together, as the clock or link behind them does. Copy engines, fills and the items from which
/// they hold stay as they are. Times are cut at zero, rates to [0.001, 1].
core::Machine perturb(const core::Machine& machine, core::Random& random);

/// True where nothing that `perturb` draws has a spread, so that intervals have no width.
bool is_exact(const core::Machine& machine);

}  // namespace forelap::models
