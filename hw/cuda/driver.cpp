#include "hw/cuda/driver.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <optional>

#include "core/text.hpp"
#include "hw/cuda/error.hpp"
#include "hw/cuda/system_files.hpp"

namespace forelap::hw::cuda {
namespace {

/// What to do about an error of cuInit.
std::string advice_for(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "no NVIDIA GPU is visible here; check nvidia-smi and the environment variable CUDA_VISIBLE_DEVICES";
    case CUDA_ERROR_STUB_LIBRARY:
      return "the libcuda.so.1 found is the toolkit's stub: take its folder out of LD_LIBRARY_PATH";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "libcuda.so.1 and the kernel's NVIDIA driver are of different versions: install the driver again or "
             "restart";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "the system's GPU services are not running (nvidia-fabricmanager, on machines with NVSwitch)";
    default:
      return "check that nvidia-smi works for this user";
  }
}

/// The driver's release, such as "580.65.06", or empty.
std::string release() {
  if (const auto version = first_line("/sys/module/nvidia/version"); version && !version->empty()) return *version;
  const auto line = first_line("/proc/driver/nvidia/version");
  if (!line) return {};
  for (const std::string& word : core::split(*line, ' ')) {
    const bool starts_with_digit = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (starts_with_digit && word.find('.') != std::string::npos) return word;
  }
  return {};
}

int supported_version() {
  int version = 0;
  return cuDriverGetVersion(&version) == CUDA_SUCCESS ? version : 0;
}

DriverState start() {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  DriverState state;
  const CUresult result = cuInit(0);
  if (result != CUDA_SUCCESS) {
    state.reason = "cuInit failed: " + words_of(result) + "; " + advice_for(result);
    return state;
  }
  // Within one major version a toolkit works with an older driver; across two it does not.
  const int version = supported_version();
  if (version / 1000 < CUDA_VERSION / 1000) {
    state.reason = "the driver is older than the toolkit: it supports CUDA " + cuda_version_text(version) +
                   ", and this program was built with CUDA " + cuda_version_text(CUDA_VERSION) +
                   "; update the driver, or build with a toolkit of its major version";
    return state;
  }
  const CUresult counted = cuDeviceGetCount(&state.devices);
  if (counted != CUDA_SUCCESS || state.devices == 0) {
    state.devices = 0;
    state.reason = "the driver finds no CUDA device" +
                   (counted == CUDA_SUCCESS ? std::string() : " (" + words_of(counted) + ")") + "; " +
                   advice_for(CUDA_ERROR_NO_DEVICE);
    return state;
  }
  state.ready = true;
  return state;
}

}  // namespace

const DriverState& driver() {
  static const DriverState state = start();
  return state;
}

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_text() {
  const std::string words = "CUDA " + cuda_version_text(supported_version());
  const std::string number = release();
  return number.empty() ? words : number + ", " + words;
}

void* optional_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace forelap::hw::cuda
