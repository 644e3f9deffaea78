#pragma once
// One device of a controller, with its queue and host thread: places of tiles on it, launches over its rows, and what
// it brings back. A device that computes in its own memory is a MemoryUnit, a group of cores a CoresUnit.
//
// Threads: calls come from one thread at a time (the controller sees to it); the work is done on the unit's host
// thread.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hw/controller/kernel_definition.hpp"
#include "hw/controller/options.hpp"
#include "hw/device.hpp"

namespace forelap::hw::controller {

/// The rows [first, first + rows) of a tile on a device. Derived by each kind of unit.
class Place {
 public:
  Place(std::shared_ptr<TileState> tile, std::int64_t first, std::int64_t rows, bool partitioned)
      : tile_(std::move(tile)), first_(first), rows_(rows), partitioned_(partitioned) {}
  virtual ~Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] const std::shared_ptr<TileState>& tile() const { return tile_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] bool partitioned() const { return partitioned_; }
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(rows_) * tile_->row_bytes(); }

 private:
  std::shared_ptr<TileState> tile_;
  std::int64_t first_;
  std::int64_t rows_;
  bool partitioned_;
};
using PlacePtr = std::shared_ptr<Place>;

/// A kernel made ready for a unit; derived by each kind of unit.
class ReadyKernel {
 public:
  virtual ~ReadyKernel() = default;
  ChosenVersion chosen;
};

using UnitArgument = std::variant<PlacePtr, LaunchArgument>;

/// A launch over a unit's rows.
struct UnitLaunch {
  std::shared_ptr<const KernelDefinition> kernel;
  std::shared_ptr<ReadyKernel> ready;
  Extents space = {0, 1, 1};  ///< of the whole launch
  std::int64_t first = 0;
  std::int64_t rows = 0;  ///< above 0
  std::vector<UnitArgument> arguments;
};

/// Waits for something, and throws what became of it.
using Waiter = std::function<void()>;

class Unit {
 public:
  virtual ~Unit() = default;

  /// "cuda:0 (NVIDIA H200)".
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Takes memory for a part of a tile; `upload`: its values go to the device at once. Throws core::Error
  /// (device_failed) naming the tile and the sizes.
  virtual PlacePtr place(const std::shared_ptr<TileState>& tile, std::int64_t first, std::int64_t rows,
                         bool partitioned, bool upload) = 0;
  /// Compiles or chooses. Throws core::Error.
  virtual std::shared_ptr<ReadyKernel> make_ready(const KernelDefinition& kernel) = 0;
  /// Enqueues. Throws core::Error for what can be told at once (streamed tiles of which not one row fits).
  virtual void launch(std::shared_ptr<UnitLaunch> launch) = 0;
  /// Enqueues the copies back of what was written; afterwards nothing on the device uses the places. The result waits.
  virtual Waiter bring_back(std::vector<PlacePtr> places) = 0;
  /// Enqueues nothing; the result waits until all is done.
  virtual Waiter finish() = 0;
  /// What went wrong since it was last asked for, null where nothing did. A device that computes in its own memory
  /// stays failed.
  virtual std::exception_ptr take_failure() = 0;
  /// Waits until all is done.
  virtual DeviceTimes times() = 0;
  virtual void reset_times() = 0;
};

std::unique_ptr<Unit> make_cores_unit(const std::string& name, const std::vector<unsigned>& cores,
                                      const Options& options);
std::unique_ptr<Unit> make_memory_unit(const std::string& name, DeviceKind kind, std::shared_ptr<Device> device,
                                       const Options& options);

}  // namespace forelap::hw::controller
