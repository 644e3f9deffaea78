#include "models/transfer.hpp"

#include <algorithm>
#include <cmath>

namespace forelap::models {

const core::TransferPiece& transfer_piece(const core::TransferModel& model, double bytes) {
  for (const core::TransferPiece& piece : model.pieces) {
    if (bytes < piece.to_bytes) return piece;
  }
  return model.pieces.back();
}

double transfer_seconds(const core::TransferModel& model, double bytes) {
  const core::TransferPiece& piece = transfer_piece(model, bytes);
  return piece.fixed.value + piece.per_byte.value * bytes;
}

double transfer_bytes(const core::TransferModel& model, double seconds) {
  double best = 0;
  double best_miss = std::abs(transfer_seconds(model, 0) - seconds);
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const core::TransferPiece& piece = model.pieces[i];
    if (piece.per_byte.value <= 0) continue;
    // The last piece serves beyond its range, the first one below it, as transfer_piece has it.
    const double low = i == 0 ? 0 : piece.from_bytes;
    const double high = i + 1 == model.pieces.size() ? HUGE_VAL : std::nextafter(piece.to_bytes, 0);
    const double bytes = std::clamp((seconds - piece.fixed.value) / piece.per_byte.value, low, high);
    const double miss = std::abs(transfer_seconds(model, bytes) - seconds);
    if (miss < best_miss) {
      best_miss = miss;
      best = bytes;
    }
  }
  return best;
}

}  // namespace forelap::models
