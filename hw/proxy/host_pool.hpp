#pragma once
// Pinned host memory of a proxy, kept and used again.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hw/device.hpp"

namespace forelap::hw::proxy {

/// Ordinary memory, for what must outlive a device.
std::shared_ptr<HostMemory> plain_memory(std::uint64_t bytes);

/// Thread-safe. What it hands out returns to it when its last owner drops it, and may outlive it.
class HostPool : public std::enable_shared_from_this<HostPool> {
 public:
  /// From here on memory comes from `device`.
  void open(std::shared_ptr<Device> device);
  /// The device is given up: what is kept is freed, what is out is freed when it comes back.
  void close();
  /// At least `bytes` (1 or more), pinned where the device grants that; plain memory while no device is open. Throws
  /// core::Error where there is none.
  std::shared_ptr<HostMemory> take(std::uint64_t bytes);

 private:
  void give_back(std::unique_ptr<HostMemory> memory, std::uint64_t epoch);

  std::mutex mutex_;
  std::shared_ptr<Device> device_;
  std::uint64_t epoch_ = 0;
  std::map<std::uint64_t, std::vector<std::unique_ptr<HostMemory>>> kept_;  ///< by size
};

}  // namespace forelap::hw::proxy
