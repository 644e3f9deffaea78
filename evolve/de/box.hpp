#pragma once
// The box that a search keeps to, and the parts of it that groups of variables see.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace forelap::evolve::de {

/// Variables of a problem by index, ascending order not required.
using Variables = std::vector<std::uint32_t>;

/// lower[i] <= x[i] <= upper[i]. A variable whose bounds are equal stays at that value.
struct Box {
  std::vector<double> lower, upper;
  [[nodiscard]] std::size_t dimension() const { return lower.size(); }
};

/// The same bounds for every variable.
Box uniform_box(std::size_t dimension, double lower, double upper);

/// Throws core::Error (bad input) that names the variable if the box is empty, a bound is not finite, a range is
/// beyond the largest double, or lower > upper.
void check(const Box& box);

/// The bounds of `variables` alone, in their order.
Box part_of(const Box& box, std::span<const std::uint32_t> variables);

}  // namespace forelap::evolve::de
