#pragma once
// Which variables are optimised together: in order, at random, or by what depends on what (DG2: Omidvar, Yang, Mei, Li,
// Yao, IEEE Trans. Evol. Comp. 21 (6), 2017).

#include <cstdint>
#include <vector>

#include "evolve/de/box.hpp"
#include "evolve/de/objective.hpp"

namespace forelap::evolve::de {

/// Groups of variables; every variable in exactly one.
using Groups = std::vector<Variables>;

/// Throws bad input unless every one of `dimension` variables is in exactly one group and no group is empty.
void check(const Groups& groups, std::size_t dimension);

/// `groups` groups of neighbours. Where they do not divide the variables, the first ones have one more. Throws bad
/// input for no group or more groups than variables; as does group_randomly.
Groups group_in_order(std::size_t dimension, std::size_t groups);

/// The same sizes, the variables shuffled by the seed, ascending in each group.
Groups group_randomly(std::size_t dimension, std::size_t groups, std::uint64_t seed);

/// What DG2 finds.
struct Dependences {
  Groups dependent;               ///< sets of two or more variables that depend on each other, by their first variable
  Variables separable;            ///< variables that depend on no other
  std::uint64_t pairs = 0;        ///< dependent pairs
  std::uint64_t evaluations = 0;  ///< n (n + 1) / 2 + 1: to be counted as the search's
  std::uint64_t rejected = 0;     ///< values that were not finite; their pairs count as dependent
};

/// For n variables: n (n + 1) / 2 + 1 evaluations, in batches. Variables i and j depend on each other if
/// |(f(x_i', x_j') - f(x_i, x_j')) - (f(x_i', x_j) - f(x_i, x_j))| is beyond what rounding explains, x at the lower
/// bounds and x' in the middle. Variables with equal bounds count as separable.
Dependences find_dependences(Objective& objective, const Box& box);

/// `groups` groups out of dependences: dependent sets are kept whole, the largest first each to the group with the
/// fewest variables, then separable variables fill up evenly. Fewer groups than asked for if whole sets leave some
/// empty; never more. Throws bad input for no group or more groups than variables.
Groups group_by_dependences(const Dependences& dependences, std::size_t groups);

}  // namespace forelap::evolve::de
