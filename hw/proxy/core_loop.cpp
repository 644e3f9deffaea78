// The proxy's thread: forms groups, asks for their order, puts them on the device.

#include <algorithm>

#include "core/error.hpp"
#include "hw/proxy/core.hpp"

namespace forelap::hw::proxy {
namespace {

/// Between looks at what arrived while a group runs: often enough to think ahead, seldom enough not to be felt.
constexpr core::Tick kPrepareInterval = 500'000'000;  // 0.5 ms

}  // namespace

Core::Core(const Options& options, DeviceFactory factory, std::unique_ptr<core::Policy> policy)
    : options_(options), factory_(std::move(factory)), adviser_(std::move(policy), options.think_time) {
  if (options.queue_capacity == 0) core::throw_bad_input("the queue capacity of a proxy is at least 1");
  if (options.copy_engines != 1 && options.copy_engines != 2) {
    core::throw_bad_input("a device has 1 or 2 copy engines, not " + std::to_string(options.copy_engines));
  }
  if (!factory_) core::throw_bad_input("a proxy needs a function that opens its device");
  counts_.policy = adviser_.name();
}

Core::~Core() {
  if (thread_.joinable()) thread_.join();
}

void Core::start() {
  open_device();
  info_ = context_->device->info();
  memory_limit_ = context_->memory->limit();
  pool_ = context_->memory;
  for (auto& lane : lanes_) lane = std::make_unique<Lane>(*this);
  submission_ =
      std::make_unique<Submission>(*context_, std::array{lanes_[0].get(), lanes_[1].get(), lanes_[2].get()}, *this);
  thread_ = std::thread([this] { run(); });
}

void Core::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    await_work(lock);
    if (fault_) {
      recover(lock);
      continue;
    }
    if (closing_ == Shutdown::cancel && !waiting_.empty()) {
      withdraw_all(lock, {core::ErrorKind::unavailable, "was cancelled: the proxy shut down", true});
    }
    if (closing_ && idle()) break;
    if (has_work()) step(lock);
  }
  lock.unlock();
  for (auto& lane : lanes_) lane.reset();
  submission_.reset();
  context_.reset();
  kernels_.close();
  host_pool_->close();
  lock.lock();
  pool_.reset();
  ended_ = true;
  quiet_.notify_all();
}

bool Core::idle() const {
  return waiting_.empty() && in_flight_ == 0;
}

bool Core::has_work() const {
  if (fault_) return true;
  if (closing_ && (idle() || (*closing_ == Shutdown::cancel && !waiting_.empty()))) return true;
  if (!ordered_.empty()) return memory_freed_;
  if (lane_free_) {
    const bool nothing_else_comes = closing_ && in_flight_ == 0;
    return !waiting_.empty() && (!asked_in_vain_ || nothing_else_comes);
  }
  return prepare_due_ || (!arrivals_.empty() && now() >= prepare_again_);
}

void Core::await_work(std::unique_lock<std::mutex>& lock) {
  while (!has_work()) {
    const bool timed = !lane_free_ && ordered_.empty() && !arrivals_.empty();
    wants_arrivals_ = !timed && ordered_.empty();
    wants_endings_ = closing_ || !ordered_.empty() || asked_in_vain_;
    if (timed) {
      work_.wait_until(lock, made_ + std::chrono::nanoseconds(prepare_again_ / 1000));
    } else {
      work_.wait(lock);
    }
  }
  wants_arrivals_ = false;
  wants_endings_ = false;
}

void Core::step(std::unique_lock<std::mutex>& lock) {
  if (!ordered_.empty()) {
    submit_ordered(lock);
    return;
  }
  const core::Tick asked = now();
  // Where the policy has its answer ready, what has ended on the device is told after the group is on it.
  const bool only_ended = std::all_of(notices_.begin(), notices_.end(),
                                      [](const Notice& notice) { return notice.kind == Notice::Kind::finished; });
  if (lane_free_ && arrivals_.empty() && only_ended && adviser_.waiting() > 0 && adviser_.knows_next()) {
    const std::optional<core::Tick> taken_in = std::exchange(group_taken_in_, std::nullopt);
    lock.unlock();
    tell_taken_in(taken_in);
    lock.lock();
    take_group(lock, asked);
    return;
  }
  tell_policy(lock);
  if (lane_free_) {
    // What came while the policy was told belongs to the group; once, or a flood of tasks would put it off for ever.
    if (!arrivals_.empty()) tell_policy(lock);
    take_group(lock, asked);
  } else {
    prepare(lock);
  }
}

