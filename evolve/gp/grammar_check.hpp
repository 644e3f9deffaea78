#pragma once
// Inner part of the grammar's reader: what can be wrong with rules that read well.

#include <string>
#include <vector>

#include "evolve/gp/grammar.hpp"

namespace forelap::evolve::gp {

/// A fault and the line where it lies (0: the whole text).
struct Finding {
  int line = 0;
  std::string message;
};

/// What is wrong between the rules; sets Rule::least_depth. `first_use[r]` is the line where rule r is first named; a
/// rule with no alternatives was never defined.
void check_rules(Grammar& grammar, const std::vector<int>& first_use, std::vector<Finding>& findings);

}  // namespace forelap::evolve::gp
