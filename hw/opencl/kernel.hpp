#pragma once
// Kernels of an OpenCL device.

#include <memory>
#include <mutex>
#include <string>

#include "core/executor.hpp"
#include "hw/device.hpp"
#include "hw/kernels/library.hpp"
#include "hw/opencl/context.hpp"

namespace forelap::hw::opencl {

/// Compiles `source` for the device. Throws core::Error (bad_input) with the compiler's log.
ProgramHandle compile(Context& context, const std::string& text, const std::string& options, const std::string& origin);

class ClKernel : public Kernel {
 public:
  /// Throws core::Error (bad_input) naming the functions there are, where `entry` is none of them.
  /// `form`: how it is launched, where that is not as a launch says (null).
  ClKernel(Context& context, const ProgramHandle& program, const std::string& entry, const std::string& origin,
           const kernels::DeviceForm* form = nullptr);

  /// Sets the arguments and enqueues the launch, which waits for `waits`; returns its event, null without `with_event`.
  /// Thread-safe.
  EventHandle enqueue(Context& context, cl_command_queue queue, std::span<const ResolvedArgument> arguments,
                      const core::KernelCall& shape, std::span<const cl_event> waits, bool with_event = true);

 private:
  void set_arguments(std::span<const ResolvedArgument> arguments);

  std::string name_;
  const kernels::DeviceForm* form_;
  std::mutex mutex_;  ///< arguments are part of the kernel object
  KernelHandle kernel_;
  cl_uint parameters_ = 0;
  std::size_t largest_group_ = 1;
};

}  // namespace forelap::hw::opencl
