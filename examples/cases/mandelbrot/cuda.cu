// The Mandelbrot set on one GPU, with CUDA.

#include <cuda_runtime.h>

#include "case.hpp"

namespace {

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

__global__ void draw(std::int32_t* image, int side, int iterations) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= side || row >= side) return;
  const float scale = 3.0F / static_cast<float>(side);
  const float x = -2.0F + scale * static_cast<float>(column);
  const float y = -1.5F + scale * static_cast<float>(row);
  float re = 0.0F, im = 0.0F;
  int n = 0;
  while (n < iterations && re * re + im * im <= 4.0F) {
    const float next = re * re - im * im + x;
    im = 2.0F * re * im + y;
    re = next;
    ++n;
  }
  image[static_cast<std::int64_t>(row) * side + column] = n;
}

int run(const cases::Options& options) {
  const int side = static_cast<int>(options.size);
  const std::size_t count = static_cast<std::size_t>(options.size * options.size);
  const std::size_t bytes = count * sizeof(std::int32_t);
  check(cudaSetDevice(0), "cudaSetDevice");
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  std::int32_t *image, *device_image;
  check(cudaMallocHost(&image, bytes), "cudaMallocHost");
  check(cudaMalloc(&device_image, bytes), "cudaMalloc");

  const dim3 block(32, 8);
  const dim3 grid((static_cast<unsigned>(side) + block.x - 1) / block.x,
                  (static_cast<unsigned>(side) + block.y - 1) / block.y);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    draw<<<grid, block, 0, stream>>>(device_image, side, cases::kIterations);
    check(cudaGetLastError(), "launch of draw");
    check(cudaMemcpyAsync(image, device_image, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  });
  const int status =
      cases::report("mandelbrot with CUDA", options, seconds, cases::check_mandelbrot({image, count}, options.size));

  check(cudaFree(device_image), "cudaFree");
  check(cudaFreeHost(image), "cudaFreeHost");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 2048}, run);
}
