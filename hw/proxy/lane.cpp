#include "hw/proxy/lane.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace forelap::hw::proxy {
namespace {

using Clock = std::chrono::steady_clock;

/// Futures of tasks that end within this time of each other are made ready together: about what waking a thread costs.
constexpr double kTogetherSeconds = 20e-6;
constexpr std::size_t kMostTogether = 16;

std::string words_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Lane::watch(Watch watch) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(watch));
    wake = sleeping_;
  }
  if (wake) changed_.notify_all();
}

std::vector<Watch> Lane::abandon() {
  std::unique_lock lock(mutex_);
  lost_ = true;
  changed_.wait(lock, [this] { return !waiting_; });
  std::vector<Watch> left(std::make_move_iterator(pending_.begin()), std::make_move_iterator(pending_.end()));
  pending_.clear();
  lost_ = false;
  return left;
}

std::size_t Lane::stride() const {
  const auto together = static_cast<std::size_t>(std::clamp(kTogetherSeconds / interval_, 1.0, double{kMostTogether}));
  const std::size_t most = std::min(together, pending_.size());
  // A group's marks are what the proxy waits for.
  for (std::size_t i = 0; i < most; ++i) {
    if (pending_[i].mark != Mark::none) return i + 1;
  }
  return most;
}

bool Lane::await(std::unique_lock<std::mutex>& lock, std::size_t count) {
  EventPtr event = pending_[count - 1].event;
  waiting_ = true;
  lock.unlock();
  bool came = true;
  std::string cause;
  try {
    event->wait();
  } catch (...) {
    came = false;
    cause = words_of_current_exception();
  }
  event.reset();  // nothing here keeps a lost device open
  // Before `abandon` can return: a later word would be taken for a loss of the next device.
  if (!came) sink_.lost(cause);
  lock.lock();
  waiting_ = false;
  lost_ = lost_ || !came;
  changed_.notify_all();
  return !lost_;
}

void Lane::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point last = Clock::now();
  while (true) {
    sleeping_ = true;
    changed_.wait(lock, [this] { return closing_ || (!pending_.empty() && !lost_); });
    sleeping_ = false;
    if (pending_.empty() || lost_) return;
    const std::size_t count = stride();
    if (!await(lock, count)) continue;
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count() / static_cast<double>(count);
    interval_ += (std::max(seconds, 1e-9) - interval_) / 4;
    last = now;
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Watch> passed(std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
    pending_.erase(pending_.begin(), end);
    lock.unlock();
    sink_.passed(std::move(passed));
    passed.clear();
    lock.lock();
  }
}

}  // namespace forelap::hw::proxy
