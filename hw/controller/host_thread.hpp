#pragma once
// The host thread of a device: runs what is posted, in order.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace forelap::hw::controller {

class HostThread {
 public:
  /// `start` runs first on the thread. `idle` runs whenever nothing more is posted.
  HostThread(std::function<void()> start, std::function<void()> idle);
  /// Runs what is posted, then ends.
  ~HostThread();
  HostThread(const HostThread&) = delete;
  HostThread& operator=(const HostThread&) = delete;

  /// Returns at once, except where very much is waiting. `work` must not throw.
  void post(std::function<void()> work);
  /// Waits until all that is posted has run.
  void drain();

 private:
  void run();

  std::function<void()> start_;
  std::function<void()> idle_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable taken_;
  std::deque<std::function<void()>> work_;
  bool busy_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace forelap::hw::controller
