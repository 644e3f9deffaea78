#pragma once
// The kernels of the native program: the algorithms of the generic kernels in forelap_cases.cpp, as one writes them in
// CUDA. Compiled with the compiler's own choice of fused multiply-adds, as those are.

#include <cstdint>

#include "bench/native/case_run.hpp"

namespace forelap::bench {

static __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}

/// Formula 26.2.17 of Abramowitz and Stegun.
static __device__ __forceinline__ float normal_distribution(float d) {
  const float t = 1.0F / (1.0F + 0.2316419F * fabsf(d));
  const float series =
      t * (0.319381530F + t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  const float tail = 0.398942280F * expf(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
}

static __global__ void price_options(const float* __restrict__ price, const float* __restrict__ strike,
                                     const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put,
                                     float rate, float volatility, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float spread = volatility * sqrtf(years[i]);
  const float d1 = (logf(price[i] / strike[i]) + (rate + 0.5F * volatility * volatility) * years[i]) / spread;
  const float d2 = d1 - spread;
  const float owed = strike[i] * expf(-rate * years[i]);
  call[i] = price[i] * normal_distribution(d1) - owed * normal_distribution(d2);
  put[i] = owed * normal_distribution(-d2) - price[i] * normal_distribution(-d1);
}

static __global__ void multiply_plain(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      std::int64_t rows, std::int64_t side) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i >= rows || j >= side) return;
  float sum = 0.0F;
  for (std::int64_t k = 0; k < side; ++k) sum += a[i * side + k] * b[k * side + j];
  c[i * side + j] = sum;
}

static __global__ void multiply_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      std::int64_t rows, std::int64_t side) {
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * kTile + x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.y) * kTile + y;
  float sum = 0.0F;
  for (std::int64_t k = 0; k < side; k += kTile) {
    left[y][x] = i < rows && k + x < side ? a[i * side + k + x] : 0.0F;
    right[y][x] = k + y < side && j < side ? b[(k + y) * side + j] : 0.0F;
    __syncthreads();
    for (int depth = 0; depth < kTile; ++depth) sum += left[y][depth] * right[depth][x];
    __syncthreads();
  }
  if (i < rows && j < side) c[i * side + j] = sum;
}

static __global__ void draw(std::int32_t* __restrict__ image, std::int64_t rows, std::int64_t side,
                            std::int64_t first_row, int iterations) {
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i >= rows || j >= side) return;
  const float scale = 3.0F / static_cast<float>(side);
  const float x = -2.0F + scale * static_cast<float>(j);
  const float y = -1.5F + scale * static_cast<float>(first_row + i);
  float re = 0.0F;
  float im = 0.0F;
  int n = 0;
  while (n < iterations && re * re + im * im <= 4.0F) {
    const float next = re * re - im * im + x;
    im = 2.0F * re * im + y;
    re = next;
    ++n;
  }
  image[i * side + j] = n;
}

}  // namespace forelap::bench
