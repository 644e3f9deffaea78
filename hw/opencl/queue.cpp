#include "hw/opencl/queue.hpp"

#include <algorithm>
#include <chrono>

#include "core/error.hpp"
#include "hw/opencl/error.hpp"
#include "hw/opencl/kernel.hpp"
#include "hw/opencl/memory.hpp"

namespace forelap::hw::opencl {
namespace {

/// Commands that NVIDIA's OpenCL takes without blocking while none of them can start (some thousand block; a few
/// hundred never did).
constexpr std::size_t kMostBehindKernel = 400;

/// Passes the end of an event of another context on to a user event of ours, whose reference it owns.
void CL_CALLBACK pass_on(cl_event, cl_int status, void* target) {
  const auto user_event = static_cast<cl_event>(target);
  clSetUserEventStatus(user_event, status < 0 ? status : CL_COMPLETE);
  clReleaseEvent(user_event);
}

EventHandle make_user_event(Context& context) {
  cl_int code = CL_SUCCESS;
  EventHandle event(clCreateUserEvent(context.context.get(), &code));
  context.check(code, "making a user event");
  return event;
}

}  // namespace

void ClEvent::wait() {
  const cl_event event = event_.get();
  context_->wait({&event, 1});
}

ClQueue::ClQueue(std::shared_ptr<Context> context) : context_(std::move(context)), plain_(context_->make_queue(false)) {
  if (profiling()) profiled_ = context_->make_queue(true);
}

ClQueue::~ClQueue() {
  clFinish(plain_.get());
  if (profiled_) clFinish(profiled_.get());
}

std::vector<cl_event> ClQueue::raw_waits() const {
  std::vector<cl_event> raw;
  raw.reserve(waits_.size());
  for (const EventHandle& wait : waits_) raw.push_back(wait.get());
  return raw;
}

void ClQueue::enqueued(EventHandle event, bool work) {
  waits_.clear();
  if (work && stamping_) stamped_.push_back(event.share());
  if (work && profiling()) {
    if (!first_work_) first_work_ = event.share();
    last_work_ = event.share();
  }
  last_ = std::move(event);
}

void ClQueue::wait_for(const EventPtr& event) {
  const auto& theirs = dynamic_cast<const ClEvent&>(*event);
  if (&theirs.context() == context_.get()) {
    waits_.push_back(theirs.handle().share());
    return;
  }
  EventHandle ours = make_user_event(*context_);
  clRetainEvent(ours.get());
  const cl_int code = clSetEventCallback(theirs.handle().get(), CL_COMPLETE, pass_on, ours.get());
  if (code != CL_SUCCESS) clReleaseEvent(ours.get());
  context_->check(code, "waiting for another device");
  waits_.push_back(std::move(ours));
}

void ClQueue::copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
                   std::uint64_t offset) {
  const auto& memory = dynamic_cast<const ClMemory&>(device);
  const std::uint64_t smaller = std::min<std::uint64_t>(memory.size(), host.bytes().size());
  if (bytes > smaller || offset > smaller - bytes) {
    core::throw_bad_input("a copy of " + std::to_string(bytes) + " bytes is larger than its buffer");
  }
  const std::vector<cl_event> waits = raw_waits();
  const auto wait_count = static_cast<cl_uint>(waits.size());
  const cl_event* wait_list = waits.empty() ? nullptr : waits.data();
  const auto size = static_cast<std::size_t>(bytes);
  const auto from = static_cast<std::size_t>(offset);
  std::byte* const place = host.bytes().data() + from;
  EventHandle event;
  if (direction == core::Direction::host_to_device) {
    context_->check(
        clEnqueueWriteBuffer(queue(), memory.get(), CL_FALSE, from, size, place, wait_count, wait_list, event.out()),
        "copying " + std::to_string(bytes) + " bytes to the device");
  } else {
    context_->check(
        clEnqueueReadBuffer(queue(), memory.get(), CL_FALSE, from, size, place, wait_count, wait_list, event.out()),
        "copying " + std::to_string(bytes) + " bytes from the device");
  }
  enqueued(std::move(event), true);
}

void ClQueue::launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) {
  const std::vector<cl_event> waits = raw_waits();
  // The first command's start and, where stamping, every launch is asked for its time.
  const bool quiet = more_ && !stamping_ && (!profiling() || first_work_);
  EventHandle event = dynamic_cast<ClKernel&>(kernel).enqueue(*context_, queue(), arguments, shape, waits, !quiet);
  if (quiet) {
    waits_.clear();
    last_.reset();
  } else {
    enqueued(std::move(event), true);
  }
}

