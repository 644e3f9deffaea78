#include "hw/cuda/queue.hpp"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "hw/cuda/error.hpp"
#include "hw/cuda/kernel.hpp"
#include "hw/cuda/memory.hpp"

namespace forelap::hw::cuda {
namespace {

constexpr unsigned kDefaultGroup = 256;

/// A launch's shape as the driver takes it.
struct Shape {
  std::array<unsigned, 3> groups = {1, 1, 1};
  std::array<unsigned, 3> threads = {1, 1, 1};
  bool empty = false;  ///< no work-items
};

Shape shape_of(const CudaKernel& kernel, const core::KernelCall& call) {
  // What every device since compute capability 3.0 takes, in each dimension.
  constexpr std::array<std::uint64_t, 3> kMostGroups = {std::numeric_limits<std::int32_t>::max(), 65535, 65535};
  constexpr std::array<std::uint64_t, 3> kMostThreads = {1024, 1024, 64};
  Shape shape;
  std::uint64_t threads = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    std::uint64_t group = call.group_size[d];
    if (group == 0) group = d == 0 ? std::min(kDefaultGroup, kernel.largest_group()) : 1;
    threads *= std::min<std::uint64_t>(group, 4096);
    if (group > kMostThreads[d] || threads > kernel.largest_group()) {
      core::throw_bad_input("kernel " + kernel.name() + " is launched in groups of " + std::to_string(group) +
                            " work-items in dimension " + std::to_string(d + 1) + "; this device takes at most " +
                            std::to_string(std::min<std::uint64_t>(kMostThreads[d], kernel.largest_group())) +
                            " there and " + std::to_string(kernel.largest_group()) + " in all for this kernel");
    }
    const std::uint64_t items = call.global_size[d];
    const std::uint64_t groups = items / group + (items % group == 0 ? 0 : 1);
    if (groups > kMostGroups[d]) {
      core::throw_bad_input("kernel " + kernel.name() + " is launched with " + std::to_string(items) +
                            " work-items in dimension " + std::to_string(d + 1) + ", which are " +
                            std::to_string(groups) + " groups; the device takes at most " +
                            std::to_string(kMostGroups[d]));
    }
    shape.empty = shape.empty || items == 0;
    shape.groups[d] = static_cast<unsigned>(groups);
    shape.threads[d] = static_cast<unsigned>(group);
  }
  return shape;
}

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<Context> context, std::shared_ptr<EventPool> events)
    : context_(std::move(context)), events_(std::move(events)) {
  context_->make_current();
  stream_ = context_->make_stream();
}

CudaQueue::~CudaQueue() {
  if (!context_->try_make_current()) return;
  (void)cuStreamSynchronize(stream_);
  (void)cuStreamDestroy(stream_);
}

void CudaQueue::wait_for(const EventPtr& event) {
  const auto awaited = std::dynamic_pointer_cast<CudaEvent>(event);
  if (!awaited) throw std::invalid_argument("CudaQueue::wait_for: not an event of this backend");
  if (awaited == mark_) return;  // its own end: in order anyway
  context_->make_current();
  mark_.reset();
  check(cuStreamWaitEvent(stream_, awaited->handle(), 0), "cuStreamWaitEvent");
}

void CudaQueue::copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
                     std::uint64_t offset) {
  const std::span<std::byte> memory = host.bytes();
  const std::uint64_t smaller = std::min<std::uint64_t>(memory.size(), device.size());
  if (bytes > smaller || offset > smaller - bytes) {
    throw std::invalid_argument("CudaQueue::copy: more bytes than the buffer holds");
  }
  const DeviceAddress address = dynamic_cast<CudaMemory&>(device).address() + offset;
  std::byte* const place = memory.data() + offset;
  const CudaEventPtr begin = begin_command();
  if (bytes != 0) {
    const auto size = static_cast<std::size_t>(bytes);
    if (direction == core::Direction::host_to_device) {
      check(cuMemcpyHtoDAsync(address, place, size, stream_), "cuMemcpyHtoDAsync");
    } else {
      check(cuMemcpyDtoHAsync(place, address, size, stream_), "cuMemcpyDtoHAsync");
    }
  }
  end_command(begin);
}

void CudaQueue::launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) {
  auto& own = dynamic_cast<CudaKernel&>(kernel);
  own.check_arguments(arguments);
  const bool nothing = shape.global_size[0] == 0 || shape.global_size[1] == 0 || shape.global_size[2] == 0;
  const bool shaped = own.form() != nullptr && !nothing;
  const Shape launched = shape_of(own, shaped ? kernels::shaped(*own.form(), arguments, shape) : shape);
  // The driver wants a pointer to the value of each argument; it copies the values before the call returns.
  addresses_.assign(arguments.size(), 0);
  parameters_.assign(arguments.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (DeviceMemory* const* memory = std::get_if<DeviceMemory*>(&arguments[i])) {
      addresses_[i] = dynamic_cast<CudaMemory&>(**memory).address();
      parameters_[i] = &addresses_[i];
    } else {
      const auto address_of = [](const auto& value) { return const_cast<void*>(static_cast<const void*>(&value)); };
      parameters_[i] = std::visit(address_of, arguments[i]);
    }
  }
  const CudaEventPtr begin = begin_command();
  if (!launched.empty) {
    check(
        cuLaunchKernel(own.function(), launched.groups[0], launched.groups[1], launched.groups[2], launched.threads[0],
                       launched.threads[1], launched.threads[2], 0, stream_, parameters_.data(), nullptr),
        "cuLaunchKernel");
  }
  end_command(begin);
}

void CudaQueue::call_native(const std::function<void(void*)>& enqueue) {
  const CudaEventPtr begin = begin_command();
  enqueue(stream_);
  // A library may have made another device's context current.
  context_->make_current();
  end_command(begin);
}

EventPtr CudaQueue::record() {
  return mark();
}

void CudaQueue::flush() {
  mark();
}

std::vector<Stamp> CudaQueue::take_stamps() {
  std::vector<Stamp> result;
  result.reserve(stamps_.size());
  if (!stamps_.empty()) stamps_.back().end->wait();
  for (const StampEvents& stamp : stamps_) {
    const CudaEvent& zero = zero_ ? *zero_ : *stamps_.front().begin;
    const core::Tick begin = stamp.begin->ticks_since(zero);
    // A short difference resolves better than two long ones.
    result.push_back({begin, begin + stamp.end->ticks_since(*stamp.begin)});
  }
  stamps_.clear();
  return result;
}

void CudaQueue::hold(const CudaEventPtr& released) {
  wait_for(released);
  zero_ = released;
  commands_ = 0;
}

CudaEventPtr CudaQueue::last_mark() {
  return commands_ == 0 ? nullptr : mark();
}

CudaEventPtr CudaQueue::mark() {
  if (mark_) return mark_;
  auto event = std::make_shared<CudaEvent>(events_);
  context_->make_current();
  event->record(stream_);
  mark_ = event;
  return event;
}

CudaEventPtr CudaQueue::begin_command() {
  context_->make_current();
  CudaEventPtr begin;
  if (stamping_) {
    // Not the end of the command before, even where nothing is between: the device may have idled since.
    begin = std::make_shared<CudaEvent>(events_);
    begin->record(stream_);
  }
  mark_.reset();
  ++commands_;
  return begin;
}

void CudaQueue::end_command(const CudaEventPtr& begin) {
  if (begin) stamps_.push_back({begin, mark()});
}

}  // namespace forelap::hw::cuda
