#pragma once
// Host memory belongs near the device that copies it: pages land on the memory of the core that first touches them.

#include <vector>

#include "hw/device.hpp"

namespace forelap::hw::execute {

/// Binds the calling thread to the cores near `info`'s place on the PCI bus, where the system knows them and the
/// process may use them, until the end of the scope.
class NearDevice {
 public:
  explicit NearDevice(const DeviceInfo& info);
  ~NearDevice();
  NearDevice(const NearDevice&) = delete;
  NearDevice& operator=(const NearDevice&) = delete;

 private:
  std::vector<unsigned> before_;  ///< empty: nothing was changed
};

}  // namespace forelap::hw::execute
