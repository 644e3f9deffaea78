#pragma once
// In-order queues of the CPU device, each a thread; their events and the release gate.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hw/cpu/pool.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cpu {

using Clock = std::chrono::steady_clock;

/// Done once, with or without an error.
class CpuEvent : public Event {
 public:
  void wait() override;
  void complete(std::exception_ptr error);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::exception_ptr error_;
};

/// Host memory of either kind, and device memory alike: page-aligned bytes. To memcpy pinned and pageable are the same,
/// so a wish for pinned memory counts as met.
class CpuHostMemory : public HostMemory {
 public:
  CpuHostMemory(std::span<std::byte> bytes, core::MemoryKind kind) : bytes_(bytes), kind_(kind) {}
  ~CpuHostMemory() override;
  CpuHostMemory(const CpuHostMemory&) = delete;
  CpuHostMemory& operator=(const CpuHostMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return kind_; }

 private:
  std::span<std::byte> bytes_;
  core::MemoryKind kind_;
};

/// Host memory that kernels work on in place.
class CpuMappedMemory : public DeviceMemory {
 public:
  explicit CpuMappedMemory(std::span<std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

/// Memory of the device's own.
class CpuDeviceMemory : public CpuMappedMemory {
 public:
  explicit CpuDeviceMemory(std::span<std::byte> bytes) : CpuMappedMemory(bytes) {}
  ~CpuDeviceMemory() override;
  CpuDeviceMemory(const CpuDeviceMemory&) = delete;
  CpuDeviceMemory& operator=(const CpuDeviceMemory&) = delete;
};

/// A command of a queue: what runs, and whether it is stamped.
struct Command {
  std::function<void()> body;
  std::shared_ptr<CpuEvent> event;  ///< completed after the body, if set
  bool work = false;                ///< a copy or a launch
  bool stamped = false;
};

class CpuQueue : public Queue {
 public:
  CpuQueue(std::shared_ptr<Pool> pool, std::vector<unsigned> cores);
  /// Waits for what is enqueued.
  ~CpuQueue() override;
  CpuQueue(const CpuQueue&) = delete;
  CpuQueue& operator=(const CpuQueue&) = delete;

  void wait_for(const EventPtr& event) override;
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
            std::uint64_t offset = 0) override;
  void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override;
  EventPtr record() override;
  void set_stamping(bool on) override { stamping_ = on; }
  std::vector<Stamp> take_stamps() override;
  void flush() override {}

  /// Later commands wait for `event`, which no error comes from.
  void enqueue(Command command);
  /// The clock's zero for stamps; called while the queue is held.
  void set_zero(Clock::time_point zero);
  /// When the last copy or launch ended; only after the queue has finished.
  [[nodiscard]] Clock::time_point last_end();

 private:
  void work();
  void run_command(const Command& command);

  std::shared_ptr<Pool> pool_;
  std::vector<unsigned> cores_;
  bool stamping_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  bool closing_ = false;
  Clock::time_point zero_{};
  Clock::time_point last_end_{};
  std::vector<std::pair<Clock::time_point, Clock::time_point>> times_;
  std::exception_ptr failed_;  ///< only touched by the queue's thread
  std::thread thread_;
};

class CpuGate : public Gate {
 public:
  /// An unopened gate is opened, so that no queue hangs.
  ~CpuGate() override;
  void hold(Queue& queue) override;
  void open() override;
  [[nodiscard]] std::optional<Clock::time_point> released_at() const override { return zero_; }
  core::Tick finish() override;

 private:
  std::vector<CpuQueue*> queues_;
  std::shared_ptr<CpuEvent> release_ = std::make_shared<CpuEvent>();
  Clock::time_point zero_{};
  bool opened_ = false;
};

}  // namespace forelap::hw::cpu