void Core::tell_policy(std::unique_lock<std::mutex>& lock) {
  std::vector<core::OpenTask> arrived;
  arrived.reserve(arrivals_.size());
  std::vector<core::Tick> times;
  for (const core::TaskKey key : arrivals_) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) continue;  // cancelled before anybody heard of it
    found->second->stand = Stand::told;
    arrived.push_back(found->second->about);
    times.push_back(found->second->times.arrived);
  }
  arrivals_.clear();
  std::vector<Notice> notices;
  notices.swap(notices_);
  const std::optional<core::Tick> taken_in = std::exchange(group_taken_in_, std::nullopt);
  lock.unlock();
  for (const Notice& notice : notices) {
    if (notice.kind == Notice::Kind::finished && copying_in_.erase(notice.task) > 0) {
      adviser_.tell({Notice::Kind::transferred, notice.task, notice.when});
    }
    adviser_.tell(notice);
  }
  tell_taken_in(taken_in);
  for (std::size_t i = 0; i < arrived.size(); ++i) adviser_.arrived(arrived[i], times[i]);
  lock.lock();
}

/// All of the group is on the device since then.
void Core::tell_taken_in(std::optional<core::Tick> when) {
  if (!when) return;
  for (const core::TaskKey key : copying_in_) adviser_.tell({Notice::Kind::transferred, key, *when});
  copying_in_.clear();
}

void Core::take_group(std::unique_lock<std::mutex>& lock, core::Tick asked) {
  const bool by_force = closing_ && asked_in_vain_ && in_flight_ == 0;
  lock.unlock();
  const core::Tick begin = now();
  const std::vector<core::TaskKey> order = by_force ? adviser_.rest(begin) : adviser_.next(begin);
  const core::Tick end = now();
  lock.lock();
  counts_.policy_error = adviser_.error();
  counts_.order_seconds += core::seconds_from_ticks(end - begin);
  asked_in_vain_ = order.empty() && arrivals_.empty() && notices_.empty();
  if (order.empty()) return;
  // Thinking ahead that went on after the lane was free has kept it waiting as well.
  const bool overslept = waited_when_freed_ && prepared_until_ > free_since_;
  const core::Tick kept_since = overslept ? std::min(free_since_, asked) : asked;
  counts_.order_delay_seconds += core::seconds_from_ticks(end - kept_since);
  if (waited_when_freed_)
    counts_.handover_seconds += core::seconds_from_ticks(std::max<core::Tick>(kept_since - free_since_, 0));
  ++counts_.groups;
  counts_.largest_group = std::max<std::uint64_t>(counts_.largest_group, order.size());
  in_batches_ = context_->one_engine();
  for (const core::TaskKey key : order) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) {  // cancelled meanwhile: for the policy it has been submitted, so it must end
      notices_.push_back({Notice::Kind::finished, key, end});
      continue;
    }
    found->second->stand = Stand::ordered;
    in_batches_ = in_batches_ || found->second->blocks;
    ordered_.push_back(key);
  }
  lane_free_ = false;
  waited_when_freed_ = false;
  prepare_due_ = adviser_.waiting() > 0;
  submit_ordered(lock);
}

void Core::prepare(std::unique_lock<std::mutex>& lock) {
  prepare_due_ = false;
  prepare_again_ = now() + kPrepareInterval;
  if (adviser_.waiting() == 0) return;
  core::StopSource hurry;
  thinking_ = hurry;
  lock.unlock();
  const core::Tick begin = now();
  adviser_.prepare(begin, hurry.token());
  prepared_until_ = now();
  lock.lock();
  thinking_.reset();
  counts_.policy_error = adviser_.error();
  counts_.prepare_seconds += core::seconds_from_ticks(prepared_until_ - begin);
  prepare_again_ = prepared_until_ + kPrepareInterval;
}

