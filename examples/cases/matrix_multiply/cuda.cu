// C = A B on one GPU, with CUDA and cuBLAS.

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "case.hpp"

namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

int run(const cases::Options& options) {
  const int side = static_cast<int>(options.size);
  const std::size_t count = static_cast<std::size_t>(options.size * options.size);
  const std::size_t bytes = count * sizeof(float);
  check(cudaSetDevice(0), "cudaSetDevice");
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  cublasHandle_t blas;
  check(cublasCreate(&blas), "cublasCreate");
  check(cublasSetStream(blas, stream), "cublasSetStream");

  float *a, *b, *c;
  check(cudaMallocHost(&a, bytes), "cudaMallocHost");
  check(cudaMallocHost(&b, bytes), "cudaMallocHost");
  check(cudaMallocHost(&c, bytes), "cudaMallocHost");
  float *device_a, *device_b, *device_c;
  check(cudaMalloc(&device_a, bytes), "cudaMalloc");
  check(cudaMalloc(&device_b, bytes), "cudaMalloc");
  check(cudaMalloc(&device_c, bytes), "cudaMalloc");
  cases::fill_matrix_multiply({a, count}, {b, count});

  const float one = 1.0F;
  const float zero = 0.0F;
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    check(cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    // cuBLAS goes by columns: it sees the transposed matrices, and C' = B' A'.
    check(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, device_b, side, device_a, side, &zero,
                      device_c, side),
          "cublasSgemm");
    check(cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  const int status = cases::report("matrix_multiply with CUDA", options, seconds,
                                   cases::check_matrix_multiply({c, count}, options.size));

  for (float* memory : {device_a, device_b, device_c}) check(cudaFree(memory), "cudaFree");
  for (float* memory : {a, b, c}) check(cudaFreeHost(memory), "cudaFreeHost");
  check(cublasDestroy(blas), "cublasDestroy");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 12800}, run);
}
