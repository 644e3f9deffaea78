#pragma once
// Launches of the kernels of hw/kernels that plans run. Each enqueues on a CUstream; pointers are the device's. Throw
// std::runtime_error with CUDA's words.

#include <cstdint>

namespace forelap::bench {

void launch_matrix_add(void* stream, const float* a, const float* b, float* c, std::int64_t count);
void launch_black_scholes(void* stream, const float* price, const float* strike, const float* years, float* call,
                          float* put, float rate, float volatility, std::int64_t count);
/// The product of `rows` rows of a (side floats each) and b (side x side).
void launch_multiply_rows(void* stream, const float* a, const float* b, float* c, int rows, int side);
/// Rows [first_row, first_row + rows) of an image of side x side points; `image` holds those rows.
void launch_mandelbrot(void* stream, std::int32_t* image, int side, int first_row, int rows, int iterations);

}  // namespace forelap::bench
