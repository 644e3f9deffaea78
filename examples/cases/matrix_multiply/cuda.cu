// C = A B on one GPU, with CUDA: a block of threads computes a tile of C from tiles of A and B in shared memory, each
// thread a square of it in registers.

#include <cuda_runtime.h>

#include "case.hpp"

namespace {

constexpr int kEach = 4;      // results of a thread, in either direction
constexpr int kThreads = 16;  // threads of a block, in either direction
constexpr int kTile = kEach * kThreads;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

__global__ void multiply(const float* a, const float* b, float* c, int side) {
  __shared__ float left[kThreads][kTile + 1];
  __shared__ float right[kThreads][kTile];
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * kTile + y;
  const int first_column = static_cast<int>(blockIdx.x) * kTile + x;
  float sum[kEach][kEach] = {};
  for (int k = 0; k < side; k += kThreads) {
    for (int i = 0; i < kEach; ++i) {
      const int row = first_row + i * kThreads;
      const int column = first_column + i * kThreads;
      const bool in_a = row < side && k + x < side;
      const bool in_b = k + y < side && column < side;
      left[x][y + i * kThreads] = in_a ? a[static_cast<std::int64_t>(row) * side + k + x] : 0.0F;
      right[y][x + i * kThreads] = in_b ? b[static_cast<std::int64_t>(k + y) * side + column] : 0.0F;
    }
    __syncthreads();
    for (int depth = 0; depth < kThreads; ++depth) {
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[depth][y + i * kThreads] * right[depth][x + j * kThreads];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const int row = first_row + i * kThreads;
      const int column = first_column + j * kThreads;
      if (row < side && column < side) c[static_cast<std::int64_t>(row) * side + column] = sum[i][j];
    }
  }
}

int run(const cases::Options& options) {
  const std::size_t side = static_cast<std::size_t>(options.size);
  const std::size_t count = side * side;
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
  cases::fill_matrix_multiply({a, count}, {b, count});

  const dim3 block(kThreads, kThreads);
  const unsigned tiles = static_cast<unsigned>((options.size + kTile - 1) / kTile);
  const dim3 grid(tiles, tiles);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    check(cudaMemcpyAsync(device_a, a, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    check(cudaMemcpyAsync(device_b, b, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    multiply<<<grid, block, 0, stream>>>(device_a, device_b, device_c, static_cast<int>(side));
    check(cudaGetLastError(), "launch of multiply");
    check(cudaMemcpyAsync(c, device_c, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  const int status =
      cases::report("matrix_multiply with CUDA", options, seconds, cases::check_matrix_multiply({c, count}, side));

  for (float* memory : {device_a, device_b, device_c}) check(cudaFree(memory), "cudaFree");
  for (float* memory : {a, b, c}) check(cudaFreeHost(memory), "cudaFreeHost");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 12800}, run);
}
