#include "hw/controller/memory_store.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace forelap::hw::controller {
namespace {

/// All stores of the process: the devices of several may be one.
struct Stores {
  std::mutex mutex;
  std::vector<MemoryStore*> all;
};
Stores& stores() {
  static Stores& made = *new Stores();
  return made;
}

void drop_kept_everywhere() {
  const std::lock_guard lock(stores().mutex);
  for (MemoryStore* store : stores().all) store->drop_kept();
}

}  // namespace

MemoryStore::MemoryStore(std::shared_ptr<Device> device, std::uint64_t limit)
    : device_(std::move(device)), limit_(limit) {
  const std::lock_guard lock(stores().mutex);
  stores().all.push_back(this);
}

MemoryStore::~MemoryStore() {
  const std::lock_guard lock(stores().mutex);
  std::erase(stores().all, this);
}

std::uint64_t MemoryStore::left() const {
  const std::lock_guard lock(mutex_);
  return limit_ - std::min(limit_, in_use_);
}

std::unique_ptr<DeviceMemory> MemoryStore::take_kept(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& one) { return one.first == bytes; });
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<DeviceMemory> memory = std::move(found->second);
  kept_.erase(found);
  kept_bytes_ -= bytes;
  in_use_ += bytes;
  return memory;
}

std::unique_ptr<DeviceMemory> MemoryStore::take(std::uint64_t bytes) {
  if (auto memory = take_kept(bytes)) return memory;
  bool crowded = false;
  {
    const std::lock_guard lock(mutex_);
    crowded = kept_bytes_ > 0 && in_use_ + kept_bytes_ + bytes > limit_;
  }
  if (crowded) drop_kept();
  std::unique_ptr<DeviceMemory> memory;
  try {
    memory = device_->allocate(bytes);
  } catch (const core::Error&) {
    drop_kept_everywhere();
    memory = device_->allocate(bytes);
  }
  const std::lock_guard lock(mutex_);
  in_use_ += bytes;
  return memory;
}

void MemoryStore::give_back(std::unique_ptr<DeviceMemory> memory, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  in_use_ -= bytes;
  kept_bytes_ += bytes;
  kept_.emplace_back(bytes, std::move(memory));
}

void MemoryStore::drop_kept() {
  Kept dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(kept_);
  kept_bytes_ = 0;
}

}  // namespace forelap::hw::controller
