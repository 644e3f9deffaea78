#pragma once
// Exact search for the fastest order: depth first over prefixes, with the bound of bound.hpp and those of the flow
// shop.
//
// Proofs come in stages: first that no order is faster than the best by more than 0.5 %, then 0.1 %, then at all; each
// stage cuts harder than the next and leaves a proven bound behind when time runs out.
//
// Dominance: of tasks that are alike, the one with the lowest position comes first. Where nothing interferes, a prefix
// that frees no lane earlier than another one of the same tasks is cut too: the engine is then monotone in the times at
// which lanes are free. With interference it is not (an earlier dtoh may slow the htod that matters), so there it is
// not used.

#include "tune/order/search.hpp"

namespace forelap::tune::order {

/// Improves `start` (a valid order) until it is proved or `limits` end it. Every task must have an htod (see
/// sim::fast::OrderEngine::has_frontier), at most 64 tasks.
Outcome branch_and_bound(const Problem& problem, const BoundTable& bounds, const Order& start, const Limits& limits);

}  // namespace forelap::tune::order
