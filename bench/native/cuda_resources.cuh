#pragma once
// What the native program takes from CUDA, given back by destructors. Throws std::runtime_error with CUDA's words.

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace forelap::bench {

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + " failed: " + cudaGetErrorString(status));
}
inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed: " + cublasGetStatusString(status));
  }
}

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  ~Stream() { (void)cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A mark in a stream: the time at which the device came by, or only a point to wait for.
class Mark {
 public:
  explicit Mark(bool timed) {
    check(cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming), "cudaEventCreate");
  }
  ~Mark() { (void)cudaEventDestroy(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void hold(cudaStream_t stream) { check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent"); }
  [[nodiscard]] double seconds_since(const Mark& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Bytes that lie in pinned host memory and in the device's.
class Mirror {
 public:
  explicit Mirror(std::size_t bytes) : bytes_(bytes) {
    check(cudaMallocHost(&host_, bytes), "cudaMallocHost");
    const cudaError_t status = cudaMalloc(&device_, bytes);
    if (status != cudaSuccess) (void)cudaFreeHost(host_);
    check(status, "cudaMalloc");
  }
  ~Mirror() {
    (void)cudaFree(device_);
    (void)cudaFreeHost(host_);
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  template <class T>
  [[nodiscard]] T* host() const {
    return static_cast<T*>(host_);
  }
  template <class T>
  [[nodiscard]] T* device() const {
    return static_cast<T*>(device_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* host_ = nullptr;
  void* device_ = nullptr;
};

class Blas {
 public:
  Blas() { check(cublasCreate(&handle_), "cublasCreate"); }
  ~Blas() { (void)cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace forelap::bench
