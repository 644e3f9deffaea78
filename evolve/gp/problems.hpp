#pragma once
// The three problems of the paper (Ayral and Albayrak 2017), with the grammars of its authors' public data and these
// decisions:
//   - Keijzer-6: x and all constants are single precision ("12.34f"; without the f they would be double); the target is
//     the harmonic number H(x), x = 1 .. 64.
//   - Multiplier: inputs have 5 bits each (the authors' program masks 4 of them away); all 1024 pairs.
//   - Search: numbers are unsigned, so that sums that outgrow 32 bits wrap on every device, where compilers take signed
//     ones to never do so; `<` and `>` compare them as signed. An index is the floor modulo of a signed number.

#include <string>
#include <vector>

#include "evolve/gp/problem.hpp"

namespace forelap::evolve::gp {

Problem keijzer_6();
Problem multiplier_5_bit();
Problem search();

}  // namespace forelap::evolve::gp
