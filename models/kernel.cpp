#include "models/kernel.hpp"

#include <algorithm>
#include <cmath>

namespace forelap::models {

const core::KernelPiece& kernel_piece(const core::KernelModel& model, double work) {
  for (const core::KernelPiece& piece : model.pieces) {
    if (work < piece.to_work) return piece;
  }
  return model.pieces.back();
}

double kernel_seconds(const core::KernelModel& model, double work, double items) {
  const core::KernelPiece& piece = kernel_piece(model, work);
  return piece.launch.value + piece.per_work.value * work + piece.per_item.value * items;
}

double kernel_work(const core::KernelModel& model, double seconds, double items) {
  double best = 0;
  double best_miss = std::abs(kernel_seconds(model, 0, items) - seconds);
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const core::KernelPiece& piece = model.pieces[i];
    if (piece.per_work.value <= 0) continue;
    const double low = i == 0 ? 0 : piece.from_work;
    const double high = i + 1 == model.pieces.size() ? HUGE_VAL : std::nextafter(piece.to_work, 0);
    const double rest = seconds - piece.launch.value - piece.per_item.value * items;
    const double work = std::clamp(rest / piece.per_work.value, low, high);
    const double miss = std::abs(kernel_seconds(model, work, items) - seconds);
    if (miss < best_miss) {
      best_miss = miss;
      best = work;
    }
  }
  return best;
}

bool in_range(const core::KernelModel& model, double work) {
  return work >= model.pieces.front().from_work && work <= model.pieces.back().to_work;
}

}  // namespace forelap::models
