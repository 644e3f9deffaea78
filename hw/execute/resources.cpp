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
  if (found != memory_.end() && found->second->device->size() >= bytes &&
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
  memory->device = devices_[device]->allocate(some);
  memory->host = devices_[device]->allocate_host(some, kind);
  return memory;
}

void Resources::forget_unused_memory() {
  std::erase_if(memory_, [](const auto& entry) { return entry.second.use_count() == 1; });
}

void Resources::forget_queues_and_kernels() {
  queues_.clear();
  kernels_.clear();
}

}  // namespace forelap::hw::execute
