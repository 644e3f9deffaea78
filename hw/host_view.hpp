#pragma once
// A stretch of host memory as host memory of its own: an array that is divided over devices is allocated once, and each
// device's copies move between a stretch of it and the device.

#include <cstdint>
#include <memory>

#include "hw/device.hpp"

namespace forelap::hw {

class HostView final : public HostMemory {
 public:
  /// The bytes [offset, offset + bytes) of `owner`, which is kept alive. Throws std::invalid_argument where they do not
  /// lie inside it.
  HostView(std::shared_ptr<HostMemory> owner, std::uint64_t offset, std::uint64_t bytes);

  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return owner_->kind(); }

 private:
  std::shared_ptr<HostMemory> owner_;
  std::span<std::byte> bytes_;
};

}  // namespace forelap::hw
