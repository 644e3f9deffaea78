#include "hw/controller/host_thread.hpp"

#include <utility>

namespace forelap::hw::controller {
namespace {

/// Beyond it who posts waits: millions of launches would fill the memory.
constexpr std::size_t kMostWaiting = 8192;

}  // namespace

HostThread::HostThread(std::function<void()> start, std::function<void()> idle)
    : start_(std::move(start)), idle_(std::move(idle)), thread_([this] { run(); }) {}

HostThread::~HostThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void HostThread::post(std::function<void()> work) {
  bool sleeping = false;
  {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [this] { return work_.size() < kMostWaiting; });
    work_.push_back(std::move(work));
    sleeping = !busy_;
  }
  // A busy thread looks for more by itself.
  if (sleeping) posted_.notify_one();
}

void HostThread::drain() {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return work_.empty() && !busy_; });
}

void HostThread::run() {
  start_();
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [this] { return closing_ || !work_.empty(); });
    if (work_.empty()) return;
    busy_ = true;
    while (!work_.empty()) {
      std::deque<std::function<void()>> taken;
      taken.swap(work_);
      lock.unlock();
      taken_.notify_all();
      for (const auto& work : taken) work();
      taken.clear();
      lock.lock();
      if (!work_.empty()) continue;
      lock.unlock();
      idle_();
      lock.lock();
    }
    busy_ = false;
    taken_.notify_all();
  }
}

}  // namespace forelap::hw::controller
