#pragma once
// The best of all arrangements of a small group, by trying them.

#include <algorithm>
#include <vector>

#include "tests/tune/random_group.hpp"
#include "tune/group_search.hpp"

namespace forelap::tune::testing {

/// The least time over every order, assignment and number of lanes.
inline double least_of_all(const RandomGroup& g, const std::vector<std::uint32_t>& lanes, bool free_devices) {
  GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  const Precedence precedence(evaluator.specs());
  order::Limits limits;
  limits.seconds = 1000;
  order::Deadline deadline(limits);
  double least = 1e300;
  for (const std::uint32_t n : lanes) {
    least = std::min(least, GroupSearch(evaluator, precedence, free_devices, n).exhaustive(deadline).time);
  }
  return least;
}

inline std::vector<std::uint32_t> lanes_up_to(std::uint32_t tasks) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t n = 1; n < tasks; n *= 2) lanes.push_back(n);
  lanes.push_back(tasks);
  return lanes;
}

}  // namespace forelap::tune::testing
