// What ends: on the watching threads, and on the proxy's own for what never reached the device.

#include <algorithm>

#include "hw/proxy/core.hpp"

namespace forelap::hw::proxy {

core::Tick Core::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - made_).count() * 1000;
}

void Core::passed(std::vector<Watch> watches) {
  std::vector<JobPtr> jobs;
  jobs.reserve(watches.size());
  Mark mark = Mark::none;
  for (Watch& watch : watches) {
    mark = std::max(mark, watch.mark);
    if (watch.job) jobs.push_back(std::move(watch.job));
  }
  watches.clear();
  end(std::move(jobs), now(), mark);
}

void Core::lost(const std::string& cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = cause;
    if (thinking_) thinking_->request_stop();
  }
  work_.notify_one();
}

void Core::count_end(const Job& job, core::Tick at) {
  ++(job.failure ? counts_.failed : counts_.finished);
  notices_.push_back({Notice::Kind::finished, job.about.key, at});
}

void Core::leave_device(std::size_t jobs, core::Tick at) {
  if (jobs == 0) return;
  in_flight_ -= jobs;
  if (in_flight_ == 0) counts_.busy_seconds += core::seconds_from_ticks(at - busy_since_);
}

void Core::end(JobPtr job) {
  std::vector<JobPtr> jobs;
  jobs.push_back(std::move(job));
  end(std::move(jobs), now(), Mark::none);
}

void Core::end(std::vector<JobPtr> jobs, core::Tick at, Mark mark) {
  for (const JobPtr& job : jobs) {
    if (job->pool) job->pool->give_back(std::move(job->memory));
  }
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    for (const JobPtr& job : jobs) count_end(*job, at);
    leave_device(jobs.size(), at);
    if (!jobs.empty()) {
      memory_freed_ = true;
      asked_in_vain_ = false;
      wake = std::exchange(wants_endings_, false);
    }
    if (mark == Mark::group_nears_end && !arrivals_.empty()) {
      prepare_due_ = true;
      wake = true;
    }
    if (mark == Mark::group_end) {
      lane_free_ = true;
      free_since_ = at;
      group_taken_in_ = at;
      waited_when_freed_ = !waiting_.empty();
      if (thinking_) thinking_->request_stop();
      wake = wake || waited_when_freed_;
    }
  }
  if (wake) work_.notify_one();
  for (const JobPtr& job : jobs) {
    job->times.finished = at;
    job->state->finish(std::move(job->failure), job->times);
  }
}

}  // namespace forelap::hw::proxy
