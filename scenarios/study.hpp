#pragma once
// From a scenario with a study to the cases that are run.

#include <cstdint>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forelap::scenarios {

/// The scenario without its study: for each case and each way of handing kernels over one case, called "BK50, one
/// kernel queue" or "BK50, a queue a kernel", with the tasks of all rounds, round after round; each worker's task comes
/// after its task of the round before. Draws are made by the scenario's seed and are the same for both ways.
Scenario expand_study(const Scenario& scenario);

/// Tasks of a round of case `case_index` of the scenario before it was expanded.
std::uint32_t workers_of(const Scenario& scenario, std::size_t case_index);

}  // namespace forelap::scenarios
