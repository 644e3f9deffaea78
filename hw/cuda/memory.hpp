#pragma once
// Host and device memory.

#include <cstdint>
#include <memory>
#include <optional>

#include "hw/cuda/context.hpp"
#include "hw/cuda/handles.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cuda {

class CudaMemory final : public DeviceMemory {
 public:
  /// Throws core::Error (device_failed) naming the size and what is free.
  CudaMemory(std::shared_ptr<Context> context, std::uint64_t bytes);
  ~CudaMemory() override;
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  [[nodiscard]] std::uint64_t size() const override { return bytes_; }
  [[nodiscard]] std::uint64_t native() const override { return address_; }
  [[nodiscard]] DeviceAddress address() const { return address_; }

 private:
  std::shared_ptr<Context> context_;
  std::uint64_t bytes_;
  DeviceAddress address_ = 0;
};

/// Zeroed host memory from the memory node `node` where it is known and has room. A pinned wish that the driver refuses
/// for want of memory or permission gives pageable memory. Throws core::Error (device_failed) naming the size.
std::unique_ptr<HostMemory> allocate_host_memory(const std::shared_ptr<Context>& context, std::optional<unsigned> node,
                                                 std::uint64_t bytes, core::MemoryKind kind);

}  // namespace forelap::hw::cuda
