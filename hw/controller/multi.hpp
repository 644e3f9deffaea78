#pragma once
// The mechanism of forelap::MultiController (api/controller.hpp): which rows of which tile lie where, what a launch
// means for each device, and which of them is waited for.
//
// Threads: all calls may come from any thread; they exclude each other.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "hw/controller/device_list.hpp"
#include "hw/controller/kernel_definition.hpp"
#include "hw/controller/options.hpp"
#include "hw/controller/unit.hpp"

namespace forelap::hw::controller {

class Multi {
 public:
  /// Throws core::Error (bad_input) for weights that are none.
  Multi(std::vector<OpenedDevice> devices, Options options);
  /// Waits for all work; what was written comes back into tiles that are still attached, except from failed devices.
  ~Multi();
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  // As the calls of api/controller.hpp.
  std::shared_ptr<TileState> make_tile(std::string name, std::size_t element_bytes, int dimensions,
                                       const Extents& extents);
  void attach(const std::shared_ptr<TileState>& tile, const Layout& layout);
  void detach(std::span<const std::shared_ptr<TileState>> tiles);
  void launch(const std::shared_ptr<KernelDefinition>& kernel, const Extents* space,
              std::span<const LaunchArgument> arguments);
  void prepare(const std::shared_ptr<KernelDefinition>& kernel);
  void wait();
  std::vector<DeviceTimes> times();
  void reset_times();
  std::vector<double> measured_weights();
  void set_weights(const std::vector<double>& weights);
  std::vector<std::int64_t> shares_of(const std::shared_ptr<TileState>& tile);
  ChosenVersion version_of(const std::shared_ptr<KernelDefinition>& kernel, std::size_t device);
  [[nodiscard]] std::vector<std::string> devices() const;

 private:
  /// A tile that is attached here.
  struct Attachment {
    std::shared_ptr<TileState> tile;
    Layout layout;
    std::vector<std::int64_t> shares;  ///< rows of each device; empty: not chosen yet
    std::vector<PlacePtr> places;      ///< on each device
  };
  /// What a launch is, once its arguments are known to fit.
  struct Split {
    Extents space = {0, 1, 1};
    std::vector<std::int64_t> shares;  ///< rows of each device
    std::vector<Attachment*> tiles;    ///< of each argument; null: a value
  };
  using Ready = std::vector<std::shared_ptr<ReadyKernel>>;

  void throw_failures();
  void place(Attachment& attachment, const std::vector<std::int64_t>& shares);
  std::vector<std::int64_t> shares_by(const Attachment& attachment, const std::vector<double>& weights) const;
  std::vector<double> chosen_weights(const WeightQuestion& question);
  WeightQuestion question_for(const KernelDefinition* kernel, const Extents& space) const;
  Attachment& attachment_of(const KernelDefinition& kernel, const TileState& tile);
  void release(std::span<const std::shared_ptr<TileState>> tiles);

  // Launches (multi_launch.cpp).
  std::vector<Attachment*> find_tiles(const KernelDefinition& kernel, std::span<const LaunchArgument> arguments);
  Extents default_space(const KernelDefinition& kernel, const std::vector<Attachment*>& tiles) const;
  void check_fit(const KernelDefinition& kernel, const Split& split) const;
  void choose_shares(const KernelDefinition& kernel, Split& split);
  void check_written(const KernelDefinition& kernel, const Split& split) const;
  const Ready& ready(const std::shared_ptr<KernelDefinition>& kernel);
  void start(const std::shared_ptr<KernelDefinition>& kernel, const Split& split,
             std::span<const LaunchArgument> arguments);

  std::mutex mutex_;
  Options options_;
  std::vector<OpenedDevice> devices_;
  std::vector<std::unique_ptr<Unit>> units_;
  /// By definition, which is kept so that its address stays its own.
  std::map<std::shared_ptr<KernelDefinition>, Ready> ready_;
  std::map<const TileState*, Attachment> attached_;
};

}  // namespace forelap::hw::controller
