#pragma once
// Input and plain references of the kernels of partition.hpp, which says what the functions are asked.

#include "hw/kernels/partition.hpp"

namespace forelap::hw::kernels {

using Values = std::span<const core::Argument>;

bool word_of_matrix_add(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i,
                        std::uint32_t& value);
/// In doubles, with the exact normal distribution.
bool word_of_options(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value);
/// Summed in doubles.
bool word_of_product(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value);
bool word_of_point(PartBuffers buffers, Values arguments, std::size_t position, std::size_t i, std::uint32_t& value);

double work_of_element(Values arguments);
double work_of_option(Values arguments);
double work_of_product(Values arguments);
double work_of_point(Values arguments);

// Large buffers are filled by several threads; what is written depends on the seed alone.

/// Whole and quarter numbers in [-64, 64).
void fill_matrix_add(std::span<std::byte> buffer, std::uint64_t seed);
/// From 5 to 30.
void fill_prices(std::span<std::byte> buffer, std::uint64_t seed);
/// From 1 to 100.
void fill_strikes(std::span<std::byte> buffer, std::uint64_t seed);
/// From 0.25 to 10.
void fill_years(std::span<std::byte> buffer, std::uint64_t seed);
/// Multiples of 1/16 in [-1, 1).
void fill_factors(std::span<std::byte> buffer, std::uint64_t seed);

}  // namespace forelap::hw::kernels
