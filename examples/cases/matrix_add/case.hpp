#pragma once
// C = A + B for square matrices of `size` floats a side: input, and the check of every element.

#include <cstddef>
#include <span>

#include "../case.hpp"

namespace cases {

inline void fill_matrix_add(std::span<float> a, std::span<float> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = 0.5F * static_cast<float>(i % 77);
  }
}

inline Outcome check_matrix_add(std::span<const float> c) {
  Outcome outcome{0, !c.empty()};
  for (std::size_t i = 0; i < c.size(); ++i) {
    outcome.checksum += static_cast<double>(c[i]);
    if (c[i] != static_cast<float>(i % 1000) + 0.5F * static_cast<float>(i % 77)) outcome.verified = false;
  }
  return outcome;
}

}  // namespace cases
