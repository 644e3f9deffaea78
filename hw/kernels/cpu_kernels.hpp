#pragma once
// The built-in kernels compiled for the CPU from the same sources.

#include <cstddef>
#include <cstdint>
#include <span>

namespace forelap::hw::kernels {

using CpuRange = void (*)(std::size_t begin, std::size_t end, std::span<void* const> arguments);

/// What the CPU build of a kernel knows of it: how to run a range and, for each parameter, the position of its type in
/// core::Argument.
struct CpuKernel {
  CpuRange run;
  std::span<const std::uint8_t> parameters;
};

CpuKernel synthetic_on_cpu();
CpuKernel vector_add_on_cpu();
CpuKernel matrix_multiply_on_cpu();
CpuKernel black_scholes_on_cpu();
CpuKernel fast_walsh_on_cpu();
CpuKernel floyd_warshall_on_cpu();
CpuKernel convolution_on_cpu();
CpuKernel transpose_on_cpu();
CpuKernel dct_on_cpu();

}  // namespace forelap::hw::kernels
