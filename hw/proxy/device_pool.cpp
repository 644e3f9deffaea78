#include "hw/proxy/device_pool.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "hw/proxy/size_class.hpp"

namespace forelap::hw::proxy {
std::uint64_t default_memory_limit(const DeviceInfo& info) {
  return info.memory_bytes == 0 ? UINT64_MAX : info.memory_bytes / 10 * 9;
}

DevicePool::DevicePool(std::shared_ptr<Device> device, std::uint64_t limit)
    : device_(std::move(device)), limit_(limit) {}

std::uint64_t DevicePool::allocated() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_ + kept_bytes_;
}

std::vector<std::uint64_t> DevicePool::grants(std::span<const std::uint64_t> sizes) const {
  std::vector<std::uint64_t> granted;
  granted.reserve(sizes.size());
  for (const std::uint64_t size : sizes) granted.push_back(size_class(size));
  // A task that fits as it is must not be refused for our rounding.
  if (saturating_sum(granted) > limit_) {
    std::transform(sizes.begin(), sizes.end(), granted.begin(),
                   [](auto size) { return std::max<std::uint64_t>(size, 1); });
  }
  return granted;
}

std::optional<DeviceBuffers> DevicePool::take(std::span<const std::uint64_t> sizes) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::uint64_t> granted = grants(sizes);
  const std::uint64_t total = saturating_sum(granted);
  const bool alone = used_bytes_ == 0;
  if (!alone && (total > limit_ || used_bytes_ > limit_ - total)) return std::nullopt;
  DeviceBuffers buffers;
  buffers.reserve(granted.size());
  try {
    for (const std::uint64_t bytes : granted) buffers.push_back(take_one(bytes));
  } catch (const core::Error&) {
    give_back_locked(std::move(buffers));
    if (alone) throw;
    return std::nullopt;
  }
  return buffers;
}

std::unique_ptr<DeviceMemory> DevicePool::take_one(std::uint64_t bytes) {
  std::unique_ptr<DeviceMemory> memory;
  const auto found = kept_.find(bytes);
  if (found != kept_.end()) {
    memory = std::move(found->second.back());
    found->second.pop_back();
    if (found->second.empty()) kept_.erase(found);
    kept_bytes_ -= bytes;
  } else {
    memory = allocate(bytes);
  }
  used_bytes_ += memory->size();
  return memory;
}

std::unique_ptr<DeviceMemory> DevicePool::allocate(std::uint64_t bytes) {
  const std::uint64_t room = limit_ - std::min(limit_, used_bytes_);
  keep_at_most(room - std::min(room, bytes));
  try {
    return device_->allocate(bytes);
  } catch (const core::Error&) {
    if (kept_.empty()) throw;
    keep_at_most(0);
    return device_->allocate(bytes);
  }
}

void DevicePool::keep_at_most(std::uint64_t bytes) {
  while (kept_bytes_ > bytes) {
    const auto largest = std::prev(kept_.end());
    kept_bytes_ -= largest->first;
    largest->second.pop_back();
    if (largest->second.empty()) kept_.erase(largest);
  }
}

void DevicePool::give_back(DeviceBuffers buffers) {
  if (buffers.empty()) return;
  const std::lock_guard lock(mutex_);
  give_back_locked(std::move(buffers));
}

void DevicePool::give_back_locked(DeviceBuffers buffers) {
  for (auto& buffer : buffers) {
    const std::uint64_t bytes = buffer->size();
    used_bytes_ -= bytes;
    kept_bytes_ += bytes;
    kept_[bytes].push_back(std::move(buffer));
  }
}

}  // namespace forelap::hw::proxy
