#pragma once
// Events: marks in a stream that other streams and the host wait for and that carry the device's time.

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "core/time.hpp"
#include "hw/cuda/context.hpp"
#include "hw/cuda/handles.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cuda {

/// Events of one device, used again: creating one may make the driver allocate, which must not happen while something
/// is timed. Thread-safe.
///
/// Every event carries a time stamp, so that one and the same event serves as dependency, stamp and end mark. None is
/// created with BLOCKING_SYNC: such an event raises an interrupt at every record, also where only a stream waits.
class EventPool {
 public:
  EventPool(std::shared_ptr<Context> context, std::size_t ready);
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  /// An event that the device has passed: one that is still awaited from its last use is not recorded anew.
  EventHandle take();
  void give_back(EventHandle event) noexcept;
  [[nodiscard]] const Context& context() const { return *context_; }

 private:
  std::shared_ptr<Context> context_;
  std::mutex mutex_;
  std::deque<EventHandle> free_;  ///< the longest unused first
};

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(std::shared_ptr<EventPool> pool);
  ~CudaEvent() override;
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

  /// Marks the present end of `stream`. The context must be current.
  void record(StreamHandle stream);
  /// Whether everything before the mark is done. Throws core::Error (device_failed) if some of it failed.
  [[nodiscard]] bool done() const;
  /// Polls: closely for the first 100 us, then at 1/256 of the time already waited, from 20 to 250 us.
  void wait() override;
  /// Ticks from `earlier`, an event of the same device, to this one; both must be done. Negative where this one came
  /// first.
  ///
  /// The driver gives milliseconds as float with a resolution of about 0.5 us; the float itself resolves 8 ns at 0.1 s
  /// and 60 ns at 1 s.
  [[nodiscard]] core::Tick ticks_since(const CudaEvent& earlier) const;
  [[nodiscard]] EventHandle handle() const { return event_; }

 private:
  std::shared_ptr<EventPool> pool_;
  EventHandle event_;
};
using CudaEventPtr = std::shared_ptr<CudaEvent>;

}  // namespace forelap::hw::cuda
