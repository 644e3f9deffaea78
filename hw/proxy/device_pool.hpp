#pragma once
// The device memory of a proxy's tasks, kept and used again, within a limit.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "hw/device.hpp"

namespace forelap::hw::proxy {

using DeviceBuffers = std::vector<std::unique_ptr<DeviceMemory>>;

/// Thread-safe. Sizes are rounded up by at most an eighth, so that buffers of similar tasks fit each other.
class DevicePool {
 public:
  /// `limit`: bytes that tasks and kept buffers may hold together.
  DevicePool(std::shared_ptr<Device> device, std::uint64_t limit);

  /// A buffer for each size, or nothing where they do not fit beside what other tasks hold. Throws core::Error where
  /// the device refuses although no other task holds anything.
  std::optional<DeviceBuffers> take(std::span<const std::uint64_t> sizes);
  /// No command uses them any more.
  void give_back(DeviceBuffers buffers);
  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  /// Bytes allocated, used or kept.
  [[nodiscard]] std::uint64_t allocated() const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> grants(std::span<const std::uint64_t> sizes) const;
  std::unique_ptr<DeviceMemory> take_one(std::uint64_t bytes);
  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes);
  /// Frees kept buffers until at most `bytes` are kept.
  void keep_at_most(std::uint64_t bytes);
  void give_back_locked(DeviceBuffers buffers);

  std::shared_ptr<Device> device_;
  std::uint64_t limit_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, DeviceBuffers> kept_;  ///< by size
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
};

/// The limit where none is wished: nine tenths of the device's memory, no limit where that is not known.
std::uint64_t default_memory_limit(const DeviceInfo& info);

}  // namespace forelap::hw::proxy
