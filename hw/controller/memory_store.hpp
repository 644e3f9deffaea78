#pragma once
// The memory that a unit takes on its device. What is given back is kept for the next tile of the same size, since
// drivers take milliseconds to give gigabytes; it is freed where the room is needed, also by another controller.
//
// Threads: all calls may come from any thread.

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "hw/device.hpp"

namespace forelap::hw::controller {

class MemoryStore {
 public:
  /// `limit`: bytes that may be in use or kept.
  MemoryStore(std::shared_ptr<Device> device, std::uint64_t limit);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Bytes that can still be taken.
  [[nodiscard]] std::uint64_t left() const;
  /// Throws as Device::allocate.
  std::unique_ptr<DeviceMemory> take(std::uint64_t bytes);
  void give_back(std::unique_ptr<DeviceMemory> memory, std::uint64_t bytes);
  /// Frees what is kept.
  void drop_kept();

 private:
  using Kept = std::vector<std::pair<std::uint64_t, std::unique_ptr<DeviceMemory>>>;
  std::unique_ptr<DeviceMemory> take_kept(std::uint64_t bytes);

  std::shared_ptr<Device> device_;
  std::uint64_t limit_;
  mutable std::mutex mutex_;
  std::uint64_t in_use_ = 0;
  std::uint64_t kept_bytes_ = 0;
  Kept kept_;
};

/// Memory of a store, given back at the end.
class HeldMemory {
 public:
  /// Throws as Device::allocate.
  HeldMemory(std::shared_ptr<MemoryStore> store, std::uint64_t bytes)
      : store_(std::move(store)), bytes_(bytes), memory_(store_->take(bytes)) {}
  ~HeldMemory() { store_->give_back(std::move(memory_), bytes_); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  [[nodiscard]] DeviceMemory& get() const { return *memory_; }

 private:
  std::shared_ptr<MemoryStore> store_;
  std::uint64_t bytes_;
  std::unique_ptr<DeviceMemory> memory_;
};

}  // namespace forelap::hw::controller
