#pragma once
// Sizes of buffers that are kept and used again.

#include <bit>
#include <cstdint>
#include <span>

namespace forelap::hw::proxy {

/// `bytes` rounded up to the next of eight steps between powers of two, one page at least, so that buffers of similar
/// tasks fit each other.
constexpr std::uint64_t size_class(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  if (bytes <= kPage) return kPage;
  const std::uint64_t step = std::bit_floor(bytes) / 8;
  return bytes > UINT64_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

/// The sum, or the largest number where it is larger.
constexpr std::uint64_t saturating_sum(std::span<const std::uint64_t> values) {
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
  return sum;
}

}  // namespace forelap::hw::proxy
