// C = A + B on one GPU, with CUDA.

#include <cuda_runtime.h>

#include "case.hpp"

namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

__global__ void add(const float* a, const float* b, float* c, std::int64_t cells) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < cells) c[i] = a[i] + b[i];
}

int run(const cases::Options& options) {
  const std::int64_t cells = options.size * options.size;
  const std::size_t count = static_cast<std::size_t>(cells);
  const std::size_t bytes = count * sizeof(float);
  check(cudaSetDevice(0), "cudaSetDevice");
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");

  float *a, *b, *c;
  check(cudaMallocHost(&a, bytes), "cudaMallocHost");
  check(cudaMallocHost(&b, bytes), "cudaMallocHost");
  check(cudaMallocHost(&c, bytes), "cudaMallocHost");
  float *device_a, *device_b, *device_c;
  check(cudaMalloc(&device_a, bytes), "cudaMalloc");
  check(cudaMalloc(&device_b, bytes), "cudaMalloc");
  check(cudaMalloc(&device_c, bytes), "cudaMalloc");
  cases::fill_matrix_add({a, count}, {b, count});

  const unsigned block = 256;
  const unsigned blocks = static_cast<unsigned>((cells + block - 1) / block);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    check(cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    add<<<blocks, block, 0, stream>>>(device_a, device_b, device_c, cells);
    check(cudaGetLastError(), "launch of add");
    check(cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  const int status = cases::report("matrix_add with CUDA", options, seconds, cases::check_matrix_add({c, count}));

  for (float* memory : {device_a, device_b, device_c}) check(cudaFree(memory), "cudaFree");
  for (float* memory : {a, b, c}) check(cudaFreeHost(memory), "cudaFreeHost");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 20000}, run);
}
