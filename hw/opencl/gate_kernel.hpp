#pragma once
// A gate that is a kernel: one work-item polls a word of device memory until the host writes it. Queues that wait for
// the kernel's event are released by the device itself. Beside user events, because NVIDIA's OpenCL hands commands that
// wait for a user event to the device queue by queue when it is set, not in the order of the calls: with many copies in
// ahead, copies out then start behind all of them (measured on an H200, 13 % of a group's time).

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hw/opencl/context.hpp"

namespace forelap::hw::opencl {

/// Not thread-safe. Used many times, one closing at a time. Reading its own parts needs room for one small kernel
/// beside others; only for devices that run kernels of several queues side by side.
class GateKernel {
 public:
  /// Throws core::Error where the kernel does not build.
  explicit GateKernel(Context& context);

  /// Starts the kernel and returns its event: what waits for it is held back. A gate that nobody opens lets go by
  /// itself after some 5 s, so that an error on the host never leaves the device polling.
  EventHandle close(Context& context);
  void open(Context& context);
  /// After the kernel has ended: whether it let go by itself.
  bool let_go(Context& context);

 private:
  QueueHandle polling_;
  QueueHandle opening_;
  MemoryHandle words_;  ///< int: 0 closed, 1 open; int: 1 where the gate has let go
  KernelHandle kernel_;
};

/// Gate kernels of a device that no run uses at the moment. Thread-safe.
class GateKernels {
 public:
  std::unique_ptr<GateKernel> take(Context& context);
  void give_back(std::unique_ptr<GateKernel> kernel);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<GateKernel>> idle_;
};

}  // namespace forelap::hw::opencl
