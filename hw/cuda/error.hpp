#pragma once
// The driver's results as core::Error: the call, the driver's name for the error, its words, and what they mean here.

#include <string>
#include <string_view>

namespace forelap::hw::cuda {

/// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)". `result` is a CUresult; works before the driver is started.
std::string words_of(int result);

/// True for errors after which the device's context is lost for this process: a kernel faulted, or the device did.
bool is_fatal(int result);

/// Throws core::Error (device_failed): "CALL failed: WORDS". Where a kernel faulted, the call that meets the error is
/// usually a later one than the call that caused it; the message says so.
[[noreturn]] void throw_failed(int result, std::string_view call);

/// Throws unless `result` is CUDA_SUCCESS (0).
inline void check(int result, const char* call) {
  if (result != 0) throw_failed(result, call);
}

}  // namespace forelap::hw::cuda
