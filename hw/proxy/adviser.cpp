#include "hw/proxy/adviser.hpp"

#include <algorithm>

#include "hw/proxy/arrival_order.hpp"

namespace forelap::hw::proxy {

Alarm::~Alarm() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Alarm::set(core::StopSource source, std::chrono::nanoseconds after) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  source_ = std::move(source);
  when_ = std::chrono::steady_clock::now() + after;
  changed_.notify_all();
}

void Alarm::clear() {
  const std::lock_guard lock(mutex_);
  source_.reset();
}

void Alarm::run() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (!source_) {
      changed_.wait(lock);
    } else if (std::chrono::steady_clock::now() >= when_) {
      source_->request_stop();
      source_.reset();
    } else {
      const auto when = when_;
      changed_.wait_until(lock, when);
    }
  }
}

Adviser::Adviser(std::unique_ptr<core::Policy> policy, std::chrono::nanoseconds think_time)
    : policy_(policy ? std::move(policy) : std::make_unique<ArrivalOrder>()),
      think_time_(think_time),
      name_(policy_->name()) {}

core::Tick Adviser::ordered(core::Tick now) {
  last_ = std::max(last_, now);
  return last_;
}

void Adviser::give_up(const std::string& why, core::Tick now) {
  error_ = why;
  policy_ = std::make_unique<ArrivalOrder>();
  std::vector<core::TaskKey> keys(waiting_.begin(), waiting_.end());
  std::sort(keys.begin(), keys.end());
  core::OpenTask task;  // arrival is all that counts from here on
  for (const core::TaskKey key : keys) {
    task.key = key;
    policy_->arrived(task, now);
  }
}

template <class Call>
void Adviser::guarded(core::Tick now, Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    give_up(error.what(), now);
  } catch (...) {
    give_up("an exception that is not a std::exception", now);
  }
}

void Adviser::arrived(const core::OpenTask& task, core::Tick now) {
  const core::Tick at = ordered(now);
  // Known first: where the policy throws, its successor is told of every task that waits.
  waiting_.insert(task.key);
  guarded(at, [&] { policy_->arrived(task, at); });
}

void Adviser::tell(const Notice& notice) {
  const core::Tick at = ordered(notice.when);
  if (notice.kind == Notice::Kind::withdrawn) waiting_.erase(notice.task);
  guarded(at, [&] {
    switch (notice.kind) {
      case Notice::Kind::withdrawn:
        policy_->withdrawn(notice.task, at);
        break;
      case Notice::Kind::transferred:
        policy_->transferred(notice.task, at);
        break;
      case Notice::Kind::finished:
        policy_->finished(notice.task, at);
        break;
    }
  });
}

void Adviser::prepare(core::Tick now, const core::StopToken& hurry) {
  const core::Tick at = ordered(now);
  guarded(at, [&] { policy_->prepare(at, hurry); });
}

std::vector<core::TaskKey> Adviser::next(core::Tick now) {
  const core::Tick at = ordered(now);
  core::StopSource hurry;
  const bool timed = think_time_.count() > 0;
  timed ? alarm_.set(hurry, think_time_) : hurry.request_stop();
  std::vector<core::TaskKey> order;
  const core::Policy* const asked = policy_.get();
  guarded(at, [&] { order = policy_->next(at, hurry.token()); });
  if (policy_.get() != asked) order = policy_->next(at, hurry.token());
  if (timed) alarm_.clear();
  // What it names twice or does not know is left out.
  std::erase_if(order, [&](core::TaskKey key) { return waiting_.erase(key) == 0; });
  return order;
}

std::vector<core::TaskKey> Adviser::rest(core::Tick now) {
  const core::Tick at = ordered(now);
  give_up("it gave no order for tasks that wait, though nothing else will come", at);
  std::vector<core::TaskKey> order = policy_->next(at, {});
  std::erase_if(order, [&](core::TaskKey key) { return waiting_.erase(key) == 0; });
  return order;
}

}  // namespace forelap::hw::proxy
