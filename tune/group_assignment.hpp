#pragma once
// Several devices that do not slow each other, and tasks that do not wait for each other: the group takes as long as
// the slowest of the devices, each with its tasks in their best order. Assignments are looked at by increasing bound,
// so that the search ends, with proof, at the first whose bound is no better than what was found.

#include <optional>

#include "tune/group_evaluator.hpp"
#include "tune/order/search.hpp"

namespace forelap::tune {

struct AssignmentOutcome {
  Arrangement best;
  double time = 0;         ///< ticks, by the order engine
  double lower_bound = 0;  ///< of arrangements with one kernel lane
  bool out_of_time = false;
  std::uint64_t evaluations = 0;
};

/// Nothing where it does not hold (see above), where a device does not fit the order engine, and for more than 10 tasks
/// or 100,000 assignments.
std::optional<AssignmentOutcome> best_assignment(const GroupEvaluator& evaluator, const order::Limits& limits);

}  // namespace forelap::tune
