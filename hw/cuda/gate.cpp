#include "hw/cuda/gate.hpp"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "hw/cuda/error.hpp"
#include "hw/cuda/gate_kernel.hpp"

namespace forelap::hw::cuda {
namespace {

std::shared_ptr<Module> build_gate(const std::shared_ptr<Context>& context, int capability) {
  CompileRequest request;
  request.source = kGateSource;
  request.origin = "gate kernel";
  request.entries = {kGateEntry};
  request.capability = capability;
  return std::make_shared<Module>(context, request);
}

void write_flag(const GateParts& parts, std::uint32_t value) {
  std::atomic_ref<std::uint32_t>(*parts.flag).store(value, std::memory_order_seq_cst);
}

}  // namespace

GatePool::GatePool(std::shared_ptr<Context> context, int capability)
    : context_(std::move(context)), kernel_(build_gate(context_, capability), kGateEntry) {
  const GateParts parts = make();
  // Run once: what the first launch costs must not fall into a measurement. On failure the parts go with the context.
  launch(parts);
  open_flag(parts);
  check(cuStreamSynchronize(parts.stream), "cuStreamSynchronize (first run of the gate kernel)");
  free_.push_back(parts);
}

GatePool::~GatePool() {
  if (!context_->try_make_current()) return;
  for (const GateParts& parts : free_) {
    (void)cuStreamDestroy(parts.stream);
    (void)cuMemFreeHost(parts.flag);
  }
}

GateParts GatePool::make() {
  context_->make_current();
  GateParts parts;
  void* flag = nullptr;
  check(cuMemHostAlloc(&flag, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc");
  parts.flag = static_cast<std::uint32_t*>(flag);
  CUresult result = cuMemHostGetDevicePointer(&parts.flag_address, flag, 0);
  const char* call = "cuMemHostGetDevicePointer";
  if (result == CUDA_SUCCESS) {
    result = cuStreamCreate(&parts.stream, CU_STREAM_NON_BLOCKING);
    call = "cuStreamCreate";
  }
  if (result != CUDA_SUCCESS) {
    (void)cuMemFreeHost(flag);
    throw_failed(result, call);
  }
  return parts;
}

GateParts GatePool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return make();
  const GateParts parts = free_.back();
  free_.pop_back();
  return parts;
}

void GatePool::give_back(const GateParts& parts) {
  const std::lock_guard lock(mutex_);
  free_.push_back(parts);
}

void GatePool::launch(const GateParts& parts) {
  context_->make_current();
  write_flag(parts, 0);
  DeviceAddress flag = parts.flag_address;
  unsigned long long nanoseconds = kGateLimitNanoseconds;
  unsigned long long polls = kGateLimitPolls;
  std::array<void*, 3> parameters = {&flag, &nanoseconds, &polls};
  check(cuLaunchKernel(kernel_.function(), 1, 1, 1, 1, 1, 1, 0, parts.stream, parameters.data(), nullptr),
        "cuLaunchKernel (gate)");
}

void GatePool::open_flag(const GateParts& parts) {
  write_flag(parts, 1);
}

CudaGate::~CudaGate() {
  if (!parts_) return;
  GatePool::open_flag(*parts_);
  try {
    released_->wait();
    pool_->give_back(*parts_);
  } catch (const std::exception&) {
    // The device has failed: its parts cannot be used again, and the error is reported by the call that meets it.
  }
}

void CudaGate::close() {
  released_ = std::make_shared<CudaEvent>(events_);
  const GateParts parts = pool_->take();
  try {
    pool_->launch(parts);
    // Recorded before any stream is told to wait for it: a wait for an event that was never recorded is no wait.
    released_->record(parts.stream);
  } catch (...) {
    // Not given back: the kernel may be spinning still.
    GatePool::open_flag(parts);
    throw;
  }
  parts_ = parts;
}

void CudaGate::hold(Queue& queue) {
  if (opened_) throw std::logic_error("CudaGate::hold: the gate is open already");
  auto& own = dynamic_cast<CudaQueue&>(queue);
  if (!parts_) close();
  own.hold(released_);
  held_.push_back(&own);
}

void CudaGate::open() {
  if (opened_ || !parts_) return;
  opened_ = true;
  const bool let_go = released_->done();
  GatePool::open_flag(*parts_);
  if (let_go) {
    core::throw_device_failed(
        "the gate let go by itself after " + std::to_string(kGateLimitNanoseconds / 1'000'000'000ULL) +
        " s, before everything was submitted: this run's times are worthless; submit less in one run");
  }
}

core::Tick CudaGate::finish() {
  open();
  core::Tick last = 0;
  if (!parts_) return last;
  released_->wait();
  for (CudaQueue* queue : held_) {
    const CudaEventPtr mark = queue->last_mark();
    if (!mark) continue;
    mark->wait();
    last = std::max(last, mark->ticks_since(*released_));
  }
  held_.clear();
  pool_->give_back(*parts_);
  parts_.reset();
  return last;
}

}  // namespace forelap::hw::cuda
