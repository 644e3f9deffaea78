#include "hw/cpu/pool.hpp"

#include <algorithm>

#include "hw/cpu/binding.hpp"

namespace forelap::hw::cpu {

/// Lives on the stack of the thread that waits for it; guarded by the pool's mutex.
struct Pool::Job {
  const RangeFunction* function = nullptr;
  std::size_t items = 0;
  std::size_t block = 1;
  std::size_t next = 0;     ///< first item not yet handed out
  std::size_t running = 0;  ///< blocks handed out and not yet done
  std::exception_ptr error;
};

Pool::Pool(std::vector<unsigned> cores) {
  threads_.reserve(cores.size());
  for (const unsigned core : cores) threads_.emplace_back([this, core] { work(core); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pool::run(std::size_t items, std::size_t block, const RangeFunction& function) {
  if (items == 0) return;
  Job job;
  job.function = &function;
  job.items = items;
  job.block = std::max<std::size_t>(block, 1);
  std::unique_lock lock(mutex_);
  jobs_.push_back(&job);
  work_there_.notify_all();
  job_done_.wait(lock, [&job] { return job.next == job.items && job.running == 0; });
  if (job.error) std::rethrow_exception(job.error);
}

void Pool::work(unsigned core) {
  binding().bind_thread({core});
  std::unique_lock lock(mutex_);
  while (true) {
    work_there_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job& job = *jobs_.front();
    const std::size_t begin = job.next;
    const std::size_t end = begin + std::min(job.block, job.items - begin);
    job.next = end;
    ++job.running;
    if (end == job.items) jobs_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      (*job.function)(begin, end);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --job.running;
    if (error && !job.error) {
      job.error = error;
      const auto listed = std::find(jobs_.begin(), jobs_.end(), &job);
      if (listed != jobs_.end()) jobs_.erase(listed);
      job.next = job.items;
    }
    if (job.next == job.items && job.running == 0) job_done_.notify_all();
  }
}

}  // namespace forelap::hw::cpu
