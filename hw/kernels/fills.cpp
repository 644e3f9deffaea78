#include "hw/kernels/random_words.hpp"
#include "hw/kernels/references.hpp"

namespace forelap::hw::kernels {

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

void fill_fractions(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_words(buffer, seed, [](std::uint32_t bits) { return static_cast<float>(bits & 1023U) / 1024; });
}

void fill_weights(std::span<std::byte> buffer, std::uint64_t seed) {
  fill_words(buffer, seed, [](std::uint32_t bits) { return (bits & 1023U) + 1; });
}

}  // namespace forelap::hw::kernels
