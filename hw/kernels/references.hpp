#pragma once
// What each built-in kernel computes, written plainly and apart from the kernel sources, and the input each is given.
// See library.hpp for what the functions are asked: references are given a buffer and the arguments of a launch, the
// functions called word_... the same and the position of one word of the result, work_... the arguments alone.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/plan.hpp"

namespace forelap::hw::kernels {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;
using Arguments = std::span<const core::Argument>;

void reference_synthetic(Bytes buffer, Arguments arguments);
void reference_vector_add(Bytes buffer, Arguments arguments);
void reference_matrix_multiply(Bytes buffer, Arguments arguments);
void reference_black_scholes(Bytes buffer, Arguments arguments);
void reference_fast_walsh(Bytes buffer, Arguments arguments);
void reference_floyd_warshall(Bytes buffer, Arguments arguments);
void reference_convolution(Bytes buffer, Arguments arguments);
void reference_transpose(Bytes buffer, Arguments arguments);
void reference_dct(Bytes buffer, Arguments arguments);

bool word_of_vector_add(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_matrix_multiply(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_black_scholes(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_fast_walsh(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
/// By Dijkstra's method from the word's row.
bool word_of_floyd_warshall(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_convolution(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_transpose(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);
bool word_of_dct(ConstBytes buffer, Arguments arguments, std::size_t i, std::uint32_t& value);

double work_of_one(Arguments arguments);
double work_by_repeat(Arguments arguments);
double work_of_matrix_multiply(Arguments arguments);
double work_of_fast_walsh(Arguments arguments);
double work_of_floyd_warshall(Arguments arguments);
double work_of_convolution(Arguments arguments);

void fill_integers(Bytes buffer, std::uint64_t seed);
/// Whole and quarter numbers in [-64, 64).
void fill_quarters(Bytes buffer, std::uint64_t seed);
/// Whole numbers in [-8, 8).
void fill_small_whole(Bytes buffer, std::uint64_t seed);
/// Multiples of 1/1024 in [0, 1).
void fill_fractions(Bytes buffer, std::uint64_t seed);
/// Integers from 1 to 1024.
void fill_weights(Bytes buffer, std::uint64_t seed);

}  // namespace forelap::hw::kernels
