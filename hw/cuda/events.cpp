#include "hw/cuda/events.hpp"

#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "hw/cuda/driver.hpp"
#include "hw/cuda/error.hpp"

namespace forelap::hw::cuda {
namespace {

using ElapsedFunction = CUresult (*)(float*, CUevent, CUevent);

/// The header of CUDA 13 maps cuEventElapsedTime to a second version that older drivers lack, and with which the module
/// would not even load there to say so.
ElapsedFunction elapsed_function() {
  static const auto function = [] {
    void* found = optional_function("cuEventElapsedTime_v2");
    if (found == nullptr) found = optional_function("cuEventElapsedTime");
    return reinterpret_cast<ElapsedFunction>(found);
  }();
  if (function == nullptr) core::throw_device_failed("libcuda.so.1 has no cuEventElapsedTime");
  return function;
}

}  // namespace

EventPool::EventPool(std::shared_ptr<Context> context, std::size_t ready) : context_(std::move(context)) {
  context_->make_current();
  for (std::size_t i = 0; i < ready; ++i) {
    EventHandle event = nullptr;
    check(cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    give_back(event);
  }
}

EventPool::~EventPool() {
  if (!context_->try_make_current()) return;
  for (EventHandle event : free_) (void)cuEventDestroy(event);
}

EventHandle EventPool::take() {
  context_->make_current();
  const std::lock_guard lock(mutex_);
  EventHandle event = nullptr;
  if (!free_.empty()) {
    const CUresult result = cuEventQuery(free_.front());
    if (result != CUDA_ERROR_NOT_READY) {
      check(result, "cuEventQuery");
      event = free_.front();
      free_.pop_front();
      return event;
    }
  }
  check(cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return event;
}

void EventPool::give_back(EventHandle event) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    free_.push_back(event);
  } catch (...) {
    (void)cuEventDestroy(event);  // no memory to remember it
  }
}

CudaEvent::CudaEvent(std::shared_ptr<EventPool> pool) : pool_(std::move(pool)), event_(pool_->take()) {}

CudaEvent::~CudaEvent() {
  // A stream that was told to wait for this event waits for what it marked then, whatever it is used for next.
  pool_->give_back(event_);
}

void CudaEvent::record(StreamHandle stream) {
  check(cuEventRecord(event_, stream), "cuEventRecord");
}

bool CudaEvent::done() const {
  pool_->context().make_current();
  const CUresult result = cuEventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuEventQuery");
  return true;
}

void CudaEvent::wait() {
  using namespace std::chrono;
  using namespace std::chrono_literals;
  const steady_clock::time_point begin = steady_clock::now();
  while (!done()) {
    const steady_clock::duration waited = steady_clock::now() - begin;
    if (waited < 100us) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::clamp<steady_clock::duration>(waited / 256, 20us, 250us));
    }
  }
}

core::Tick CudaEvent::ticks_since(const CudaEvent& earlier) const {
  pool_->context().make_current();
  float milliseconds = 0;
  check(elapsed_function()(&milliseconds, earlier.event_, event_), "cuEventElapsedTime");
  return static_cast<core::Tick>(std::llround(static_cast<double>(milliseconds) * 1e9));
}

}  // namespace forelap::hw::cuda
