#include "hw/cpu/queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "hw/cpu/binding.hpp"
#include "hw/cpu/kernel.hpp"

namespace forelap::hw::cpu {
namespace {

core::Tick ticks_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count() * 1000;
}

/// The arguments of a launch, owned, in the form that run_on_cpu takes.
class LaunchArguments {
 public:
  explicit LaunchArguments(std::span<const ResolvedArgument> arguments)
      : values_(arguments.begin(), arguments.end()), pointers_(values_.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      pointers_[i] = std::visit([](auto& value) -> void* { return address_of(value); }, values_[i]);
    }
  }
  [[nodiscard]] std::span<void* const> pointers() const { return pointers_; }

 private:
  static void* address_of(DeviceMemory* memory) { return dynamic_cast<CpuMappedMemory&>(*memory).bytes().data(); }
  template <class T>
  static void* address_of(T& value) {
    return &value;
  }

  std::vector<ResolvedArgument> values_;
  std::vector<void*> pointers_;
};

void check_arguments(const kernels::CpuForm& kernel, std::span<const ResolvedArgument> arguments) {
  const std::string name(kernel.name);
  if (arguments.size() != kernel.parameters.size()) {
    core::throw_bad_input("kernel " + name + " takes " + std::to_string(kernel.parameters.size()) +
                          " arguments, but was given " + std::to_string(arguments.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].index() != kernel.parameters[i]) {
      core::throw_bad_input("argument " + std::to_string(i + 1) + " of kernel " + name + " has the wrong type");
    }
  }
}

/// The form's own items, or those of the launch.
std::uint64_t items_of(const kernels::CpuForm& form, std::span<const ResolvedArgument> arguments,
                       const core::KernelCall& call) {
  if (form.items == nullptr) return call.global_size[0];
  return form.items(kernels::numbers_of(arguments));
}

}  // namespace

void CpuEvent::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
  if (error_) std::rethrow_exception(error_);
}

void CpuEvent::complete(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    error_ = std::move(error);
  }
  changed_.notify_all();
}

CpuHostMemory::~CpuHostMemory() {
  std::free(bytes_.data());
}

CpuDeviceMemory::~CpuDeviceMemory() {
  std::free(bytes().data());
}

CpuQueue::CpuQueue(std::shared_ptr<Pool> pool, std::vector<unsigned> cores)
    : pool_(std::move(pool)), cores_(std::move(cores)), thread_([this] { work(); }) {}

CpuQueue::~CpuQueue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CpuQueue::enqueue(Command command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
  }
  changed_.notify_all();
}

void CpuQueue::wait_for(const EventPtr& event) {
  enqueue({[event] { event->wait(); }, nullptr, false, false});
}

void CpuQueue::copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
                    std::uint64_t offset) {
  const std::span<std::byte> host_side = host.bytes();
  const std::span<std::byte> device_side = dynamic_cast<CpuMappedMemory&>(device).bytes();
  const std::size_t smaller = std::min(host_side.size(), device_side.size());
  if (bytes > smaller || offset > smaller - bytes) {
    core::throw_bad_input("a copy of " + std::to_string(bytes) + " bytes is larger than its buffer");
  }
  const bool to_device = direction == core::Direction::host_to_device;
  std::byte* target = (to_device ? device_side.data() : host_side.data()) + offset;
  const std::byte* source = (to_device ? host_side.data() : device_side.data()) + offset;
  enqueue({[target, source, bytes] { std::memcpy(target, source, bytes); }, nullptr, true, stamping_});
}

void CpuQueue::launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) {
  const kernels::CpuForm& form = dynamic_cast<CpuKernel&>(kernel).form();
  check_arguments(form, arguments);
  if (shape.global_size[1] != 1 || shape.global_size[2] != 1) {
    core::throw_bad_input("kernel " + std::string(form.name) + " is launched over one dimension only");
  }
  auto owned = std::make_shared<LaunchArguments>(arguments);
  const auto items = static_cast<std::size_t>(shape.global_size[0] == 0 ? 0 : items_of(form, arguments, shape));
  // Blocks small enough to balance, large enough to amortise handing them out.
  const std::size_t block = std::max(form.smallest_block, items / (pool_->size() * form.blocks_of_thread) + 1);
  const auto run = form.run;
  enqueue({[this, owned, run, items, block] {
             pool_->run(items, block, [&](std::size_t begin, std::size_t end) { run(begin, end, owned->pointers()); });
           },
           nullptr, true, stamping_});
}

EventPtr CpuQueue::record() {
  auto event = std::make_shared<CpuEvent>();
  enqueue({nullptr, event, false, false});
  return event;
}

std::vector<Stamp> CpuQueue::take_stamps() {
  const std::lock_guard lock(mutex_);
  std::vector<Stamp> stamps;
  stamps.reserve(times_.size());
  for (const auto& [begin, end] : times_) stamps.push_back({ticks_between(zero_, begin), ticks_between(zero_, end)});
  times_.clear();
  return stamps;
}

void CpuQueue::set_zero(Clock::time_point zero) {
  const std::lock_guard lock(mutex_);
  zero_ = zero;
}

Clock::time_point CpuQueue::last_end() {
  const std::lock_guard lock(mutex_);
  return last_end_;
}

void CpuQueue::run_command(const Command& command) {
  const Clock::time_point begin = Clock::now();
  if (command.body && !failed_) {
    try {
      command.body();
    } catch (...) {
      failed_ = std::current_exception();
    }
  }
  if (command.work) {
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(mutex_);
    last_end_ = end;
    if (command.stamped) times_.emplace_back(begin, end);
  }
  if (command.event) command.event->complete(failed_);
}

void CpuQueue::work() {
  binding().bind_thread(cores_);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !commands_.empty(); });
    if (commands_.empty()) return;
    Command command = std::move(commands_.front());
    commands_.pop_front();
    lock.unlock();
    run_command(command);
    lock.lock();
  }
}

CpuGate::~CpuGate() {
  if (!opened_) release_->complete(nullptr);
}

void CpuGate::hold(Queue& queue) {
  queues_.push_back(&dynamic_cast<CpuQueue&>(queue));
  queue.wait_for(release_);
}

void CpuGate::open() {
  opened_ = true;
  zero_ = Clock::now();
  for (CpuQueue* queue : queues_) queue->set_zero(zero_);
  release_->complete(nullptr);
}

core::Tick CpuGate::finish() {
  std::vector<EventPtr> ends;
  for (CpuQueue* queue : queues_) ends.push_back(queue->record());
  for (const EventPtr& end : ends) end->wait();
  core::Tick last = 0;
  for (CpuQueue* queue : queues_) last = std::max(last, ticks_between(zero_, queue->last_end()));
  return last;
}

}  // namespace forelap::hw::cpu
