#include "hw/execute/resources.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "hw/execute/near_device.hpp"

namespace forelap::hw::execute {

Resources::Resources(std::vector<std::shared_ptr<Device>> devices) : devices_(std::move(devices)) {}

bool Resources::same_backend(std::size_t a, std::size_t b) const {
  return devices_[a]->info().identity.backend == devices_[b]->info().identity.backend;
}

std::shared_ptr<Queue> Resources::queue(std::size_t device, core::LaneKind purpose, core::Direction direction,
                                        std::size_t ordinal) {
  std::shared_ptr<Queue>& entry = queues_[{device, purpose, direction, ordinal}];
  if (!entry) entry = devices_[device]->make_queue(purpose, direction);
  return entry;
}

std::shared_ptr<Kernel> Resources::kernel(std::size_t device, const std::string& name,
                                          const core::KernelSource& source) {
  std::shared_ptr<Kernel>& entry = kernels_[{device, name, source.text, source.entry, source.options}];
  if (!entry) entry = devices_[device]->build(name, source);
  return entry;
}

std::shared_ptr<BufferMemory> Resources::memory(std::size_t buffer, std::size_t device, std::uint64_t bytes,
                                                core::MemoryKind kind) {
  const BufferKey key = {buffer, device, kind};
  const auto found = memory_.find(key);
  if (found != memory_.end() && found->second->device()->size() >= bytes &&
      found->second->host->bytes().size() >= bytes) {
    return found->second;
  }
  // A plan still alive may use the smaller memory; otherwise it is given back before more is asked for.
  if (found != memory_.end()) memory_.erase(found);
  std::shared_ptr<BufferMemory> made;
  try {
    made = allocate(device, bytes, kind);
  } catch (const core::Error&) {
    forget_unused_memory();
    made = allocate(device, bytes, kind);
  }
  memory_[key] = made;
  return made;
}

std::shared_ptr<BufferMemory> Resources::allocate(std::size_t device, std::uint64_t bytes, core::MemoryKind kind) {
  const std::uint64_t some = std::max<std::uint64_t>(bytes, 1);
  const NearDevice near(devices_[device]->info());
  auto memory = std::make_shared<BufferMemory>();
  memory->device_index = device;
  memory->bytes = bytes;
  memory->slot = std::make_shared<DeviceSlot>();
  memory->slot->memory = devices_[device]->allocate(some);
  memory->host = devices_[device]->allocate_host(some, kind);
  return memory;
}

std::shared_ptr<HostBlock> Resources::host_block(std::size_t buffer, std::uint64_t bytes, core::MemoryKind kind) {
  std::shared_ptr<HostBlock>& entry = blocks_[{buffer, kind}];
  if (entry && entry->memory->bytes().size() >= bytes) return entry;
  entry.reset();
  std::shared_ptr<HostBlock> made;
  try {
    made = allocate_block(bytes, kind);
  } catch (const core::Error&) {
    forget_unused_memory();
    made = allocate_block(bytes, kind);
  }
  blocks_[{buffer, kind}] = made;
  return made;
}

std::shared_ptr<HostBlock> Resources::allocate_block(std::uint64_t bytes, core::MemoryKind kind) {
  // CUDA pins for all its devices at once; a CPU group works in any memory.
  const auto rank = [](const std::shared_ptr<Device>& device) {
    return device->info().identity.backend == "cuda" ? 0 : device->info().is_gpu ? 1 : 2;
  };
  const auto best = std::min_element(devices_.begin(), devices_.end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  const NearDevice near((*best)->info());
  auto block = std::make_shared<HostBlock>();
  block->device_index = static_cast<std::size_t>(best - devices_.begin());
  block->memory = (*best)->allocate_host(std::max<std::uint64_t>(bytes, 1), kind);
  return block;
}

std::shared_ptr<DeviceSlot> Resources::slot(std::size_t device, std::size_t ordinal, std::uint64_t bytes) {
  std::shared_ptr<DeviceSlot>& entry = slots_[{device, ordinal}];
  if (!entry) entry = std::make_shared<DeviceSlot>();
  const std::shared_ptr<DeviceSlot> wanted = entry;
  grow(*wanted, device, bytes);
  return wanted;
}

void Resources::grow(DeviceSlot& slot, std::size_t device, std::uint64_t bytes) {
  const std::uint64_t some = std::max<std::uint64_t>(bytes, 1);
  if (slot.memory && slot.memory->size() >= some) return;
  // Given back first: both together may be more than the device has.
  slot.memory.reset();
  try {
    slot.memory = devices_[device]->allocate(some);
  } catch (const core::Error&) {
    forget_unused_memory();
    slot.memory = devices_[device]->allocate(some);
  }
}

void Resources::forget_unused_memory() {
  const auto unused = [](const auto& entry) { return entry.second.use_count() <= 1; };
  std::erase_if(memory_, unused);
  std::erase_if(blocks_, unused);
  std::erase_if(slots_, unused);
}

void Resources::forget_queues_and_kernels() {
  queues_.clear();
  kernels_.clear();
}

}  // namespace forelap::hw::execute
