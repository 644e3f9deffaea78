#include "bench/native/cuda_resources.cuh"
#include "bench/native/plan_kernels.hpp"

// As hw/cuda compiles them: one text, the words first.
// clang-format off
#include "hw/kernels/prelude_cuda.inc"
#include "hw/kernels/black_scholes_options.inc"
#include "hw/kernels/mandelbrot.inc"
#include "hw/kernels/matrix_add.inc"
#include "hw/kernels/matrix_multiply_rows.inc"
// clang-format on

namespace forelap::bench {
namespace {

constexpr unsigned kBlock = 256;

unsigned blocks_for(std::int64_t items, std::int64_t block) {
  return static_cast<unsigned>((items + block - 1) / block);
}

cudaStream_t stream_of(void* stream) {
  return static_cast<cudaStream_t>(stream);
}

}  // namespace

void launch_matrix_add(void* stream, const float* a, const float* b, float* c, std::int64_t count) {
  matrix_add<<<blocks_for(count, kBlock), kBlock, 0, stream_of(stream)>>>(a, b, c, count);
  check(cudaGetLastError(), "launch of matrix_add");
}

void launch_black_scholes(void* stream, const float* price, const float* strike, const float* years, float* call,
                          float* put, float rate, float volatility, std::int64_t count) {
  black_scholes_options<<<blocks_for(count, kBlock), kBlock, 0, stream_of(stream)>>>(price, strike, years, call, put,
                                                                                     rate, volatility, count);
  check(cudaGetLastError(), "launch of black_scholes_options");
}

void launch_multiply_rows(void* stream, const float* a, const float* b, float* c, int rows, int side) {
  // A group of 256 makes 128 x 128 elements.
  const dim3 groups(blocks_for(side, 128), blocks_for(rows, 128));
  matrix_multiply_rows<<<groups, kBlock, 0, stream_of(stream)>>>(a, b, c, rows, side, side);
  check(cudaGetLastError(), "launch of matrix_multiply_rows");
}

void launch_mandelbrot(void* stream, std::int32_t* image, int side, int first_row, int rows, int iterations) {
  const unsigned blocks = blocks_for(static_cast<std::int64_t>(rows) * side, kBlock);
  mandelbrot<<<blocks, kBlock, 0, stream_of(stream)>>>(image, side, side, first_row, rows, iterations);
  check(cudaGetLastError(), "launch of mandelbrot");
}

}  // namespace forelap::bench
