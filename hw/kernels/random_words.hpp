#pragma once
// Random words for the fills. Internal to hw/kernels.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace forelap::hw::kernels {

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): one mixed counter a word.
inline std::uint64_t split_mix(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

/// Writes `make` of random 32-bit words, two from each draw; a tail shorter than a word takes its first bytes. The
/// buffer may be a part of a larger one that begins `first_draw` draws of 8 bytes into it.
template <class Make>
void fill_words(std::span<std::byte> buffer, std::uint64_t seed, Make make, std::size_t first_draw = 0) {
  const std::uint64_t start = split_mix(seed + 1) + first_draw;
  const std::size_t pairs = buffer.size() / 8;
  const auto draw = [&](std::size_t pair, std::byte* target, std::size_t bytes) {
    const std::uint64_t bits = split_mix(start + pair);
    const auto low = make(static_cast<std::uint32_t>(bits));
    const auto high = make(static_cast<std::uint32_t>(bits >> 32U));
    std::byte words[8];
    std::memcpy(words, &low, 4);
    std::memcpy(words + 4, &high, 4);
    std::memcpy(target, words, bytes);
  };
  for (std::size_t pair = 0; pair < pairs; ++pair) draw(pair, buffer.data() + 8 * pair, 8);
  if (buffer.size() % 8 != 0) draw(pairs, buffer.data() + 8 * pairs, buffer.size() % 8);
}

}  // namespace forelap::hw::kernels
