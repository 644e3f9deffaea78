#pragma once
// An in-order queue of the proxy and the thread that waits for what is on it. Internal to hw/proxy.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "hw/device.hpp"
#include "hw/proxy/job.hpp"

namespace forelap::hw::proxy {

/// What an event means for the open group: the lane that begins its work nears its end, or has reached it.
enum class Mark : std::uint8_t { none, group_nears_end, group_end };

/// Something to be done when an event has come.
struct Watch {
  EventPtr event;
  JobPtr job;  ///< ends with the event, or null
  Mark mark = Mark::none;
};

/// Told by watching threads.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  /// The events of these have come.
  virtual void passed(std::vector<Watch> watches) = 0;
  /// Waiting threw: the device is lost.
  virtual void lost(const std::string& cause) = 0;
};

/// Watches events of one queue in the order in which they were recorded. One wait covers several where they follow
/// each other more closely than threads are woken.
class Lane {
 public:
  explicit Lane(WatchSink& sink) : sink_(sink), thread_([this] { run(); }) {}
  /// Only when nothing is watched.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void watch(Watch watch);
  /// After a loss: waits until the thread has returned from the device, and takes what was still watched.
  std::vector<Watch> abandon();

 private:
  void run();
  /// How many of the pending watches the next wait covers.
  [[nodiscard]] std::size_t stride() const;
  /// Waits for the event of the `count`-th pending watch, without the lock; false where that threw, or
  /// where another lane saw the loss meanwhile.
  bool await(std::unique_lock<std::mutex>& lock, std::size_t count);

  WatchSink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Watch> pending_;
  bool sleeping_ = false;  ///< the thread waits for something to watch
  bool waiting_ = false;   ///< the thread is in the device's hands
  bool lost_ = false;
  bool closing_ = false;
  double interval_ = 1;  ///< seconds between events of late
  std::thread thread_;   ///< last: starts when the rest is there
};

}  // namespace forelap::hw::proxy
