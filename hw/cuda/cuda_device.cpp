#include "hw/cuda/cuda_device.hpp"

#include <cuda.h>

#include <array>
#include <optional>
#include <utility>

#include "hw/cuda/context.hpp"
#include "hw/cuda/driver.hpp"
#include "hw/cuda/error.hpp"
#include "hw/cuda/events.hpp"
#include "hw/cuda/gate.hpp"
#include "hw/cuda/kernel.hpp"
#include "hw/cuda/memory.hpp"
#include "hw/cuda/queue.hpp"
#include "hw/cuda/system_files.hpp"
#include "hw/host/pci.hpp"

namespace forelap::hw::cuda {
namespace {

/// Events made ready when a device is opened: enough for a run of a few hundred steps without creating one.
constexpr std::size_t kReadyEvents = 256;

int attribute(CUdevice_attribute which, CUdevice device) {
  int value = 0;
  check(cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

/// Compute capability times ten: 90 for 9.0.
int capability_of(int ordinal) {
  CUdevice device = 0;
  check(cuDeviceGet(&device, ordinal), "cuDeviceGet");
  return attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) * 10 +
         attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int ordinal, DeviceInfo info, unsigned multiprocessors)
      : info_(std::move(info)),
        node_(memory_node(info_.pci_address)),
        context_(std::make_shared<Context>(ordinal, multiprocessors)),
        events_(std::make_shared<EventPool>(context_, kReadyEvents)),
        gates_(std::make_shared<GatePool>(context_, capability_of(ordinal))),
        kernels_(context_, capability_of(ordinal)) {
    if (context_->part() == nullptr) return;
    // Another name: what is calibrated on a part does not hold for the whole.
    const unsigned granted = context_->part()->granted();
    info_.identity.name +=
        " (" + std::to_string(granted) + " of " + std::to_string(info_.identity.compute_units) + " multiprocessors)";
    info_.identity.compute_units = granted;
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) override {
    return allocate_host_memory(context_, node_, bytes, kind);
  }
  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    return std::make_unique<CudaMemory>(context_, bytes);
  }
  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) override {
    return kernels_.build(name, source);
  }
  /// The driver chooses the engine by the command itself; every queue is alike.
  std::unique_ptr<Queue> make_queue(core::LaneKind, core::Direction) override {
    return std::make_unique<CudaQueue>(context_, events_);
  }
  std::unique_ptr<Gate> make_gate() override { return std::make_unique<CudaGate>(gates_, events_); }

 private:
  DeviceInfo info_;
  std::optional<unsigned> node_;
  std::shared_ptr<Context> context_;
  std::shared_ptr<EventPool> events_;
  std::shared_ptr<GatePool> gates_;
  KernelBuilder kernels_;
};

}  // namespace

DeviceInfo describe(int ordinal) {
  CUdevice device = 0;
  check(cuDeviceGet(&device, ordinal), "cuDeviceGet");
  std::array<char, 256> name{};
  check(cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device), "cuDeviceGetName");
  std::size_t memory = 0;
  check(cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem");
  DeviceInfo info;
  info.identity.backend = "cuda";
  info.identity.name = name.data();
  info.identity.driver = driver_text();
  info.identity.compute_units = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  info.memory_bytes = memory;
  info.largest_allocation = memory;  // the driver sets no limit of its own
  info.claimed_copy_engines = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, device));
  info.is_gpu = true;
  info.pci_address = host::pci_address(static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device)),
                                       static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device)),
                                       static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device)), 0);
  info.link = host::pci_link("/", info.pci_address);
  return info;
}

std::shared_ptr<Device> open_device(int ordinal, unsigned multiprocessors) {
  DeviceInfo info = describe(ordinal);
  // All of them: the whole device, which needs no driver that can divide it.
  const bool whole = multiprocessors == info.identity.compute_units;
  return std::make_shared<CudaDevice>(ordinal, std::move(info), whole ? 0 : multiprocessors);
}

}  // namespace forelap::hw::cuda
