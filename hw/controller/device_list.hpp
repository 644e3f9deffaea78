#pragma once
// The list of devices that a controller is made from.

#include <memory>
#include <string>
#include <vector>

#include "hw/controller/kernel_definition.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/device.hpp"

namespace forelap::hw::controller {

/// One device of a controller, opened: a device that computes in its own memory, or a group of cores that computes in
/// the host's.
struct OpenedDevice {
  std::string spec;  ///< as it was given: "cuda:0"
  std::string name;  ///< what it is: "NVIDIA H200"
  DeviceKind kind = DeviceKind::cpu;
  std::shared_ptr<Device> device;  ///< null for cores
  std::vector<unsigned> cores;     ///< of a group of cores
};

/// The cores of each CPU specification of the list, in its order; of other devices none. "cpu:0-3" takes these cores,
/// "cpu:cores=4" the first four that no other group takes, "cpu" (one at most) all that are left. Throws core::Error
/// (bad_input) naming what is wrong: cores that are not among `budget`'s, that two groups take, or too few of them.
std::vector<std::vector<unsigned>> cores_of(const std::vector<std::string>& specs, const cpu::CoreBudget& budget);

/// Opens all devices. Throws core::Error: bad_input for an empty list, a device that stands twice, and as `cores_of`;
/// unavailable where one does not open.
std::vector<OpenedDevice> open_devices(const std::vector<std::string>& specs);

}  // namespace forelap::hw::controller
