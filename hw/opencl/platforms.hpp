#pragma once
// The devices of all OpenCL platforms.

#include <string>
#include <vector>

#include "hw/device.hpp"
#include "hw/opencl/handles.hpp"

namespace forelap::hw::opencl {

struct FoundDevice {
  cl_device_id id = nullptr;
  DeviceInfo info;
};

/// All usable devices, platform by platform; where there is none, `reason` says why.
struct FoundDevices {
  std::vector<FoundDevice> devices;
  std::string reason;
};

FoundDevices find_devices();

}  // namespace forelap::hw::opencl
