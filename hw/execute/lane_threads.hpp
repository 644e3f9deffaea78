#pragma once
// Threads that are kept between runs, one for each lane that submits.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace forelap::hw::execute {

class LaneThreads {
 public:
  LaneThreads() = default;
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  /// Starts each job, which must not throw, on a thread of its own. The last jobs must be done.
  void start(std::vector<std::function<void()>> jobs);
  /// Waits until all are done.
  void wait();

 private:
  void work(std::size_t i);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> jobs_;  ///< by thread; empty: nothing to do
  std::size_t running_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace forelap::hw::execute
