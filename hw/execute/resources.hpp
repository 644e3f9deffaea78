#pragma once
// What an executor keeps between plans: devices, queues, kernels, buffers, and the lanes' threads.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
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

/// Both sides of a buffer.
struct BufferMemory {
  std::unique_ptr<HostMemory> host;
  std::unique_ptr<DeviceMemory> device;
  std::size_t device_index = 0;
  FillMark mark;
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
  LaneThreads& threads() { return threads_; }
  /// After a failure: queues and kernels may be broken; later plans get new ones.
  void forget_queues_and_kernels();

 private:
  using BufferKey = std::tuple<std::size_t, std::size_t, core::MemoryKind>;
  std::shared_ptr<BufferMemory> allocate(std::size_t device, std::uint64_t bytes, core::MemoryKind kind);
  void forget_unused_memory();

  std::vector<std::shared_ptr<Device>> devices_;
  std::map<std::tuple<std::size_t, core::LaneKind, core::Direction, std::size_t>, std::shared_ptr<Queue>> queues_;
  std::map<std::tuple<std::size_t, std::string, std::string, std::string, std::string>, std::shared_ptr<Kernel>>
      kernels_;
  std::map<BufferKey, std::shared_ptr<BufferMemory>> memory_;
  LaneThreads threads_;
};

}  // namespace forelap::hw::execute
