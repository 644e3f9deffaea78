#pragma once
// What a choice is worth: other methods' orders, the worst and the mean, ties, and what the time hangs on.

#include "tune/group.hpp"
#include "tune/group_search.hpp"

namespace forelap::tune {

/// The stages of each task on its device as the order engine takes them, several commands as one: enough for methods
/// that build an order from times. Nothing for more tasks than the engine takes.
std::optional<order::Problem> outline_of(const GroupEvaluator& evaluator, const scenarios::TaskGroupTuning& tuning,
                                         const core::Machine& machine);

/// The order that a constructive method gives (`heuristic`, `johnson` or `neh`), made to keep `after`.
std::vector<std::uint32_t> built_order(order::Method method, const order::Problem& outline,
                                       const Precedence& precedence);

/// Fills in heuristic, neh, johnson, worst, mean, lanes, gains and ties of a choice whose `chosen` is set, in at most
/// three quarters of `options.seconds` and a few evaluations; says in `figures_cut_short` where that was not enough.
void add_figures(GroupChoice& choice, GroupEvaluator& evaluator, const Precedence& precedence,
                 const core::Machine& machine, const GroupOptions& options);

}  // namespace forelap::tune
