// The workers' side of the proxy.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/error.hpp"
#include "hw/proxy/core.hpp"
#include "hw/proxy/size_class.hpp"

namespace forelap::hw::proxy {
namespace {

/// Workers are told apart by their thread, numbered as they come.
std::uint32_t worker_number() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

Failure cancelled(const Job& job, const char* why) {
  return {core::ErrorKind::unavailable, "task " + job.name + " was cancelled" + why, true};
}

std::string name_of(const Task& task) {
  if (!task.name.empty()) return task.name;
  return task.kernel.empty() ? "without a kernel" : task.kernel;
}

/// Host memory for one direction of a buffer: a worker's pinned memory, or the proxy's own.
Transfer transfer(HostPool& pool, const HostBuffer& given, std::uint64_t bytes, std::size_t buffer) {
  if (given) return {given.memory(), bytes, buffer, false};
  return {pool.take(bytes), bytes, buffer, true};
}

/// Adds a buffer argument's memory and copies to `job`; takes its content.
void add_buffer(HostPool& pool, const BufferArgument& argument, Job& job) {
  if (argument.source.size() > argument.bytes || argument.target.size() > argument.bytes) {
    core::throw_bad_input("buffer " + std::to_string(job.sizes.size() + 1) + " holds " +
                          std::to_string(argument.bytes) + " bytes, but more are to be copied (" +
                          std::to_string(argument.source.size()) + " in, " + std::to_string(argument.target.size()) +
                          " out)");
  }
  const std::size_t buffer = job.sizes.size();
  job.sizes.push_back(std::max<std::uint64_t>(argument.bytes, 1));
  if (!argument.source.empty()) {
    Transfer in = transfer(pool, argument.source_buffer, argument.source.size(), buffer);
    if (in.staged) std::memcpy(in.host->bytes().data(), argument.source.data(), argument.source.size());
    job.in.push_back(std::move(in));
    job.about.htod_bytes += argument.source.size();
  }
  if (!argument.target.empty()) {
    Transfer out = transfer(pool, argument.target_buffer, argument.target.size(), buffer);
    if (out.staged) job.state->results.push_back({out.host, argument.target});
    job.out.push_back(std::move(out));
    job.about.dtoh_bytes += argument.target.size();
  }
}

void check_size(const Job& job, std::uint64_t limit) {
  const std::uint64_t total = saturating_sum(job.sizes);
  if (total <= limit) return;
  core::throw_bad_input("it needs " + std::to_string(total) + " bytes of device memory in " +
                        std::to_string(job.sizes.size()) + " buffers, but the proxy's limit is " +
                        std::to_string(limit) + " bytes: use smaller tasks or a higher memory limit");
}

std::uint32_t group_size(std::uint64_t wished) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wished, UINT32_MAX));
}

void describe_kernel(const Task& task, Job& job) {
  job.about.kernel = task.kernel;
  job.shape.global_size = {task.items.x, task.items.y, task.items.z};
  job.shape.group_size = {group_size(task.group.x), group_size(task.group.y), group_size(task.group.z)};
  const auto in = [](std::uint64_t n) { return static_cast<double>(n); };
  job.about.items = in(task.items.x) * in(task.items.y) * in(task.items.z);
  job.about.work = task.work > 0 ? task.work : job.about.items;
  if (task.kernel_seconds >= 0 && task.kernel_seconds <= core::kLongestSeconds) {
    job.about.kernel_duration = core::ticks_from_seconds(task.kernel_seconds);
  }
}

}  // namespace

void Core::check_open() const {
  if (broken_) core::throw_unavailable(*broken_);
  if (closing_) core::throw_unavailable("the proxy is shut down and takes no more tasks");
}

bool Core::reserve(std::optional<Clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto free_or_over = [this] {
    return broken_ || closing_ || waiting_.size() + reserved_ < options_.queue_capacity;
  };
  ++blocked_;
  bool free = true;
  if (until) {
    free = room_.wait_until(lock, *until, free_or_over);
  } else {
    room_.wait(lock, free_or_over);
  }
  --blocked_;
  check_open();
  if (free) ++reserved_;
  return free;
}

void Core::release_reservation() {
  const std::lock_guard lock(mutex_);
  --reserved_;
  wake_submitters(1);
}

void Core::wake_submitters(std::size_t freed) {
  for (std::size_t i = 0; i < std::min(freed, blocked_); ++i) room_.notify_one();
}

