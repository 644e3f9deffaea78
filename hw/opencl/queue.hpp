#pragma once
// In-order queues of an OpenCL device, their events and the release gate.

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "hw/device.hpp"
#include "hw/opencl/context.hpp"
#include "hw/opencl/gate_kernel.hpp"

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
/// costs as much as a small kernel. Profiling costs time on some devices: CPU devices use a second queue with it for
/// stamped runs only; GPUs, whose own clock times every run, always use that one.
class ClQueue : public Queue {
 public:
  explicit ClQueue(std::shared_ptr<Context> context);
  ~ClQueue() override;
  ClQueue(const ClQueue&) = delete;
  ClQueue& operator=(const ClQueue&) = delete;

  void wait_for(const EventPtr& event) override;
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
            std::uint64_t offset = 0) override;
  void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override;
  void expect_more(bool more) override { more_ = more; }
  void call_native(const std::function<void(void*)>& enqueue) override;
  EventPtr record() override;
  void set_stamping(bool on) override;
  std::vector<Stamp> take_stamps() override;
  void flush() override;

  void wait_for(EventHandle event) { waits_.push_back(std::move(event)); }
  [[nodiscard]] Context& context() { return *context_; }
  /// The event of the last command, or null where there was none; waits that no command has carried yet get a marker.
  cl_event last_event();
  /// Start of the first and end of the last copy or launch since stamping was last set, on the device's clock in ns.
  /// Nothing where there was none, or where the device does not time its runs.
  struct Span {
    cl_ulong start = 0;
    cl_ulong end = 0;
  };
  std::optional<Span> span();
  /// The zero of stamps, in the device's ns.
  void set_zero(cl_ulong zero) { zero_ = zero; }

 private:
  [[nodiscard]] bool profiling() const { return stamping_ || context_->info.is_gpu; }
  [[nodiscard]] cl_command_queue queue() const { return profiling() ? profiled_.get() : plain_.get(); }
  std::vector<cl_event> raw_waits() const;
  /// Takes note of a command's event.
  void enqueued(EventHandle event, bool work);
  cl_ulong time_of(const EventHandle& event, cl_profiling_info what);

  std::shared_ptr<Context> context_;
  QueueHandle plain_;
  QueueHandle profiled_;
  bool stamping_ = false;
  bool more_ = false;                 ///< the next launch needs no event of its own
  std::vector<EventHandle> waits_;    ///< for the next command
  EventHandle last_;                  ///< of the last command
  EventHandle first_work_;            ///< of the first copy or launch since stamping was last set
  EventHandle last_work_;             ///< of the last one
  std::vector<EventHandle> stamped_;  ///< of the copies and launches since stamping began
  cl_ulong zero_ = 0;
};

/// Holds queues back by a user event, or by a kernel (gate_kernel.hpp) where the device keeps the order of calls and
/// can take all commands at once: an enqueue that blocks would keep the gate from being opened. On GPUs the makespan is
/// taken on the device's clock, from the start of the first command to the end of the last: the host's wake-ups are no
/// part of what the device did. Elsewhere it is taken on the host's clock, from setting the event until all queues are
/// done, as it is where a device's times cannot be right (longer than the host saw, or running backwards), and in runs
/// over several devices. The zero of stamps is the start of the earliest command, for the device's clock knows nothing
/// of the release.
class ClGate : public Gate {
 public:
  ClGate(std::shared_ptr<Context> context, std::shared_ptr<GateKernels> kernels);
  ~ClGate() override;
  void expect(std::size_t commands, bool at_once) override;
  ClGate(const ClGate&) = delete;
  ClGate& operator=(const ClGate&) = delete;
  void hold(Queue& queue) override;
  void open() override;
  void among_others() override { among_others_ = true; }
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> released_at() const override { return opened_at_; }
  core::Tick finish() override;

 private:
  /// Sets the zero of stamps; the span of all queues on the device's clock.
  std::optional<ClQueue::Span> device_span();
  void close();
  void release();

  std::shared_ptr<Context> context_;
  std::shared_ptr<GateKernels> kernels_;
  std::unique_ptr<GateKernel> kernel_;  ///< null: a user event
  bool by_kernel_ = false;
  EventHandle release_;  ///< made by the first hold
  std::vector<ClQueue*> queues_;
  bool opened_ = false;
  bool among_others_ = false;
  std::chrono::steady_clock::time_point opened_at_{};
};

}  // namespace forelap::hw::opencl
