#pragma once
// Kernel time: T(m, n) = gamma + eta m + iota n, piecewise in n. The ordering paper has T = eta m + gamma (Liu et al.);
// the term in work-items n carries what each item costs beside its work (its memory traffic, its scheduling).

#include "core/machine.hpp"

namespace forelap::models {

/// The piece that prices launches of `items`: the one whose range holds it, else the nearest.
const core::KernelPiece& kernel_piece(const core::KernelModel& model, double items);
/// Solo time of one launch, seconds; work, items >= 0.
double kernel_seconds(const core::KernelModel& model, double work, double items);
/// The work at which a launch over `items` takes `seconds`, >= 0; 0 where even no work takes longer.
double kernel_work(const core::KernelModel& model, double seconds, double items);

}  // namespace forelap::models
