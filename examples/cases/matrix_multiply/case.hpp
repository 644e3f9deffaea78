#pragma once
// C = A B for square matrices of `size` floats a side, row by row: input, and the check of elements spread over C. The
// input is of small whole numbers, so that all sums are exact in any order and results can be compared bit by bit.

#include <cstddef>
#include <span>

#include "../case.hpp"

namespace cases {

inline float left_factor(std::size_t i) {
  return static_cast<float>(i % 7) - 3.0F;
}
inline float right_factor(std::size_t i) {
  return static_cast<float>(i % 5) - 1.0F;
}

inline void fill_matrix_multiply(std::span<float> a, std::span<float> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = left_factor(i);
    b[i] = right_factor(i);
  }
}

inline Outcome check_matrix_multiply(std::span<const float> c, std::int64_t size) {
  const std::size_t side = static_cast<std::size_t>(size);
  Outcome outcome{0, !c.empty()};
  for (const float value : c) outcome.checksum += static_cast<double>(value);
  const std::size_t step = std::max<std::size_t>(1, c.size() / 997);
  for (std::size_t i = 0; i < c.size(); i += step) {
    float expected = 0;
    for (std::size_t k = 0; k < side; ++k) {
      expected += left_factor(i / side * side + k) * right_factor(k * side + i % side);
    }
    if (c[i] != expected) outcome.verified = false;
  }
  return outcome;
}

}  // namespace cases
