#pragma once
// forelap::Controller and forelap::MultiController: one kernel over one or many devices. Installed; link
// forelap::controller.
//
//   FORELAP_KERNEL(matrix_add, (i, j), (in<float, 2> a, in<float, 2> b, out<float, 2> c), {
//     c(i, j) = a(i, j) + b(i, j);
//   });
//
//   forelap::MultiController devices({"cuda:0", "cuda:1", "cpu:0-7"});
//   auto a = devices.tile<float>({rows, columns}, "a");
//   auto b = devices.tile<float>({rows, columns}, "b");
//   auto c = devices.tile<float>({rows, columns}, "c");
//   ...                                  // fill a and b
//   devices.partition(a, b, c);          // rows by weights
//   devices.launch(matrix_add, a, b, c);
//   devices.detach(a, b, c);             // c holds the sum
//
// Errors are forelap::Error, whose kind says whether the input was wrong, something is missing here, or a device
// failed.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "hw/controller/kernel.hpp"
#include "hw/controller/options.hpp"
#include "hw/controller/tile.hpp"

namespace forelap {

using core::Error;
using core::ErrorKind;
using hw::controller::ChosenVersion;
using hw::controller::Coalescing;
using hw::controller::DeviceKind;
using hw::controller::DeviceTimes;
using hw::controller::Extents;
using hw::controller::In;
using hw::controller::InOut;
using hw::controller::Kernel;
using hw::controller::Layout;
using hw::controller::Level;
using hw::controller::NativeLaunch;
using hw::controller::Out;
using hw::controller::partitioned;
using hw::controller::Tile;
using hw::controller::Transfers;
using hw::controller::VersionWish;
using hw::controller::WeightChooser;
using hw::controller::WeightQuestion;
using hw::controller::whole;

struct ControllerOptions {
  /// The share of each device in partitioned tiles, in the order of the devices; they need not sum to 1. Empty: chosen.
  std::vector<double> weights = {};
  /// A machine profile, as `forelap calibrate` writes it: chooses the weights where none are given.
  std::string machine = {};
  /// Chooses the weights where none are given, in place of a profile. Without either all weights are equal.
  std::shared_ptr<WeightChooser> chooser = {};
  Transfers transfers = Transfers::lazy;
  /// Chunks of each device's part where transfers are chunked; 0: as many as give chunks of 16 MiB or more, at most 16.
  unsigned chunks = 0;
  VersionWish version = VersionWish::automatic;
  /// Stamp every copy and launch, for `times()`. Costs about two microseconds a launch on some devices.
  bool timing = false;
  /// Bytes of memory that the controller takes on each device; 0: nine tenths of it. What does not fit is streamed.
  std::uint64_t memory_limit = 0;
};

/// Weights by which all devices end at the same time, by the copies and the kernel as machine profile `machine` has
/// them: the kernel by its name, its work by what the kernel says of an item (Kernel::work_per_item). Equal weights
/// where the profile lacks the kernel or a device. Throws Error where the file is no profile.
std::shared_ptr<WeightChooser> weights_from_profile(const std::string& machine);

/// An ordered list of devices that works like one. Each device has its own queue and host thread; launches and copies
/// are asynchronous, and only `detach`, `wait` and the destructor wait for devices.
///
/// Threads: all calls may come from any thread; they exclude each other.
/// Errors of a device that fails while it works are thrown by the next call that waits for it or gives it work, and
/// name it; the host's data stays as it was, except for what other devices have finished.
class MultiController {
 public:
  /// Devices are "cuda:0", "opencl:1", "cpu:0-3" (cores by number, hyper-threads are cores), "cpu:cores=4" (that many
  /// cores that no other group of this controller has), "cpu" (all cores that are left). Throws Error: bad_input for a
  /// device that is named twice, overlapping core groups, cores that this process may not use, and weights that are
  /// none (a wrong number of them, negative, infinite or not a number, all zero); unavailable where a device does not
  /// open.
  explicit MultiController(const std::vector<std::string>& devices, const ControllerOptions& options = {});
  /// Waits for all work and brings what was written back into the tiles that are still attached.
  ~MultiController();
  MultiController(const MultiController&) = delete;
  MultiController& operator=(const MultiController&) = delete;

  /// A tile in memory that these devices copy from and to directly (pinned where one of them is a GPU). It may outlive
  /// the controller.
  template <hw::controller::Element T, std::integral I, std::size_t D>
  Tile<T, static_cast<int>(D)> tile(const I (&extents)[D], std::string name = {}) {
    return Tile<T, static_cast<int>(D)>(
        make_tile(std::move(name), sizeof(T), static_cast<int>(D), hw::controller::to_extents(extents)));
  }

