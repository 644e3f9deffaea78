#pragma once
// Host and device memory of an OpenCL device.

#include <memory>

#include "hw/device.hpp"
#include "hw/opencl/context.hpp"

namespace forelap::hw::opencl {

/// A buffer that the runtime places in page-locked memory (CL_MEM_ALLOC_HOST_PTR), mapped for as long as it lives; null
/// where the runtime refuses.
std::unique_ptr<HostMemory> make_pinned(const std::shared_ptr<Context>& context, std::uint64_t bytes);
/// Page-aligned memory of the system. Throws core::Error (device_failed) where there is none.
std::unique_ptr<HostMemory> make_pageable(std::uint64_t bytes);

class ClMemory : public DeviceMemory {
 public:
  /// Throws core::Error (device_failed) naming the size, and the largest that the device grants.
  ClMemory(std::shared_ptr<Context> context, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t size() const override { return bytes_; }
  [[nodiscard]] std::uint64_t native() const override { return reinterpret_cast<std::uintptr_t>(memory_.get()); }
  [[nodiscard]] cl_mem get() const { return memory_.get(); }

 private:
  std::shared_ptr<Context> context_;
  std::uint64_t bytes_;
  MemoryHandle memory_;
};

}  // namespace forelap::hw::opencl
