#include "hw/execute/lane_threads.hpp"

#include <utility>

namespace forelap::hw::execute {

LaneThreads::~LaneThreads() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LaneThreads::start(std::vector<std::function<void()>> jobs) {
  const std::lock_guard lock(mutex_);
  if (jobs_.size() < jobs.size()) jobs_.resize(jobs.size());
  // Threads first: where one cannot be made, no job has begun.
  while (threads_.size() < jobs.size()) {
    threads_.emplace_back([this, i = threads_.size()] { work(i); });
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs_[i] = std::move(jobs[i]);
  running_ = jobs.size();
  changed_.notify_all();
}

void LaneThreads::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return running_ == 0; });
}

void LaneThreads::work(std::size_t i) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || jobs_[i]; });
    if (!jobs_[i]) return;
    const std::function<void()> job = std::exchange(jobs_[i], nullptr);
    lock.unlock();
    job();
    lock.lock();
    if (--running_ == 0) changed_.notify_all();
  }
}

}  // namespace forelap::hw::execute
