#pragma once
// In-order queues of an OpenCL device, their events and the release gate.

#include <memory>
#include <vector>

#include "hw/device.hpp"
#include "hw/opencl/context.hpp"

namespace forelap::hw::opencl {

class ClEvent : public Event {
 public:
  ClEvent(std::shared_ptr<Context> context, EventHandle event)
      : context_(std::move(context)), event_(std::move(event)) {}
  void wait() override;
  [[nodiscard]] const EventHandle& handle() const { return event_; }
  [[nodiscard]] const Context& context() const { return *context_; }

 private:
  std::shared_ptr<Context> context_;
  EventHandle event_;
};

/// Waits (for another queue, for the gate) are carried by the next command instead of a command of their own: a barrier
/// costs as much as a small kernel. Stamped runs use a second queue with profiling, which costs time on some devices.
class ClQueue : public Queue {
 public:
  explicit ClQueue(std::shared_ptr<Context> context);
  ~ClQueue() override;
  ClQueue(const ClQueue&) = delete;
  ClQueue& operator=(const ClQueue&) = delete;

  void wait_for(const EventPtr& event) override;
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes) override;
  void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override;
  EventPtr record() override;
  void set_stamping(bool on) override;
  std::vector<Stamp> take_stamps() override;
  void flush() override;

  void wait_for(EventHandle event) { waits_.push_back(std::move(event)); }
  [[nodiscard]] Context& context() { return *context_; }
  /// The event of the last command, or null where there was none; waits that no command has carried yet get a marker.
  cl_event last_event();
  /// The device's time when the first stamped command began, in ns; nothing where none was stamped.
  bool first_start(cl_ulong& start);
  /// The zero of stamps, in the device's ns.
  void set_zero(cl_ulong zero) { zero_ = zero; }

 private:
  [[nodiscard]] cl_command_queue queue() const { return stamping_ ? profiled_.get() : plain_.get(); }
  std::vector<cl_event> raw_waits() const;
  /// Takes note of a command's event.
  void enqueued(EventHandle event, bool work);
  cl_ulong time_of(const EventHandle& event, cl_profiling_info what);

  std::shared_ptr<Context> context_;
  QueueHandle plain_;
  QueueHandle profiled_;
  bool stamping_ = false;
  std::vector<EventHandle> waits_;    ///< for the next command
  EventHandle last_;                  ///< of the last command
  std::vector<EventHandle> stamped_;  ///< of the copies and launches since stamping began
  cl_ulong zero_ = 0;
};

/// Holds queues back by a user event. The makespan is taken on the host's clock, from setting that event until all
/// queues are done, so it includes one wake-up of the waiting thread. The zero of stamps is the start of the earliest
/// command, for the device's clock knows nothing of the release: stamps lie early by the time that the first command
/// needs to start (20 us and less where it was measured).
class ClGate : public Gate {
 public:
  explicit ClGate(std::shared_ptr<Context> context);
  ~ClGate() override;
  ClGate(const ClGate&) = delete;
  ClGate& operator=(const ClGate&) = delete;
  void hold(Queue& queue) override;
  void open() override;
  core::Tick finish() override;

 private:
  void set_zero();

  std::shared_ptr<Context> context_;
  EventHandle release_;
  std::vector<ClQueue*> queues_;
  bool opened_ = false;
  std::int64_t opened_at_ = 0;  ///< ns of the steady clock
};

}  // namespace forelap::hw::opencl
