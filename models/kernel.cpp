#include "models/kernel.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/interference.hpp"

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

double side_by_side_stretch(double fill, std::uint32_t count) {
  RateTable device;
  device.set_capacity(core::ActivityClass::kernel, 1);
  std::vector<double> left(count, 1), share(count);
  double time = 0;
  for (std::size_t first = 0; first < left.size();) {
    double earlier = 0;
    double until = std::numeric_limits<double>::infinity();
    for (std::size_t i = first; i < left.size(); ++i, earlier += fill) {
      share[i] = device.kernel_share(earlier, fill);
      if (share[i] > 0) until = std::min(until, left[i] / share[i]);
    }
    time += until;
    constexpr double kNothing = 1e-12;
    for (std::size_t i = first; i < left.size(); ++i) left[i] -= until * share[i];
    // An earlier one has no less behind it than a later one.
    while (first < left.size() && left[first] <= kNothing) ++first;
  }
  return time;
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
