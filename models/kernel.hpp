#pragma once
// Kernel time: T(m, n) = gamma + (eta m + iota n) / part(n), piecewise in n. The ordering paper has T = eta m + gamma
// (Liu et al.); the term in work-items n carries what each item costs beside its work (its memory traffic, its
// scheduling); part(n) = min(1, n / full_items) is the part of the device that a small launch gets to work, the rest of
// which is free for other launches.

#include <cstdint>

#include "core/machine.hpp"

namespace forelap::models {

/// The piece that prices launches of `items`: the one whose range holds it, else the nearest.
const core::KernelPiece& kernel_piece(const core::KernelModel& model, double items);
/// min(1, items / full_items): how much of what a large launch occupies one over `items` does, (0, 1]. 1 where the
/// model has no full_items, and where `items` is 0 (not known).
double filled_part(const core::KernelModel& model, double items);
/// The fraction of the device that a launch over `items` occupies, (0, 1].
double kernel_fill(const core::KernelModel& model, double items);
/// How many times as long as one alone `count` >= 1 launches take that begin together on lanes of their own, each of
/// which occupies `fill` in (0, 1]: from 1 to `count`. By the order of their start, as models/interference.hpp has it.
double side_by_side_stretch(double fill, std::uint32_t count);
/// Solo time of one launch, seconds; work, items >= 0.
double kernel_seconds(const core::KernelModel& model, double work, double items);
/// The work at which a launch over `items` takes `seconds`, >= 0; 0 where even no work takes longer.
double kernel_work(const core::KernelModel& model, double seconds, double items);

}  // namespace forelap::models