cl_event ClQueue::last_event() {
  if (!waits_.empty() || !last_) {
    const std::vector<cl_event> waits = raw_waits();
    EventHandle event;
    context_->check(clEnqueueMarkerWithWaitList(queue(), static_cast<cl_uint>(waits.size()),
                                                waits.empty() ? nullptr : waits.data(), event.out()),
                    "marking the end of a queue");
    enqueued(std::move(event), false);
  }
  return last_.get();
}

void ClQueue::call_native(const std::function<void(void*)>& enqueue) {
  // A marker carries what later commands wait for, and another one stands for what the library enqueues.
  if (!waits_.empty()) last_event();
  enqueue(queue());
  last_.reset();
  EventHandle event;
  context_->check(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, event.out()), "marking a library's commands");
  enqueued(std::move(event), true);
}

EventPtr ClQueue::record() {
  last_event();
  return std::make_shared<ClEvent>(context_, last_.share());
}

void ClQueue::set_stamping(bool on) {
  if (on && !profiled_) profiled_ = context_->make_queue(true);
  stamping_ = on;
  stamped_.clear();
  last_.reset();
  first_work_.reset();
  last_work_.reset();
}

void ClQueue::flush() {
  context_->check(clFlush(queue()), "handing commands to the device");
}

cl_ulong ClQueue::time_of(const EventHandle& event, cl_profiling_info what) {
  cl_ulong time = 0;
  context_->check(clGetEventProfilingInfo(event.get(), what, sizeof(time), &time, nullptr), "reading a timestamp");
  return time;
}

std::optional<ClQueue::Span> ClQueue::span() {
  if (!first_work_) return std::nullopt;
  return Span{time_of(first_work_, CL_PROFILING_COMMAND_START), time_of(last_work_, CL_PROFILING_COMMAND_END)};
}

std::vector<Stamp> ClQueue::take_stamps() {
  const auto tick = [this](cl_ulong time) { return static_cast<core::Tick>(time - zero_) * 1000; };
  std::vector<Stamp> stamps;
  stamps.reserve(stamped_.size());
  for (const EventHandle& event : stamped_) {
    stamps.push_back(
        {tick(time_of(event, CL_PROFILING_COMMAND_START)), tick(time_of(event, CL_PROFILING_COMMAND_END))});
  }
  stamped_.clear();
  return stamps;
}

ClGate::ClGate(std::shared_ptr<Context> context, std::shared_ptr<GateKernels> kernels)
    : context_(std::move(context)), kernels_(std::move(kernels)) {}

void ClGate::expect(std::size_t commands, bool at_once) {
  by_kernel_ = context_->info.keeps_call_order && at_once && commands <= kMostBehindKernel;
}

void ClGate::close() {
  if (by_kernel_) kernel_ = kernels_->take(*context_);
  release_ = kernel_ ? kernel_->close(*context_) : make_user_event(*context_);
}

ClGate::~ClGate() {
  try {
    if (!opened_ && release_) release();
  } catch (const core::Error&) {
    // The device is lost, and with it what was held; the kernel would let go by itself.
  }
}

void ClGate::release() {
  if (kernel_) {
    kernel_->open(*context_);
  } else {
    context_->check(clSetUserEventStatus(release_.get(), CL_COMPLETE), "releasing the queues");
  }
}

void ClGate::hold(Queue& queue) {
  auto& ours = dynamic_cast<ClQueue&>(queue);
  if (!release_) close();
  ours.wait_for(release_.share());
  queues_.push_back(&ours);
}

void ClGate::open() {
  opened_ = true;
  opened_at_ = std::chrono::steady_clock::now();
  if (release_) release();
}

core::Tick ClGate::finish() {
  std::vector<cl_event> ends;
  for (ClQueue* queue : queues_) {
    ends.push_back(queue->last_event());
    queue->flush();
  }
  context_->wait(ends);
  const std::int64_t on_host =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - opened_at_).count();
  if (kernel_) {
    if (kernel_->let_go(*context_)) {
      core::throw_device_failed("the release came so late that the device no longer waited for it");
    }
    kernels_->give_back(std::move(kernel_));
  }
  const auto span = device_span();
  if (among_others_ || !context_->info.is_gpu || !span || span->end < span->start) return on_host * 1000;
  const auto on_device = static_cast<std::int64_t>(span->end - span->start);
  return std::min(on_device, on_host) * 1000;
}

std::optional<ClQueue::Span> ClGate::device_span() {
  std::optional<ClQueue::Span> all;
  for (ClQueue* queue : queues_) {
    const auto one = queue->span();
    if (!one) continue;
    all = all ? ClQueue::Span{std::min(all->start, one->start), std::max(all->end, one->end)} : *one;
  }
  for (ClQueue* queue : queues_) queue->set_zero(all ? all->start : 0);
  return all;
}

}  // namespace forelap::hw::opencl
