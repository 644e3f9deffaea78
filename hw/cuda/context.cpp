#include "hw/cuda/context.hpp"

#include <cuda.h>

#include <string>

#include "core/error.hpp"
#include "hw/cuda/error.hpp"

namespace forelap::hw::cuda {

Context::Context(int ordinal) {
  check(cuDeviceGet(&device_, ordinal), "cuDeviceGet");
  const CUresult result = cuDevicePrimaryCtxRetain(&context_, device_);
  if (result != CUDA_SUCCESS) {
    core::throw_unavailable("CUDA device " + std::to_string(ordinal) +
                            " does not open: cuDevicePrimaryCtxRetain failed: " + words_of(result) +
                            "; another process may hold it alone or fill its memory (see nvidia-smi)");
  }
}

Context::~Context() {
  // Errors mean that the driver has already shut down (end of the process) or lost the device.
  (void)cuDevicePrimaryCtxRelease(device_);
}

void Context::make_current() const {
  check(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

bool Context::try_make_current() const noexcept {
  return cuCtxSetCurrent(context_) == CUDA_SUCCESS;
}

}  // namespace forelap::hw::cuda
