#pragma once
// Transfer time by LogGP, piecewise: T(s) = (L + o) + G s on each piece. Source: LogGP (Alexandrov et al. 1995) as
// applied to PCIe by van Werkhoven et al. 2014, which the ordering paper uses.

#include "core/machine.hpp"

namespace forelap::models {

/// The piece that prices `bytes`: the one whose range holds it, else the nearest.
const core::TransferPiece& transfer_piece(const core::TransferModel& model, double bytes);
/// Solo time of a transfer of `bytes` >= 0, seconds.
double transfer_seconds(const core::TransferModel& model, double bytes);
/// The bytes whose solo time comes nearest to `seconds`, >= 0; 0 where even the smallest transfer takes longer.
double transfer_bytes(const core::TransferModel& model, double seconds);

}  // namespace forelap::models
