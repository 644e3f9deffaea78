#pragma once
// The backends of this build, each loaded the first time it is asked for.

#include <memory>
#include <string>
#include <vector>

#include "hw/device.hpp"

namespace forelap::hw {

/// Status of every backend, in the order of preference: cuda, opencl, cpu. Never throws for a missing one.
std::vector<BackendStatus> all_backends();

/// One backend by name ("cuda", "opencl", "cpu"), or throws core::Error: bad_input for an unknown name, unavailable
/// with the reason where it is not ready.
Backend& backend(const std::string& name);

/// How a user names devices: "cuda", "cuda:1", "cuda:0/sms=66" (a part of its multiprocessors), "opencl:0", "cpu",
/// "cpu:0-3" (cores), or "auto": the first usable of a CUDA GPU, an OpenCL GPU, an OpenCL CPU device, the CPU pool.
struct ChosenDevice {
  std::shared_ptr<Device> device;
  std::string spec;    ///< the specification that names it exactly, such as "opencl:0"
  std::string reason;  ///< why it was chosen, for `auto`
};
/// Throws core::Error: bad_input where the index does not exist (it says which do), unavailable where nothing is
/// usable.
ChosenDevice open_device(const std::string& spec);

}  // namespace forelap::hw
