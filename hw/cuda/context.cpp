#include "hw/cuda/context.hpp"

#include <cuda.h>

#include <string>

#include "core/error.hpp"
#include "hw/cuda/error.hpp"

namespace forelap::hw::cuda {

Context::Context(int ordinal, unsigned multiprocessors) {
  check(cuDeviceGet(&device_, ordinal), "cuDeviceGet");
  const CUresult result = cuDevicePrimaryCtxRetain(&context_, device_);
  if (result != CUDA_SUCCESS) {
    core::throw_unavailable("CUDA device " + std::to_string(ordinal) +
                            " does not open: cuDevicePrimaryCtxRetain failed: " + words_of(result) +
                            "; another process may hold it alone or fill its memory (see nvidia-smi)");
  }
  if (multiprocessors == 0) return;
  try {
    part_ = std::make_unique<Part>(device_, multiprocessors);
  } catch (...) {
    (void)cuDevicePrimaryCtxRelease(device_);
    throw;
  }
}

Context::~Context() {
  part_.reset();
  // Errors mean that the driver has already shut down (end of the process) or lost the device.
  (void)cuDevicePrimaryCtxRelease(device_);
}

void Context::make_current() const {
  check(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

StreamHandle Context::make_stream() const {
  if (part_) return part_->make_stream();
  StreamHandle stream = nullptr;
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

bool Context::try_make_current() const noexcept {
  return cuCtxSetCurrent(context_) == CUDA_SUCCESS;
}

}  // namespace forelap::hw::cuda
