#include "hw/execute/near_device.hpp"

#include "hw/cpu/binding.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/host/pci.hpp"

namespace forelap::hw::execute {

NearDevice::NearDevice(const DeviceInfo& info) {
  if (info.pci_address.empty()) return;
  std::vector<unsigned> all = cpu::core_budget().cores;
  const std::vector<unsigned> near = cpu::cores_among(host::pci_near_cores("/", info.pci_address), all);
  if (near.empty() || near.size() == all.size()) return;
  if (cpu::binding().bind_thread(near)) before_ = std::move(all);
}

NearDevice::~NearDevice() {
  if (!before_.empty()) cpu::binding().bind_thread(before_);
}

}  // namespace forelap::hw::execute
