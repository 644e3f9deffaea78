#include "hw/cuda/error.hpp"

#include <cuda.h>

#include "core/error.hpp"

namespace forelap::hw::cuda {

std::string words_of(int result) {
  const auto code = static_cast<CUresult>(result);
  const char* name = nullptr;
  const char* words = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) {
    return "CUDA error " + std::to_string(result);
  }
  if (cuGetErrorString(code, &words) != CUDA_SUCCESS || words == nullptr) return name;
  return std::string(name) + " (" + words + ")";
}

bool is_fatal(int result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return true;
    default:
      return false;
  }
}

void throw_failed(int result, std::string_view call) {
  std::string message = std::string(call) + " failed: " + words_of(result);
  if (is_fatal(result)) {
    message +=
        ". A command that was enqueued earlier faulted on the device (a kernel that reads or writes outside its "
        "buffers, most often); this process can no longer use the device: correct the kernel and start again";
  }
  core::throw_device_failed(message);
}

}  // namespace forelap::hw::cuda
