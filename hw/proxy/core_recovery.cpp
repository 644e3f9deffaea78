// After a fault: fails what was on the device, gives up everything that came from it, and opens it again.

#include <algorithm>

#include "core/error.hpp"
#include "hw/proxy/core.hpp"

namespace forelap::hw::proxy {
namespace {

constexpr std::chrono::milliseconds kFirstPause{10};

std::string words(const DeviceInfo& info) {
  return info.identity.backend + " device " + info.identity.name;
}

/// Throws where the device does not work: a context may open though its device is lost.
void try_out(DeviceContext& context) {
  Queue& queue = context.queue(Stage::htod);
  const std::unique_ptr<HostMemory> host = context.device->allocate_host(16, core::MemoryKind::pageable);
  const std::unique_ptr<DeviceMemory> memory = context.device->allocate(16);
  queue.copy(core::Direction::host_to_device, *host, *memory, 16);
  const EventPtr event = queue.record();
  queue.flush();
  event->wait();
}

/// The content of memory that must be given up, in memory that need not be.
std::shared_ptr<HostMemory> moved(const std::shared_ptr<HostMemory>& from, std::uint64_t bytes) {
  std::shared_ptr<HostMemory> to = plain_memory(bytes);
  std::copy_n(from->bytes().data(), static_cast<std::size_t>(bytes), to->bytes().data());
  return to;
}

}  // namespace

void Core::open_device() {
  std::shared_ptr<Device> device = factory_();
  if (!device) core::throw_unavailable("the function that opens the proxy's device returned none");
  const std::uint64_t limit = options_.memory_limit != 0 ? options_.memory_limit : default_memory_limit(device->info());
  context_ = std::make_unique<DeviceContext>(device, options_.copy_engines, limit);
  try_out(*context_);
  epoch_ = kernels_.open(device);
  host_pool_->open(device);
}

void Core::fail_in_flight(const std::string& cause) {
  std::vector<JobPtr> jobs;
  for (const auto& lane : lanes_) {
    for (Watch& watch : lane->abandon()) {
      if (watch.job) jobs.push_back(std::move(watch.job));
    }
  }
  submission_.reset();
  // Commands of the other queues may still use the tasks' memory: queues end first.
  for (auto& queue : context_->queues) queue.reset();
  for (const JobPtr& job : jobs) {
    job->failure = Failure{core::ErrorKind::device_failed,
                           "task " + job->name + " was on the " + words(info_) + " when it failed: " + cause, false};
  }
  end(std::move(jobs), now(), Mark::none);
}

void Core::unpin_waiting() {
  for (auto& [key, job] : waiting_) {
    job->kernel = {};
    for (Transfer& copy : job->in) {
      if (copy.staged) copy.host = moved(copy.host, copy.bytes);
    }
    const std::lock_guard lock(job->state->mutex);
    auto result = job->state->results.begin();  // one for each staged copy out, in their order
    for (Transfer& copy : job->out) {
      if (!copy.staged) continue;
      copy.host = plain_memory(copy.bytes);
      (result++)->memory = copy.host;
    }
    job->blocks = true;
  }
}

std::optional<std::string> Core::reopen(std::unique_lock<std::mutex>& lock) {
  std::string why = "no attempt was made";
  auto pause = kFirstPause;
  for (unsigned i = 0; i < options_.reopen_attempts; ++i) {
    if (i > 0) {
      work_.wait_for(lock, pause, [this] { return closing_ == Shutdown::cancel; });
      pause *= 2;
    }
    if (closing_ == Shutdown::cancel) return "the proxy shuts down";
    lock.unlock();
    std::optional<std::string> error;
    try {
      open_device();
    } catch (const std::exception& failure) {
      error = failure.what();
      context_.reset();
    }
    lock.lock();
    if (!error) return std::nullopt;
    why = *error;
  }
  return why;
}

void Core::recover(std::unique_lock<std::mutex>& lock) {
  ++counts_.faults;
  const std::string cause = *fault_;
  lock.unlock();
  fail_in_flight(cause);
  kernels_.close();
  host_pool_->close();
  lock.lock();
  unpin_waiting();
  pool_.reset();
  lock.unlock();
  context_.reset();
  copying_in_.clear();
  lock.lock();
  fault_.reset();
  const std::optional<std::string> why = reopen(lock);
  lane_free_ = ordered_.empty();
  memory_freed_ = true;
  free_since_ = now();
  if (!why) {
    submission_ =
        std::make_unique<Submission>(*context_, std::array{lanes_[0].get(), lanes_[1].get(), lanes_[2].get()}, *this);
    pool_ = context_->memory;
    return;
  }
  broken_ = "the " + words(info_) + " failed (" + cause + ") and does not open again: " + *why;
  withdraw_all(lock, {core::ErrorKind::unavailable, "did not run: " + *broken_, false});
}

}  // namespace forelap::hw::proxy
