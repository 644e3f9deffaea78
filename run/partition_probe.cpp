// The kernel of a partition as a calibration measures it.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "run/hardware.hpp"
#include "run/partition.hpp"

namespace forelap::run {
namespace {

using scenarios::Partition;

constexpr std::uint64_t kSampledRows = 64;
/// Of an irregular kernel at most: a launch over all rows is what will be validated.
constexpr double kMostRows = 0.93;
/// Iterations of a launch that is not repeated, as a part of the scenario's.
constexpr double kIterations = 1.0 / 64;

/// What launches of a kernel are made from; the profiles of its iterations are kept.
class LaunchMaker {
 public:
  LaunchMaker(const scenarios::Scenario& scenario, bool by_items)
      : partition_(scenarios::partition_of(scenario)),
        by_items_(by_items),
        rows_(scenarios::partition_rows(partition_)) {
    for (const auto& tile : partition_.kernel.tiles) {
      if (!tile.whole) row_bytes_ += scenarios::row_bytes(partition_, tile);
    }
  }

  calibrate::ProbeLaunch make(std::uint64_t bytes, std::uint64_t repeat) {
    Partition partition = partition_;
    const bool irregular = partition.kernel.irregular;
    if (irregular) set_iterations(partition, repeat);
    std::uint64_t part = std::max<std::uint64_t>(1, bytes / std::max<std::uint64_t>(1, row_bytes_));
    const auto most = static_cast<std::uint64_t>(kMostRows * static_cast<double>(rows_));
    if (irregular) part = std::min(part, std::max<std::uint64_t>(1, most));
    const std::uint64_t first = irregular ? (rows_ - part) / 2 : 0;
    calibrate::ProbeLaunch launch;
    std::vector<core::BufferId> tiles;
    for (const auto& tile : partition.kernel.tiles) {
      tiles.push_back(core::make_id<core::BufferId>(tiles.size()));
      launch.buffers.push_back(tile.whole ? scenarios::tile_bytes(partition, tile)
                                          : part * scenarios::row_bytes(partition, tile));
    }
    const auto shaped = scenarios::make_part_launch(partition, tiles, part, first);
    launch.call = shaped.call;
    launch.arguments = shaped.arguments;
    launch.items = shaped.items;
    launch.work = irregular ? work_of(partition, repeat, first, part) : shaped.work;
    return launch;
  }

  [[nodiscard]] std::uint64_t whole_bytes() const { return rows_ * row_bytes_; }

 private:
  static void set_iterations(Partition& partition, std::uint64_t repeat) {
    for (auto& [name, value] : partition.sizes) {
      if (name == "iterations") value = std::max(1.0, std::ceil(value * kIterations)) * static_cast<double>(repeat);
    }
  }

  double work_of(const Partition& partition, std::uint64_t repeat, std::uint64_t first, std::uint64_t part) {
    const auto [at, is_new] = profiles_.try_emplace(repeat);
    if (is_new) at->second = sample_profile(partition, kSampledRows, by_items_);
    return at->second.work_of(first, part, rows_);
  }

  Partition partition_;
  bool by_items_;
  std::uint64_t rows_;
  std::uint64_t row_bytes_ = 0;
  std::map<std::uint64_t, scenarios::CostProfile> profiles_;
};

}  // namespace

calibrate::KernelProbe partition_probe(const scenarios::Scenario& scenario, const std::string& backend, bool by_items) {
  const Partition& partition = scenarios::partition_of(scenario);
  const auto maker = std::make_shared<LaunchMaker>(scenario, by_items);
  calibrate::KernelProbe probe;
  probe.name = partition.kernel.name;
  probe.launch = [maker](core::BufferId, std::uint64_t bytes, std::uint64_t repeat) {
    return maker->make(bytes, repeat);
  };
  if (scenarios::is_of_user(partition.kernel)) probe.source = kernel_source(partition.kernel, scenario, backend);
  if (!partition.kernel.irregular) probe.near_bytes = {maker->whole_bytes() / 2};
  return probe;
}

}  // namespace forelap::run