JobPtr Core::make_job(const Task& task, const std::shared_ptr<TaskState>& state) {
  auto job = std::make_unique<Job>();
  job->name = name_of(task);
  job->state = state;
  job->times.arrived = now();
  job->about.worker = worker_number();
  describe_kernel(task, *job);
  for (const Argument& argument : task.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
      job->arguments.emplace_back(core::make_id<core::BufferId>(job->sizes.size()));
      job->sizes.push_back(std::max<std::uint64_t>(buffer->bytes, 1));
    } else {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) job->arguments.emplace_back(value);
          },
          argument);
    }
  }
  // Sizes before memory: what is refused must not cost any.
  check_size(*job, memory_limit_);
  job->about.buffer_bytes = saturating_sum(job->sizes);
  job->sizes.clear();
  for (const Argument& argument : task.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument)) add_buffer(*host_pool_, *buffer, *job);
  }
  const auto pageable = [](const Transfer& copy) { return copy.host->kind() == core::MemoryKind::pageable; };
  job->blocks =
      std::any_of(job->in.begin(), job->in.end(), pageable) || std::any_of(job->out.begin(), job->out.end(), pageable);
  if (job->launches()) job->kernel = kernels_.get(task.kernel);
  return job;
}

std::optional<Future> Core::submit(const Task& task, std::optional<Clock::time_point> until) {
  if (!reserve(until)) return std::nullopt;
  auto state = std::make_shared<TaskState>();
  state->proxy = weak_from_this();
  Failure failure;
  try {
    return accept(make_job(task, state));
  } catch (const core::Error& error) {
    failure = {error.kind(), "task " + name_of(task) + ": " + error.what(), false};
  } catch (const std::exception& error) {
    failure = {core::ErrorKind::device_failed, "task " + name_of(task) + ": " + error.what(), false};
  }
  {
    const std::lock_guard lock(mutex_);
    ++counts_.failed;
  }
  release_reservation();
  state->finish(std::move(failure), {now(), 0, now()});
  return Future(std::move(state));
}

Future Core::accept(JobPtr job) {
  Future future(job->state);
  bool wake = false;
  std::optional<Failure> refused;
  {
    const std::lock_guard lock(mutex_);
    --reserved_;
    if (broken_) {
      refused = Failure{core::ErrorKind::unavailable, "task " + job->name + " did not run: " + *broken_, false};
      ++counts_.failed;
    } else if (closing_) {
      refused = cancelled(*job, ": the proxy shut down");
      ++counts_.cancelled;
    } else {
      const core::TaskKey key = next_key_++;
      job->about.key = key;
      job->state->key = key;
      arrivals_.push_back(key);
      waiting_.emplace(key, std::move(job));
      asked_in_vain_ = false;
      wake = std::exchange(wants_arrivals_, false);
    }
  }
  if (wake) work_.notify_one();
  if (refused) job->state->finish(std::move(refused), job->times);
  return future;
}

bool Core::cancel(core::TaskKey key) {
  JobPtr job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return false;
    job = std::move(found->second);
    waiting_.erase(found);
    ++counts_.cancelled;
    if (job->stand == Stand::told) notices_.push_back({Notice::Kind::withdrawn, key, now()});
    if (job->stand == Stand::ordered) notices_.push_back({Notice::Kind::finished, key, now()});
    asked_in_vain_ = false;
    wake_submitters(1);
  }
  work_.notify_one();
  job->times.finished = now();
  job->state->finish(cancelled(*job, " by its worker"), job->times);
  return true;
}

HostBuffer Core::allocate(std::uint64_t bytes) {
  std::shared_ptr<HostMemory> memory = host_pool_->take(std::max<std::uint64_t>(bytes, 1));
  const std::span<std::byte> part = memory->bytes().first(static_cast<std::size_t>(bytes));
  return {std::move(memory), part};
}

void Core::shutdown(Shutdown how) {
  std::unique_lock lock(mutex_);
  if (!closing_ || how == Shutdown::cancel) closing_ = how;
  work_.notify_one();
  room_.notify_all();
  quiet_.wait(lock, [this] { return ended_; });
}

Statistics Core::statistics() {
  const std::lock_guard lock(mutex_);
  Statistics result = counts_;
  result.waiting = waiting_.size();
  result.in_flight = in_flight_;
  if (in_flight_ > 0) result.busy_seconds += core::seconds_from_ticks(now() - busy_since_);
  if (pool_) result.device_bytes = pool_->allocated();
  return result;
}

}  // namespace forelap::hw::proxy
