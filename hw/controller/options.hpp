#pragma once
// What a controller is told, and what it tells.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hw/controller/tile.hpp"

namespace forelap::hw::controller {

/// When data goes to a device.
enum class Transfers : std::uint8_t {
  lazy,       ///< by the first launch that reads it
  immediate,  ///< when it is attached
  chunked,    ///< by the first launch that reads it, in chunks: copies, computation and copies back overlap
};

/// Which version of a kernel a device takes.
enum class VersionWish : std::uint8_t {
  automatic,    ///< a wrapper or library that is here, else a specialised version, else the generic one
  generic,      ///< the generic one
  specialised,  ///< a specialised version, else the generic one
};

/// What weights are chosen for.
struct WeightQuestion {
  std::vector<std::string> devices;  ///< as they were given: "cuda:0", "cpu:0-7"
  std::vector<std::string> names;    ///< what they are: "NVIDIA H200"
  std::string kernel;                ///< empty where it is not known yet
  Extents extents = {0, 1, 1};       ///< of the launch, or of the tile where the kernel is not known
  double work_per_item = 1;          ///< in the unit of the kernel's model
  double bytes_in = 0;               ///< to and from a device that has all: of partitioned tiles
  double bytes_out = 0;
  double bytes_whole = 0;  ///< to each device, of tiles that are attached whole
};

/// Chooses weights where none are given. Asked by the thread that attaches or launches.
class WeightChooser {
 public:
  virtual ~WeightChooser() = default;
  /// One for each device, none negative, not all zero; they need not sum to 1.
  virtual std::vector<double> weights(const WeightQuestion& question) = 0;
};

struct Options {
  /// The share of each device in partitioned tiles, in the order of the devices; they need not sum to 1. Empty: chosen.
  std::vector<double> weights = {};
  Transfers transfers = Transfers::lazy;
  /// Chunks of each device's part where transfers are chunked; 0: as many as give chunks of 16 MiB or more, at most 16.
  unsigned chunks = 0;
  VersionWish version = VersionWish::automatic;
  /// Stamp every copy and launch, for `times()`. Costs about two microseconds a launch on some devices.
  bool timing = false;
  /// Bytes of memory that the controller takes on each device; 0: nine tenths of it. What does not fit is streamed.
  std::uint64_t memory_limit = 0;
  /// Asked where `weights` is empty; null: equal weights.
  std::shared_ptr<WeightChooser> chooser = {};
};

/// How a tile lies on the devices.
struct Layout {
  bool partitioned = false;
  std::vector<double> weights = {};  ///< empty: those of the controller
};
/// Every device has all of it.
inline Layout whole() {
  return {};
}
/// Each device has some of its rows (indices of the leading dimension), by weights in the order of the devices.
inline Layout partitioned(std::vector<double> weights = {}) {
  return {true, std::move(weights)};
}

/// What one device did since the controller was made or its times were reset; seconds.
struct DeviceTimes {
  std::string device;
  double computation = 0;  ///< sum over launches
  double to_device = 0;    ///< sum over copies
  double from_device = 0;
  double queueing = 0;  ///< of the device's host thread: handing commands over
  std::uint64_t launches = 0;
  std::uint64_t items = 0;  ///< rows that were computed, summed over launches
  std::uint64_t bytes_to = 0;
  std::uint64_t bytes_from = 0;
};

/// Which version of a kernel a device takes, and why.
struct ChosenVersion {
  std::string version;  ///< "generic", "specialised", "cuBLAS", "CBLAS (libopenblas.so.0)", "wrapper"
  std::string reason;
  std::array<std::uint32_t, 3> block = {0, 1, 1};  ///< work-items of a group; on CPU cores rows of a block
};

}  // namespace forelap::hw::controller