void Core::submit_ordered(std::unique_lock<std::mutex>& lock) {
  std::vector<JobPtr> batch;
  while (JobPtr job = next_ordered(lock)) {
    batch.push_back(std::move(job));
    if (in_batches_) continue;
    lock.unlock();
    put_on_device(std::exchange(batch, {}));
    lock.lock();
  }
  lock.unlock();
  put_on_device(std::move(batch));
  submission_->probe_if_refused();
  lock.lock();
  if (ordered_.empty() && !fault_) close_group(lock);
}

JobPtr Core::next_ordered(std::unique_lock<std::mutex>& lock) {
  while (!ordered_.empty() && !fault_) {
    const auto found = waiting_.find(ordered_.front());
    if (found == waiting_.end()) {
      ordered_.pop_front();
      continue;
    }
    JobPtr job = std::move(found->second);
    waiting_.erase(found);
    memory_freed_ = false;
    ++reserved_;  // it may come back
    if (in_flight_++ == 0) busy_since_ = now();
    lock.unlock();
    const bool equipped = equip(*job);
    lock.lock();
    --reserved_;
    if (!equipped) {
      leave_device(1, now());
      waiting_.emplace(job->about.key, std::move(job));
      return nullptr;
    }
    ordered_.pop_front();
    wake_submitters(1);
    if (!job->failure) {
      ++counts_.submitted;
      return job;
    }
    lock.unlock();
    end(std::move(job));
    lock.lock();
  }
  return nullptr;
}

bool Core::equip(Job& job) {
  const std::string where = "task " + job.name + ": ";
  try {
    if (job.launches() && job.kernel.epoch != epoch_) job.kernel = kernels_.get(job.about.kernel);
    auto memory = context_->memory->take(job.sizes);
    if (!memory) return false;
    job.memory = std::move(*memory);
    job.pool = context_->memory;
  } catch (const core::Error& error) {
    job.failure = Failure{error.kind(), where + error.what(), false};
    if (error.kind() == core::ErrorKind::device_failed) submission_->refused();
  } catch (const std::exception& error) {
    job.failure = Failure{core::ErrorKind::device_failed, where + error.what(), false};
  }
  return true;
}

void Core::put_on_device(std::vector<JobPtr> jobs) {
  if (jobs.empty()) return;
  const core::Tick at = now();
  std::vector<core::TaskKey> without_input;
  for (const JobPtr& job : jobs) {
    if (job->in.empty()) {
      without_input.push_back(job->about.key);
    } else {
      copying_in_.insert(job->about.key);
    }
  }
  for (JobPtr& job : submission_->submit(std::move(jobs), at)) end(std::move(job));
  for (const core::TaskKey key : without_input) adviser_.tell({Notice::Kind::transferred, key, at});
}

void Core::close_group(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  const bool on_device = submission_->end_group();
  lock.lock();
  if (on_device) return;
  lane_free_ = true;
  free_since_ = now();
  group_taken_in_ = free_since_;
}

void Core::withdraw_all(std::unique_lock<std::mutex>& lock, const Failure& why) {
  std::vector<JobPtr> jobs;
  for (auto& [key, job] : waiting_) {
    if (job->stand == Stand::told) notices_.push_back({Notice::Kind::withdrawn, key, now()});
    if (job->stand == Stand::ordered) notices_.push_back({Notice::Kind::finished, key, now()});
    jobs.push_back(std::move(job));
  }
  waiting_.clear();
  arrivals_.clear();
  if (!ordered_.empty()) lane_free_ = true;
  ordered_.clear();
  (why.cancelled ? counts_.cancelled : counts_.failed) += jobs.size();
  room_.notify_all();
  lock.unlock();
  for (const JobPtr& job : jobs) {
    job->times.finished = now();
    job->state->finish(Failure{why.kind, "task " + job->name + " " + why.message, why.cancelled}, job->times);
  }
  jobs.clear();
  lock.lock();
}

}  // namespace forelap::hw::proxy
