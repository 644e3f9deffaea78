#pragma once
// A device that computes in its own memory: three queues, so that copies in both directions and kernels overlap.
// Internal to hw/controller.

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hw/controller/device_text.hpp"
#include "hw/controller/host_thread.hpp"
#include "hw/controller/memory_place.hpp"
#include "hw/controller/unit.hpp"

namespace forelap::hw::controller {

class MemoryKernel : public ReadyKernel {
 public:
  std::unique_ptr<hw::Kernel> kernel;
  Block block = {0, 1, 1};  ///< {0}: by the kernel's character
  NativeFunction native;    ///< in place of the kernel
};

class MemoryUnit : public Unit {
 public:
  MemoryUnit(std::string name, DeviceKind kind, std::shared_ptr<Device> device, const Options& options);
  ~MemoryUnit() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  PlacePtr place(const std::shared_ptr<TileState>& tile, std::int64_t first, std::int64_t rows, bool partitioned,
                 bool upload) override;
  std::shared_ptr<ReadyKernel> make_ready(const KernelDefinition& kernel) override;
  void launch(std::shared_ptr<UnitLaunch> launch) override;
  Waiter bring_back(std::vector<PlacePtr> places) override;
  Waiter finish() override { return bring_back({}); }
  std::exception_ptr take_failure() override;
  DeviceTimes times() override;
  void reset_times() override;

 private:
  /// A launch with what was decided when it was given.
  struct Work {
    std::shared_ptr<UnitLaunch> launch;
    std::shared_ptr<Stream> stream;  ///< where tiles are streamed
    std::int64_t rows_at_once = 0;   ///< of a chunk of the stream
  };
  /// Rows [first, last) of a launch, and its arguments' memory in a slot of the stream.
  struct Chunk {
    std::int64_t first = 0;
    std::int64_t last = 0;
    Stream::Slot* slot = nullptr;
  };

  // Where memory goes (memory_unit.cpp).
  [[nodiscard]] std::uint64_t room() const;
  std::shared_ptr<Stream> stream_for(const UnitLaunch& launch);
  bool spill_largest(const UnitLaunch& launch);
  std::shared_ptr<Stream> make_stream(const UnitLaunch& launch, std::vector<const Place*> places);
  void forget_streams_of(const std::vector<PlacePtr>& places);
  // Failures.
  /// Does nothing after a failure.
  void guarded(const std::function<void()>& work);
  /// Notes a failure.
  void attempt(const std::function<void()>& work);
  void set_failure(std::exception_ptr failure);
  void collect_stamps();

  // On the host thread (memory_launch.cpp).
  void run(const Work& work);
  void run_chunk(const UnitLaunch& launch, const Chunk& chunk, bool more);
  std::vector<std::int64_t> bounds_of(const Work& work);
  void upload(MemoryPlace& place, std::int64_t first, std::int64_t last);
  void bring_inputs(const UnitLaunch& launch, const Chunk& chunk);
  void start_kernel(const UnitLaunch& launch, const Chunk& chunk);
  void start_native(const UnitLaunch& launch, const Chunk& chunk, const NativeFunction& function);
  void mark_outputs(const UnitLaunch& launch, const Chunk& chunk, bool more);
  void copy_slot_back(const UnitLaunch& launch, const Chunk& chunk);
  void copy_back(const std::vector<PlacePtr>& places);
  EventPtr mark(Queue& queue);
  [[nodiscard]] TilePlace tile_place(const UnitLaunch& launch, const Chunk& chunk, std::size_t argument,
                                     std::size_t streamed) const;

  std::string name_;
  DeviceKind kind_;
  Options options_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<MemoryStore> store_;
  std::vector<std::shared_ptr<Stream>> streams_;  ///< kept for launches of the same tiles
  std::unique_ptr<Queue> in_;
  std::unique_ptr<Queue> run_;
  std::unique_ptr<Queue> out_;
  std::vector<ResolvedArgument> arguments_;  ///< of the launch in progress
  std::mutex mutex_;
  std::exception_ptr failure_;
  DeviceTimes times_;
  HostThread thread_;  ///< last: it uses the others
};

}  // namespace forelap::hw::controller
