#include "hw/kernels/references.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace forelap::hw::kernels {
namespace {

template <class T>
T load(std::span<const std::byte> buffer, std::size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::span<std::byte> buffer, std::size_t i, T value) {
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}

/// A number argument that counts something; negative counts as none.
std::size_t count_of(const core::Argument& argument) {
  return static_cast<std::size_t>(std::max(0, std::get<std::int32_t>(argument)));
}

std::uint32_t power(std::uint32_t base, std::size_t exponent) {
  std::uint32_t result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1U) result *= base;
  }
  return result;
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): one mixed counter a word.
std::uint64_t split_mix(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

/// Writes `make` of random 32-bit words, two from each draw; a tail shorter than a word takes its first bytes.
template <class Make>
void fill_words(std::span<std::byte> buffer, std::uint64_t seed, Make make) {
  const std::uint64_t start = split_mix(seed + 1);
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

}  // namespace

void reference_synthetic(std::span<std::byte> buffer, std::span<const core::Argument> arguments) {
  const std::size_t n = std::min(count_of(arguments[1]), buffer.size() / 4);
  const auto factor = static_cast<std::uint32_t>(std::get<std::int32_t>(arguments[3]));
  const std::uint32_t total = power(factor, count_of(arguments[2]));
  for (std::size_t i = 0; i < n; ++i) store(buffer, i, load<std::uint32_t>(buffer, i) * total);
}

void reference_vector_add(std::span<std::byte> buffer, std::span<const core::Argument> arguments) {
  const std::size_t part = count_of(arguments[1]);
  const std::size_t repeat = count_of(arguments[2]);
  for (std::size_t i = 0; i < part; ++i) {
    const float sum = load<float>(buffer, i) + load<float>(buffer, part + i);
    float value = 0;
    for (std::size_t r = 0; r < repeat; ++r) {
      const float next = value / 2 + sum;
      // The sequence is monotone towards its fixed point; from there on nothing changes.
      if (next == value) break;
      value = next;
    }
    store(buffer, 2 * part + i, value);
  }
}

void reference_matrix_multiply(std::span<std::byte> buffer, std::span<const core::Argument> arguments) {
  const std::size_t side = count_of(arguments[1]);
  const std::size_t repeat = count_of(arguments[2]);
  std::vector<float> row_of_c(side);
  for (std::size_t row = 0; row < side; ++row) {
    std::fill(row_of_c.begin(), row_of_c.end(), 0.0F);
    for (std::size_t r = 0; r < repeat; ++r) {
      for (float& value : row_of_c) value /= 2;
      for (std::size_t k = 0; k < side; ++k) {
        const float a = load<float>(buffer, row * side + k);
        for (std::size_t column = 0; column < side; ++column) {
          row_of_c[column] += a * load<float>(buffer, side * side + k * side + column);
        }
      }
    }
    for (std::size_t column = 0; column < side; ++column) {
      store(buffer, 2 * side * side + row * side + column, row_of_c[column]);
    }
  }
}

void fill_integers(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_words(buffer, seed, [](std::uint32_t bits) { return bits; });
}

void fill_quarters(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_words(buffer, seed,
             [](std::uint32_t bits) { return static_cast<float>(static_cast<int>(bits & 511U) - 256) * 0.25F; });
}

void fill_small_whole(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_words(buffer, seed, [](std::uint32_t bits) { return static_cast<float>(static_cast<int>(bits & 15U) - 8); });
}

}  // namespace forelap::hw::kernels
