#include "core/machine.hpp"

namespace forelap::core {

const TransferModel* find_transfer(const DeviceModel& device, Direction direction, MemoryKind memory) {
  for (const TransferModel& model : device.transfers) {
    if (model.direction == direction && model.memory == memory) return &model;
  }
  return nullptr;
}

const KernelModel* find_kernel(const DeviceModel& device, std::string_view name) {
  for (const KernelModel& model : device.kernels) {
    if (model.kernel == name) return &model;
  }
  return nullptr;
}

bool is_ideal(const DeviceModel& device) {
  return device.transfers.empty();
}

}  // namespace forelap::core
