#include "hw/opencl/memory.hpp"

#include <cstdlib>

#include "core/error.hpp"
#include "hw/opencl/error.hpp"

namespace forelap::hw::opencl {
namespace {

class PinnedMemory : public HostMemory {
 public:
  PinnedMemory(std::shared_ptr<Context> context, MemoryHandle memory, std::span<std::byte> bytes)
      : context_(std::move(context)), memory_(std::move(memory)), bytes_(bytes) {}
  ~PinnedMemory() override {
    const std::lock_guard lock(context_->service_mutex);
    clEnqueueUnmapMemObject(context_->service.get(), memory_.get(), bytes_.data(), 0, nullptr, nullptr);
    clFinish(context_->service.get());
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pinned; }

 private:
  std::shared_ptr<Context> context_;
  MemoryHandle memory_;
  std::span<std::byte> bytes_;
};

class PageableMemory : public HostMemory {
 public:
  explicit PageableMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  ~PageableMemory() override { std::free(bytes_.data()); }
  PageableMemory(const PageableMemory&) = delete;
  PageableMemory& operator=(const PageableMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pageable; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<HostMemory> make_pinned(const std::shared_ptr<Context>& context, std::uint64_t bytes) {
  cl_int code = CL_SUCCESS;
  MemoryHandle memory(clCreateBuffer(context->context.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                     static_cast<std::size_t>(bytes), nullptr, &code));
  if (code != CL_SUCCESS) return nullptr;
  const std::lock_guard lock(context->service_mutex);
  void* mapped = clEnqueueMapBuffer(context->service.get(), memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &code);
  if (code != CL_SUCCESS || mapped == nullptr) return nullptr;
  const std::span<std::byte> span(static_cast<std::byte*>(mapped), static_cast<std::size_t>(bytes));
  return std::make_unique<PinnedMemory>(context, std::move(memory), span);
}

std::unique_ptr<HostMemory> make_pageable(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t rounded = bytes > UINT64_MAX - kPage ? bytes : (bytes + kPage - 1) / kPage * kPage;
  void* memory = std::aligned_alloc(kPage, static_cast<std::size_t>(rounded));
  if (memory == nullptr) {
    core::throw_device_failed("no host memory for a buffer of " + std::to_string(bytes) + " bytes");
  }
  return std::make_unique<PageableMemory>(std::span(static_cast<std::byte*>(memory), static_cast<std::size_t>(bytes)));
}

ClMemory::ClMemory(std::shared_ptr<Context> context, std::uint64_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  const DeviceInfo& info = context_->info;
  if (bytes > info.largest_allocation) {
    core::throw_device_failed("a buffer of " + std::to_string(bytes) + " bytes is larger than the largest that " +
                              info.identity.name + " grants through OpenCL, " +
                              std::to_string(info.largest_allocation) + " bytes; use smaller tasks");
  }
  cl_int code = CL_SUCCESS;
  memory_ = MemoryHandle(
      clCreateBuffer(context_->context.get(), CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes), nullptr, &code));
  // Runtimes allocate at the first use, which must not be part of what is timed.
  if (code == CL_SUCCESS) {
    const std::lock_guard lock(context_->service_mutex);
    const cl_mem object = memory_.get();
    code = clEnqueueMigrateMemObjects(context_->service.get(), 1, &object, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                      nullptr, nullptr);
    if (code == CL_SUCCESS) code = clFinish(context_->service.get());
  }
  context_->check(code, "allocating " + std::to_string(bytes) + " bytes on " + info.identity.name + " (" +
                            std::to_string(info.memory_bytes) + " bytes in all)");
}

}  // namespace forelap::hw::opencl
