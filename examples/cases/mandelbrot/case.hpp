#pragma once
// An image of the Mandelbrot set of `size` x `size` points of [-2, 1] x [-1.5, 1.5]: for each point the number of
// iterations until it is known to be outside, kIterations where it never is. The check computes points spread over the
// image again and wants 97 in 100 of them to be the same: near the border of the set a count hangs on how each step is
// rounded, and compilers fuse different multiplications and additions.

#include <cstddef>
#include <cstdint>
#include <span>

#include "../case.hpp"

namespace cases {

constexpr int kIterations = 60000;

inline int iterations_of(float x, float y) {
  float re = 0, im = 0;
  int n = 0;
  for (; n < kIterations && re * re + im * im <= 4.0F; ++n) {
    const float next = re * re - im * im + x;
    im = 2.0F * re * im + y;
    re = next;
  }
  return n;
}

inline Outcome check_mandelbrot(std::span<const std::int32_t> image, std::int64_t size) {
  const std::size_t side = static_cast<std::size_t>(size);
  Outcome outcome{0, !image.empty()};
  for (const std::int32_t count : image) outcome.checksum += count;
  const float scale = 3.0F / static_cast<float>(side);
  std::size_t checked = 0;
  std::size_t wrong = 0;
  const std::size_t step = std::max<std::size_t>(1, image.size() / 997);
  for (std::size_t i = 0; i < image.size(); i += step) {
    const float x = -2.0F + scale * static_cast<float>(i % side);
    const float y = -1.5F + scale * static_cast<float>(i / side);
    ++checked;
    if (image[i] != iterations_of(x, y)) ++wrong;
  }
  if (wrong * 100 > checked * 3) outcome.verified = false;
  return outcome;
}

}  // namespace cases
