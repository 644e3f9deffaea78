// Prices of options by Black and Scholes on one GPU, with CUDA.

#include <cuda_runtime.h>

#include "case.hpp"

namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// Formula 26.2.17 of Abramowitz and Stegun.
__device__ float normal_distribution(float d) {
  const float t = 1.0F / (1.0F + 0.2316419F * fabsf(d));
  const float series =
      t * (0.319381530F + t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  const float tail = 0.398942280F * expf(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
}

__global__ void price_options(const float* price, const float* strike, const float* years, float* call, float* put,
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

int run(const cases::Options& options) {
  const std::size_t count = static_cast<std::size_t>(options.size);
  const std::size_t bytes = count * sizeof(float);
  check(cudaSetDevice(0), "cudaSetDevice");
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");

  float *price, *strike, *years, *call, *put;
  check(cudaMallocHost(&price, bytes), "cudaMallocHost");
  check(cudaMallocHost(&strike, bytes), "cudaMallocHost");
  check(cudaMallocHost(&years, bytes), "cudaMallocHost");
  check(cudaMallocHost(&call, bytes), "cudaMallocHost");
  check(cudaMallocHost(&put, bytes), "cudaMallocHost");
  float *device_price, *device_strike, *device_years, *device_call, *device_put;
  check(cudaMalloc(&device_price, bytes), "cudaMalloc");
  check(cudaMalloc(&device_strike, bytes), "cudaMalloc");
  check(cudaMalloc(&device_years, bytes), "cudaMalloc");
  check(cudaMalloc(&device_call, bytes), "cudaMalloc");
  check(cudaMalloc(&device_put, bytes), "cudaMalloc");
  cases::fill_black_scholes({price, count}, {strike, count}, {years, count});

  const unsigned block = 256;
  const unsigned blocks = static_cast<unsigned>((options.size + block - 1) / block);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    check(cudaMemcpyAsync(device_price, price, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(device_strike, strike, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(device_years, years, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    price_options<<<blocks, block, 0, stream>>>(device_price, device_strike, device_years, device_call, device_put,
                                                cases::kRate, cases::kVolatility, options.size);
    check(cudaGetLastError(), "launch of price_options");
    check(cudaMemcpyAsync(call, device_call, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(put, device_put, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  const int status = cases::report(
      "black_scholes with CUDA", options, seconds,
      cases::check_black_scholes({price, count}, {strike, count}, {years, count}, {call, count}, {put, count}));

  for (float* memory : {device_price, device_strike, device_years, device_call, device_put}) {
    check(cudaFree(memory), "cudaFree");
  }
  for (float* memory : {price, strike, years, call, put}) check(cudaFreeHost(memory), "cudaFreeHost");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 300000000}, run);
}