  /// Hands a tile to the devices: whole, or partitioned by weights. Throws Error: bad_input for a tile that is attached
  /// already and for weights that are none; device_failed, with nothing attached, where a device has no room for it.
  template <hw::controller::Element T, int D>
  void attach(Tile<T, D>& tile, const Layout& layout = {}) {
    attach_tile(tile.state(), layout);
  }
  /// Attaches tiles, each partitioned by the controller's weights.
  template <class... Tiles>
  void partition(Tiles&... tiles) {
    (attach(tiles, partitioned()), ...);
  }
  /// Attaches tiles whole.
  template <class... Tiles>
  void replicate(Tiles&... tiles) {
    (attach(tiles, whole()), ...);
  }
  /// Waits for what uses the tiles, brings back what was written, and gives them back to the host. All copies of all
  /// devices go at once. Throws Error: bad_input for a tile that is not attached here; device_failed.
  template <class... Tiles>
  void detach(Tiles&... tiles) {
    const std::array<std::shared_ptr<hw::controller::TileState>, sizeof...(Tiles)> all = {tiles.state()...};
    detach_tiles(all);
  }

  /// Runs the kernel over the index space of its first output that has as many dimensions as the kernel, each device
  /// over its rows. Throws Error (bad_input) for tiles that are not attached, are partitioned differently, do not fit
  /// the index space, or are attached whole to several devices and written; and for kernels that do not compile.
  template <class... P>
  void launch(const Kernel<P...>& kernel, typename hw::controller::ParameterTraits<P>::Argument... arguments) {
    const std::array<hw::controller::LaunchArgument, sizeof...(P)> all = {
        hw::controller::ParameterTraits<P>::pass(arguments)...};
    launch_kernel(kernel.definition(), nullptr, all);
  }
  /// The same over an index space of its own.
  template <std::integral I, std::size_t D, class... P>
  void launch_over(const I (&extents)[D], const Kernel<P...>& kernel,
                   typename hw::controller::ParameterTraits<P>::Argument... arguments) {
    const std::array<hw::controller::LaunchArgument, sizeof...(P)> all = {
        hw::controller::ParameterTraits<P>::pass(arguments)...};
    const Extents space = hw::controller::to_extents(extents);
    launch_kernel(kernel.definition(), &space, all);
  }
  /// Compiles the kernel for all devices now, so that the first launch does not.
  template <class... P>
  void prepare(const Kernel<P...>& kernel) {
    prepare_kernel(kernel.definition());
  }

  /// Waits until all devices are idle.
  void wait();

  /// In the order of the devices. Needs `timing`; waits for all devices.
  [[nodiscard]] std::vector<DeviceTimes> times();
  void reset_times();
  /// Weights by which all devices would have computed equally long in what they did since the last `reset_times`: rows
  /// a second, summing to 1. Devices that did nothing get the mean of the others. Needs `timing`.
  [[nodiscard]] std::vector<double> measured_weights();
  /// Weights for tiles that are partitioned from now on; empty: chosen.
  void set_weights(const std::vector<double>& weights);
  /// Rows of each device in an attached tile.
  template <hw::controller::Element T, int D>
  [[nodiscard]] std::vector<std::int64_t> shares(const Tile<T, D>& tile) {
    return shares_of(tile.state());
  }
  /// What device `device` runs when it launches the kernel.
  template <class... P>
  [[nodiscard]] ChosenVersion version(const Kernel<P...>& kernel, std::size_t device) {
    return version_of(kernel.definition(), device);
  }
  /// The devices as they were opened: "cuda:0 (NVIDIA H200)".
  [[nodiscard]] std::vector<std::string> devices() const;

 private:
  std::shared_ptr<hw::controller::TileState> make_tile(std::string name, std::size_t element_bytes, int dimensions,
                                                       const Extents& extents);
  void attach_tile(const std::shared_ptr<hw::controller::TileState>& tile, const Layout& layout);
  void detach_tiles(std::span<const std::shared_ptr<hw::controller::TileState>> tiles);
  void launch_kernel(const std::shared_ptr<hw::controller::KernelDefinition>& kernel, const Extents* space,
                     std::span<const hw::controller::LaunchArgument> arguments);
  void prepare_kernel(const std::shared_ptr<hw::controller::KernelDefinition>& kernel);
  std::vector<std::int64_t> shares_of(const std::shared_ptr<hw::controller::TileState>& tile);
  ChosenVersion version_of(const std::shared_ptr<hw::controller::KernelDefinition>& kernel, std::size_t device);

  class Inside;
  std::unique_ptr<Inside> inside_;
};

/// One device.
class Controller : public MultiController {
 public:
  explicit Controller(const std::string& device, const ControllerOptions& options = {})
      : MultiController(std::vector<std::string>{device}, options) {}
};

}  // namespace forelap
