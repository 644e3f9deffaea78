#pragma once
// The gate: a one-thread kernel that spins on a flag in host memory until the host writes it. Streams wait for the
// event behind that kernel, so that all are released by the same device at the same moment.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hw/cuda/context.hpp"
#include "hw/cuda/events.hpp"
#include "hw/cuda/handles.hpp"
#include "hw/cuda/kernel.hpp"
#include "hw/cuda/queue.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cuda {

/// What one closed gate needs.
struct GateParts {
  StreamHandle stream = nullptr;
  std::uint32_t* flag = nullptr;   ///< host memory that the device reads: 0 closed, 1 open
  DeviceAddress flag_address = 0;  ///< the same, for the device
};

/// The gate's kernel and idle parts of one device. Made, and the kernel run once, when the device is opened: nothing is
/// loaded or allocated while a gate is closed. Thread-safe.
class GatePool {
 public:
  /// Throws core::Error where the kernel does not build or run.
  GatePool(std::shared_ptr<Context> context, int capability);
  ~GatePool();
  GatePool(const GatePool&) = delete;
  GatePool& operator=(const GatePool&) = delete;

  GateParts take();
  /// Of a gate whose kernel has ended.
  void give_back(const GateParts& parts);
  /// Closes: the kernel spins on the parts' stream until `open_flag`, or until it lets go by itself (20 s).
  void launch(const GateParts& parts);
  static void open_flag(const GateParts& parts);

 private:
  GateParts make();

  std::shared_ptr<Context> context_;
  CudaKernel kernel_;
  std::mutex mutex_;
  std::vector<GateParts> free_;
};

/// One use: hold, open, finish. The queues held must live until `finish` has returned or the gate is destroyed. Calls
/// come from one thread; between `hold` and `finish` the queues may be used from others.
class CudaGate final : public Gate {
 public:
  CudaGate(std::shared_ptr<GatePool> pool, std::shared_ptr<EventPool> events)
      : pool_(std::move(pool)), events_(std::move(events)) {}
  /// Opens, so that an error never leaves the device spinning.
  ~CudaGate() override;
  CudaGate(const CudaGate&) = delete;
  CudaGate& operator=(const CudaGate&) = delete;

  /// The first call closes the gate.
  void hold(Queue& queue) override;
  /// Throws core::Error (device_failed) where the gate has let go by itself before.
  void open() override;
  /// Opens if that was not done. The end of a queue is the mark that flush() or record() left after its last command.
  core::Tick finish() override;

 private:
  void close();

  std::shared_ptr<GatePool> pool_;
  std::shared_ptr<EventPool> events_;
  std::optional<GateParts> parts_;  ///< set while the gate's kernel may run
  CudaEventPtr released_;
  std::vector<CudaQueue*> held_;
  bool opened_ = false;
};

}  // namespace forelap::hw::cuda
