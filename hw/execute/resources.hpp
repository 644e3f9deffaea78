#pragma once
// What an executor keeps between plans: devices, queues, kernels, buffers, and the lanes' threads.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/executor.hpp"
#include "hw/device.hpp"
#include "hw/execute/lane_threads.hpp"

namespace forelap::hw::execute {

/// What stands in a buffer: untouched since it was filled, and by what; nothing to compare for a user's fill.
struct FillMark {
  bool untouched = false;
  void (*filler)(std::span<std::byte>, std::uint64_t) = nullptr;  ///< null: zeros
  std::uint64_t bytes = 0;
};

/// Host memory that several buffers share, and what stands in it.
struct HostBlock {
  std::shared_ptr<HostMemory> memory;
  std::size_t device_index = 0;  ///< of the device near which it lies
  FillMark mark;
};

/// Device memory that plans share: it is used by one run at a time, and a plan that needs more of it makes it larger
/// for all. Empty where that was refused.
struct DeviceSlot {
  std::unique_ptr<DeviceMemory> memory;
};

/// Both sides of a buffer.
struct BufferMemory {
  std::shared_ptr<HostMemory> host;  ///< its own, or a stretch of a block's
  std::shared_ptr<HostBlock> block;  ///< set where it shares host memory, and for the owner
  std::shared_ptr<DeviceSlot> slot;  ///< null: host memory only, or in place
  std::unique_ptr<DeviceMemory> mapped;
  std::size_t device_index = 0;
  std::uint64_t bytes = 0;  ///< of device memory that it needs
  FillMark mark;            ///< of a buffer without block

  [[nodiscard]] DeviceMemory* device() const { return mapped ? mapped.get() : slot ? slot->memory.get() : nullptr; }
};

/// Not thread-safe, but for what it hands out.
class Resources {
 public:
  explicit Resources(std::vector<std::shared_ptr<Device>> devices);

  [[nodiscard]] std::size_t device_count() const { return devices_.size(); }
  [[nodiscard]] Device& device(std::size_t i) { return *devices_[i]; }
  /// True where an event of one device's queue can be waited for by a queue of the other.
  [[nodiscard]] bool same_backend(std::size_t a, std::size_t b) const;

  /// The `ordinal`-th queue for a purpose on a device; the same at each call, for runtimes map queues to a few engines
  /// and more queues than engines would share them at random.
  std::shared_ptr<Queue> queue(std::size_t device, core::LaneKind purpose, core::Direction direction,
                               std::size_t ordinal);
  std::shared_ptr<Kernel> kernel(std::size_t device, const std::string& name, const core::KernelSource& source);
  /// Memory of at least `bytes` on both sides for the buffer of that id. Where the device refuses, memory that no plan
  /// uses is given back first.
  std::shared_ptr<BufferMemory> memory(std::size_t buffer, std::size_t device, std::uint64_t bytes,
                                       core::MemoryKind kind);
  /// Host memory of at least `bytes` for the buffer of that id to share, in the memory that most devices copy from at
  /// full speed: CUDA's where there is a CUDA device, else a GPU's. The same at each call while it is large enough, so
  /// that the plans of a sweep neither allocate nor fill it anew.
  std::shared_ptr<HostBlock> host_block(std::size_t buffer, std::uint64_t bytes, core::MemoryKind kind);
  /// The `ordinal`-th shared device memory of a device, grown to at least `bytes`. What stood in it may be lost.
  std::shared_ptr<DeviceSlot> slot(std::size_t device, std::size_t ordinal, std::uint64_t bytes);
  /// Makes a slot at least `bytes` large. Throws core::Error (device_failed) where the device refuses.
  void grow(DeviceSlot& slot, std::size_t device, std::uint64_t bytes);
  /// Gives back what no plan uses.
  void forget_unused_memory();
  LaneThreads& threads() { return threads_; }
  /// After a failure: queues and kernels may be broken; later plans get new ones.
  void forget_queues_and_kernels();

 private:
  using BufferKey = std::tuple<std::size_t, std::size_t, core::MemoryKind>;
  std::shared_ptr<BufferMemory> allocate(std::size_t device, std::uint64_t bytes, core::MemoryKind kind);
  std::shared_ptr<HostBlock> allocate_block(std::uint64_t bytes, core::MemoryKind kind);

  std::vector<std::shared_ptr<Device>> devices_;
  std::map<std::tuple<std::size_t, core::LaneKind, core::Direction, std::size_t>, std::shared_ptr<Queue>> queues_;
  std::map<std::tuple<std::size_t, std::string, std::string, std::string, std::string>, std::shared_ptr<Kernel>>
      kernels_;
  std::map<BufferKey, std::shared_ptr<BufferMemory>> memory_;
  std::map<std::pair<std::size_t, core::MemoryKind>, std::shared_ptr<HostBlock>> blocks_;
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<DeviceSlot>> slots_;
  LaneThreads threads_;
};

}  // namespace forelap::hw::execute
