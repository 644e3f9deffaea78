#pragma once
// Seeded random numbers that split: every purpose has its own stream, named by a key, so that no result depends on
// who draws first. A stream is one 64-bit word of state (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace forelap::evolve::de {

/// Mixes all bits of `word` (the finaliser of SplitMix64, a bijection).
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31);
}

/// What a stream is for; the first number of its key.
enum class Purpose : std::uint64_t { initial = 1, group = 2, island = 3, migration = 4, grouping = 5, function = 6 };

/// The key of the stream for `purpose` and `numbers` (such as group, replica, round) under `seed`.
constexpr std::uint64_t stream_key(std::uint64_t seed, Purpose purpose, std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t key = mix(seed + 0x9E3779B97F4A7C15U);
  const auto add = [&key](std::uint64_t number) {
    // Seed and numbers go in differently, or exchanging them would give the same key.
    key = mix(key + 0x9E3779B97F4A7C15U + mix(number + 0xD1B54A32D192ED03U));
  };
  add(static_cast<std::uint64_t>(purpose));
  for (const std::uint64_t number : numbers) add(number);
  return key;
}

/// One stream. Not thread safe; copies go on independently with the same numbers.
class Random {
 public:
  explicit Random(std::uint64_t key = 0) : state_(key) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    return mix(state_);
  }
  /// In [0, 1), in steps of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [0, count); `count` from 1 to 2^32 (the bias is below count / 2^32).
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }
  /// Normal, by the polar method (Marsaglia and Bray 1964); the second number of a pair is not kept.
  double normal(double mean, double deviation) {
    const Disc point = disc();
    return mean + deviation * point.x * std::sqrt(-2.0 * std::log(point.square) / point.square);
  }
  /// Standard Cauchy: the ratio of the coordinates of a point in a disc, which is that of two normal numbers.
  double cauchy() {
    Disc point = disc();
    while (point.y == 0.0) point = disc();
    return point.x / point.y;
  }

  /// The state, for checkpoints: Random(state()) goes on where this one is.
  [[nodiscard]] std::uint64_t state() const { return state_; }

 private:
  struct Disc {
    double x = 0.0, y = 0.0, square = 0.0;
  };
  /// A point in the unit disc without its centre.
  Disc disc() {
    Disc point;
    do {
      point.x = 2.0 * uniform() - 1.0;
      point.y = 2.0 * uniform() - 1.0;
      point.square = point.x * point.x + point.y * point.y;
    } while (point.square >= 1.0 || point.square == 0.0);
    return point;
  }

  std::uint64_t state_;
};

}  // namespace forelap::evolve::de
