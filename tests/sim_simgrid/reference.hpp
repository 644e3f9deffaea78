#pragma once
// The semantics of sim/fast/executor.hpp written down as plainly as possible: everything is looked at again at every
// event. Slow, and obviously right; it stands beside both simulators.

#include <vector>

#include "core/plan.hpp"
#include "models/cost.hpp"

namespace forelap::tests {

struct ReferenceInterval {
  double begin = 0;
  double end = 0;
};

/// Ticks, not rounded, by step.
std::vector<ReferenceInterval> reference_timeline(const core::Plan& plan, const models::CostModel& model);

}  // namespace forelap::tests
