#include "hw/proxy/host_pool.hpp"

#include "hw/proxy/size_class.hpp"

namespace forelap::hw::proxy {
namespace {

class PlainMemory : public HostMemory {
 public:
  explicit PlainMemory(std::uint64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pageable; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::shared_ptr<HostMemory> plain_memory(std::uint64_t bytes) {
  return std::make_shared<PlainMemory>(bytes);
}

void HostPool::open(std::shared_ptr<Device> device) {
  const std::lock_guard lock(mutex_);
  device_ = std::move(device);
  ++epoch_;
}

void HostPool::close() {
  // Freed outside the lock: a driver may take its time.
  std::map<std::uint64_t, std::vector<std::unique_ptr<HostMemory>>> freed;
  std::shared_ptr<Device> device;
  const std::lock_guard lock(mutex_);
  freed.swap(kept_);
  device.swap(device_);
  ++epoch_;
}

std::shared_ptr<HostMemory> HostPool::take(std::uint64_t bytes) {
  const std::uint64_t granted = size_class(bytes);
  std::shared_ptr<Device> device;
  std::unique_ptr<HostMemory> memory;
  std::uint64_t epoch = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!device_) return plain_memory(bytes);
    device = device_;
    epoch = epoch_;
    const auto found = kept_.find(granted);
    if (found != kept_.end()) {
      memory = std::move(found->second.back());
      found->second.pop_back();
      if (found->second.empty()) kept_.erase(found);
    }
  }
  if (!memory) memory = device->allocate_host(granted, core::MemoryKind::pinned);
  const auto give_back = [pool = weak_from_this(), epoch](HostMemory* returned) {
    std::unique_ptr<HostMemory> owned(returned);
    if (const auto home = pool.lock()) home->give_back(std::move(owned), epoch);
  };
  return {memory.release(), give_back};
}

void HostPool::give_back(std::unique_ptr<HostMemory> memory, std::uint64_t epoch) {
  const std::uint64_t bytes = memory->bytes().size();
  const std::lock_guard lock(mutex_);
  if (epoch == epoch_) kept_[bytes].push_back(std::move(memory));
}

}  // namespace forelap::hw::proxy
