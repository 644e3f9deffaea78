#pragma once
// A small generator of random numbers with the same sequence on every machine and with every standard library (the
// distributions of <random> differ between libraries).

#include <array>
#include <bit>
#include <cstdint>

namespace forelap::evolve::gp {

/// One step of SplitMix64 (Steele, Lea and Flood 2014); also a good mixer of seeds.
inline std::uint64_t mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// xoshiro256** (Blackman and Vigna 2018), seeded by a seed and a stream: the same pair gives the same sequence, other
/// streams of one seed are independent for all that matters here.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t mixer = seed;
    mixer = mix(mixer) ^ (stream * 0xda942042e4dd58b5U);
    for (std::uint64_t& word : state_) word = mix(mixer);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5U, 7) * 9U;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound); bound > 0. Without bias: draws that would favour small values are drawn again.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t value = next();
    while (value < unfair) value = next();
    return value % bound;
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace forelap::evolve::gp
