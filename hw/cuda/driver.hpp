#pragma once
// The CUDA driver: started once a process, and what it says of itself.

#include <string>

namespace forelap::hw::cuda {

struct DriverState {
  bool ready = false;
  std::string reason;  ///< not ready: why, in the driver's words, and what to do
  int devices = 0;
};

/// Starts the driver on the first call. Before that it asks, unless the user has chosen otherwise in the environment,
/// for kernels to be loaded when their module is (CUDA_MODULE_LOADING: a kernel that is loaded at its first launch can
/// wait for ever behind a closed gate) and for 32 hardware queues (CUDA_DEVICE_MAX_CONNECTIONS: with fewer, streams
/// share one and wait for each other).
const DriverState& driver();

/// "13.0" of 13000.
std::string cuda_version_text(int version);

/// The driver's release and the CUDA version that it supports: "580.65.06, CUDA 13.0".
std::string driver_text();

/// A function of the driver library that older drivers or toolkits lack, or null.
void* optional_function(const char* name);

}  // namespace forelap::hw::cuda
