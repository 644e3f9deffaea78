#pragma once
// Threads, one a core, that share the blocks of jobs. Several jobs may be in the pool at once; they are served in the
// order in which they came, the next one as soon as the first has no block left to hand out.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace forelap::hw::cpu {

using RangeFunction = std::function<void(std::size_t begin, std::size_t end)>;

class Pool {
 public:
  /// Starts a thread bound to each of `cores` (not empty).
  explicit Pool(std::vector<unsigned> cores);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Runs `function` over [0, items) in blocks of about `block`, and returns when all are done. Rethrows the first
  /// exception of a block; blocks not yet begun are then left out. Thread-safe.
  void run(std::size_t items, std::size_t block, const RangeFunction& function);
  [[nodiscard]] std::size_t size() const { return threads_.size(); }

 private:
  struct Job;
  void work(unsigned core);

  std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable job_done_;
  std::deque<Job*> jobs_;  ///< those with blocks left to hand out
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace forelap::hw::cpu
