#pragma once
// When a word of a result is what a reference says. Internal to hw/kernels.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace forelap::hw::kernels {

/// `tolerance` 0: to the bit; else floats that differ by no more than that part of `expected` or of 1, whichever is
/// larger.
inline bool words_agree(double tolerance, std::uint32_t found, std::uint32_t expected) {
  if (tolerance == 0) return found == expected;
  const auto is = static_cast<double>(std::bit_cast<float>(found));
  const auto should = static_cast<double>(std::bit_cast<float>(expected));
  return std::abs(is - should) <= tolerance * std::max(1.0, std::abs(should));
}

}  // namespace forelap::hw::kernels
