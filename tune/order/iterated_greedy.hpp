#pragma once
// Iterated greedy for groups too large to prove: R. Ruiz and T. Stuetzle (2007).

#include "tune/order/search.hpp"

namespace forelap::tune::order {

/// From `start`: takes kDestroyed tasks out at random, inserts them where they are best, descends by insertions,
/// accepts what is better (and, by a constant temperature, sometimes what is worse), until `limits` end it.
/// `lower_bound` of the outcome is the group's own bound. Deterministic for a given seed where only `limits.nodes`
/// (rounds) ends it.
Outcome iterated_greedy(const Problem& problem, const BoundTable& bounds, const Order& start, const Limits& limits);

}  // namespace forelap::tune::order
