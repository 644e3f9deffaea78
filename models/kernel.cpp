#include "models/kernel.hpp"

#include <algorithm>

namespace forelap::models {

const core::KernelPiece& kernel_piece(const core::KernelModel& model, double items) {
  for (const core::KernelPiece& piece : model.pieces) {
    if (items < piece.to_items) return piece;
  }
  return model.pieces.back();
}

double filled_part(const core::KernelModel& model, double items) {
  return items > 0 && items < model.full_items.value ? items / model.full_items.value : 1;
}

double kernel_fill(const core::KernelModel& model, double items) {
  return model.fill.value * filled_part(model, items);
}

double kernel_seconds(const core::KernelModel& model, double work, double items) {
  const core::KernelPiece& piece = kernel_piece(model, items);
  const double alone = piece.per_work.value * work + piece.per_item.value * items;
  return piece.launch.value + alone / filled_part(model, items);
}

double kernel_work(const core::KernelModel& model, double seconds, double items) {
  const core::KernelPiece& piece = kernel_piece(model, items);
  const double rest = (seconds - piece.launch.value) * filled_part(model, items) - piece.per_item.value * items;
  return piece.per_work.value > 0 ? std::max(0.0, rest / piece.per_work.value) : 0;
}

}  // namespace forelap::models
