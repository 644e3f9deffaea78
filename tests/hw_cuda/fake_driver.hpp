#pragma once
// A CUDA driver without a GPU: a libcuda.so.1 that runs streams on threads and the kernels of these tests on the host,
// so that the backend is tested on machines that have no device, and against errors that no healthy device shows.

#include <atomic>

namespace forelap::hw::cuda {

/// What the tests make the driver do. Results are CUresult values.
struct FakeDriver {
  std::atomic<int> init_result{0};    ///< of cuInit
  std::atomic<int> version{13000};    ///< of cuDriverGetVersion
  std::atomic<int> devices{2};        ///< of cuDeviceGetCount
  std::atomic<int> pin_result{0};     ///< of cuMemHostAlloc
  std::atomic<int> load_result{0};    ///< of cuModuleLoadDataEx
  std::atomic<int> open_result{0};    ///< of cuDevicePrimaryCtxRetain
  std::atomic<int> part_result{0};    ///< of cuDeviceGetDevResource
  std::atomic<int> part_streams{0};   ///< streams made for a part of the device
  std::atomic<bool> let_go{false};    ///< gate kernels end at once, as after their time limit
  std::atomic<long> live_objects{0};  ///< memory, streams, events and modules that were made and not destroyed
};

}  // namespace forelap::hw::cuda

/// The one of the process; looked up with dlsym in the library that was loaded.
extern "C" forelap::hw::cuda::FakeDriver* forelap_fake_driver();
