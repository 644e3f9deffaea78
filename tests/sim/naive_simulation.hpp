#pragma once
// A plain reference for the plan engine: no heap, no lists, every rate computed anew at every instant. Slow and short.

#include "core/plan.hpp"
#include "core/timeline.hpp"
#include "models/cost.hpp"

namespace forelap::tests {

core::Timeline naive_simulation(const core::Plan& plan, const models::CostModel& cost);

}  // namespace forelap::tests
