#pragma once
// An in-order queue: a stream of its own that waits for no other stream unless it is told to.

#include <cstddef>
#include <memory>
#include <vector>

#include "hw/cuda/context.hpp"
#include "hw/cuda/events.hpp"
#include "hw/cuda/handles.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cuda {

/// Copies from and to pageable memory return late: the driver stages them through its own buffers, and the caller waits
/// for its turn in the stream.
class CudaQueue final : public Queue {
 public:
  CudaQueue(std::shared_ptr<Context> context, std::shared_ptr<EventPool> events);
  /// Waits for what is still enqueued (behind a closed gate that nobody opens: until it lets go).
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void wait_for(const EventPtr& event) override;
  void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
            std::uint64_t offset = 0) override;
  void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) override;
  void call_native(const std::function<void(void*)>& enqueue) override;
  /// Without commands since the last mark, that mark again.
  EventPtr record() override;
  void set_stamping(bool on) override { stamping_ = on; }
  /// Against the release of the gate that held the queue last; without one, against the first stamp's begin.
  std::vector<Stamp> take_stamps() override;
  /// Streams hand commands over at once. Marks the end of what is enqueued, so that a gate later knows when it was
  /// reached: to be called after a lane's last command.
  void flush() override;

  /// For the gate: later commands wait for `released`, which is the zero of this queue's stamps.
  void hold(const CudaEventPtr& released);
  /// For the gate: the mark after the last command since `hold`, null without commands since. A queue that was not
  /// flushed after its last command is marked now, which is late where the device has already passed it.
  CudaEventPtr last_mark();

 private:
  struct StampEvents {
    CudaEventPtr begin;
    CudaEventPtr end;
  };

  CudaEventPtr mark();
  /// Around each command: the stamp's events, where stamping is on.
  CudaEventPtr begin_command();
  void end_command(const CudaEventPtr& begin);

  std::shared_ptr<Context> context_;
  std::shared_ptr<EventPool> events_;
  StreamHandle stream_ = nullptr;
  CudaEventPtr mark_;  ///< at the present end of the stream, or null where something came after it
  CudaEventPtr zero_;
  std::size_t commands_ = 0;  ///< since `hold`
  bool stamping_ = false;
  std::vector<StampEvents> stamps_;
  std::vector<DeviceAddress> addresses_;  ///< of the launch in progress; members only to be allocated once
  std::vector<void*> parameters_;
};

}  // namespace forelap::hw::cuda
