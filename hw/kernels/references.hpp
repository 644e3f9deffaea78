#pragma once
// What each built-in kernel computes, written plainly and apart from the kernel sources. See library.hpp.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/plan.hpp"

namespace forelap::hw::kernels {

void reference_synthetic(std::span<std::byte> buffer, std::span<const core::Argument> arguments);
void reference_vector_add(std::span<std::byte> buffer, std::span<const core::Argument> arguments);
void reference_matrix_multiply(std::span<std::byte> buffer, std::span<const core::Argument> arguments);

void fill_integers(std::span<std::byte> buffer, std::uint64_t seed);
/// Whole and quarter numbers in [-64, 64).
void fill_quarters(std::span<std::byte> buffer, std::uint64_t seed);
/// Whole numbers in [-8, 8).
void fill_small_whole(std::span<std::byte> buffer, std::uint64_t seed);

}  // namespace forelap::hw::kernels
