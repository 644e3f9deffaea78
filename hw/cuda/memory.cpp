#include "hw/cuda/memory.hpp"

#include <cuda.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "hw/cuda/error.hpp"
#include "hw/cuda/memory_policy.hpp"

namespace forelap::hw::cuda {
namespace {

constexpr std::size_t kPage = 4096;

/// Whole pages, one at least: the driver refuses allocations of nothing. Throws where the size cannot be counted.
std::size_t whole_pages(std::uint64_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - kPage) {
    core::throw_device_failed("cannot allocate " + std::to_string(bytes) + " bytes: no memory is that large");
  }
  return std::max((static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage, kPage);
}

class PinnedMemory final : public HostMemory {
 public:
  PinnedMemory(std::shared_ptr<Context> context, void* memory, std::size_t bytes)
      : context_(std::move(context)), memory_(static_cast<std::byte*>(memory)), bytes_(bytes) {}
  ~PinnedMemory() override {
    if (context_->try_make_current()) (void)cuMemFreeHost(memory_);
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() override { return {memory_, bytes_}; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pinned; }

 private:
  std::shared_ptr<Context> context_;
  std::byte* memory_;
  std::size_t bytes_;
};

class PageableMemory final : public HostMemory {
 public:
  PageableMemory(void* memory, std::size_t bytes) : memory_(static_cast<std::byte*>(memory)), bytes_(bytes) {}
  ~PageableMemory() override { std::free(memory_); }
  PageableMemory(const PageableMemory&) = delete;
  PageableMemory& operator=(const PageableMemory&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() override { return {memory_, bytes_}; }
  [[nodiscard]] core::MemoryKind kind() const override { return core::MemoryKind::pageable; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
};

/// Whether pageable memory is a way out: there is no room to pin (absurd sizes are called an invalid value), or no
/// right to.
bool is_refusal(CUresult result) {
  return result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_INVALID_VALUE ||
         result == CUDA_ERROR_NOT_PERMITTED || result == CUDA_ERROR_NOT_SUPPORTED ||
         result == CUDA_ERROR_OPERATING_SYSTEM;
}

/// Null where the driver refuses to pin that much.
std::unique_ptr<HostMemory> allocate_pinned(const std::shared_ptr<Context>& context, std::size_t bytes,
                                            std::size_t allocated) {
  context->make_current();
  void* memory = nullptr;
  const CUresult result = cuMemHostAlloc(&memory, allocated, CU_MEMHOSTALLOC_PORTABLE);
  if (is_refusal(result)) return nullptr;
  check(result, "cuMemHostAlloc");
  std::memset(memory, 0, allocated);
  return std::make_unique<PinnedMemory>(context, memory, bytes);
}

}  // namespace

CudaMemory::CudaMemory(std::shared_ptr<Context> context, std::uint64_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  const std::size_t allocated = whole_pages(bytes);
  context_->make_current();
  const CUresult result = cuMemAlloc(&address_, allocated);
  if (result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_INVALID_VALUE) {
    std::size_t free_bytes = 0;
    std::size_t total = 0;
    const bool known = cuMemGetInfo(&free_bytes, &total) == CUDA_SUCCESS;
    core::throw_device_failed(
        "the device refuses " + std::to_string(bytes) + " bytes of memory: " + words_of(result) +
        (known ? "; free are " + std::to_string(free_bytes) + " of its " + std::to_string(total) + " bytes" : "") +
        ": use smaller or fewer buffers");
  }
  check(result, "cuMemAlloc");
}

CudaMemory::~CudaMemory() {
  if (context_->try_make_current()) (void)cuMemFree(address_);
}

std::unique_ptr<HostMemory> allocate_host_memory(const std::shared_ptr<Context>& context, std::optional<unsigned> node,
                                                 std::uint64_t bytes, core::MemoryKind kind) {
  const std::size_t allocated = whole_pages(bytes);
  const auto size = static_cast<std::size_t>(bytes);
  // Pages are placed when they are first written (pageable) or pinned: both happen under the policy.
  const PreferNode near_device(node);
  if (kind == core::MemoryKind::pinned) {
    if (auto pinned = allocate_pinned(context, size, allocated)) return pinned;
  }
  void* memory = std::aligned_alloc(kPage, allocated);
  if (memory == nullptr) {
    core::throw_device_failed("the system refuses " + std::to_string(bytes) +
                              " bytes of host memory: use smaller or fewer buffers");
  }
  std::memset(memory, 0, allocated);
  return std::make_unique<PageableMemory>(memory, size);
}

}  // namespace forelap::hw::cuda
