#include "hw/proxy/future.hpp"

#include <algorithm>

#include "hw/proxy/task_state.hpp"

namespace forelap::hw::proxy {

void TaskState::finish(std::optional<Failure> how, const Outcome& when) {
  std::vector<StagedResult> dropped;
  {
    const std::lock_guard lock(mutex);
    done = true;
    outcome = when;
    // Nobody comes for the results of a task that failed, and a lost device opens again only without its memory.
    if (how) dropped.swap(results);
    failure = std::move(how);
  }
  changed.notify_all();
}

bool Future::ready() const {
  const std::lock_guard lock(state_->mutex);
  return state_->done;
}

void Future::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->done; });
}

bool Future::wait_for(std::chrono::nanoseconds time) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, time, [this] { return state_->done; });
}

Outcome Future::get() {
  wait();
  const std::shared_ptr<TaskState> state = std::move(state_);
  if (state->failure) {
    if (state->failure->cancelled) throw Cancelled(state->failure->message);
    throw core::Error(state->failure->kind, state->failure->message);
  }
  for (const StagedResult& result : state->results) {
    std::copy_n(result.memory->bytes().data(), result.target.size(), result.target.data());
  }
  return state->outcome;
}

bool Future::cancel() {
  const std::shared_ptr<CancelTarget> proxy = state_->proxy.lock();
  return proxy && proxy->cancel(state_->key);
}

}  // namespace forelap::hw::proxy
