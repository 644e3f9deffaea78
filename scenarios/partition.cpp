#include "scenarios/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::scenarios {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53: beyond it a double no longer holds every whole number

/// Values of all names of the scenario, then part and first.
std::vector<double> values_of(const Partition& partition, std::uint64_t part, std::uint64_t first) {
  std::vector<double> values;
  for (const auto& size : partition.sizes) values.push_back(size.second);
  for (const auto& value : partition.values) values.push_back(value.second);
  values.push_back(static_cast<double>(part));
  values.push_back(static_cast<double>(first));
  return values;
}

double whole(const std::string& who, const Expression& expression, double value, double low, double high) {
  if (value >= low && value <= high && value == std::floor(value)) return value;
  core::throw_bad_input(who + " (\"" + expression.text() + "\") comes to " + core::shortest(value) +
                        ", expected a whole number from " + core::shortest(low) + " to " + core::shortest(high) +
                        "; choose other sizes");
}

std::uint64_t extent(const Partition& partition, const PartitionTile& tile, std::size_t dimension) {
  const Expression& expression = tile.extents.at(dimension);
  const std::string who = "extent " + std::to_string(dimension + 1) + " of tile \"" + tile.name + "\"";
  return static_cast<std::uint64_t>(
      whole(who, expression, expression.evaluate(values_of(partition, 0, 0)), 1, kLargestCount));
}

core::Argument number(const Partition& partition, std::size_t position, const std::vector<double>& values) {
  const PartitionArgument& argument = partition.kernel.arguments[position];
  const std::string who = "kernel \"" + partition.kernel.name + "\": argument " + std::to_string(position + 1);
  const double value = argument.value.evaluate(values);
  switch (argument.type) {
    case PartitionArgument::Type::int32:
      return static_cast<std::int32_t>(whole(who + ", int32", argument.value, value,
                                             std::numeric_limits<std::int32_t>::min(),
                                             std::numeric_limits<std::int32_t>::max()));
    case PartitionArgument::Type::int64:
      return static_cast<std::int64_t>(whole(who + ", int64", argument.value, value, -kLargestCount, kLargestCount));
    case PartitionArgument::Type::float32:
      if (std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())) return static_cast<float>(value);
      break;
    default:
      if (std::isfinite(value)) return value;
      break;
  }
  core::throw_bad_input(who + " (\"" + argument.value.text() + "\") comes to " + core::shortest(value) +
                        ", which its type cannot hold");
}

double work_of_part(const Partition& partition, const std::vector<double>& values) {
  const double work = partition.kernel.work.evaluate(values);
  if (work >= 0 && std::isfinite(work)) return work;
  core::throw_bad_input("kernel \"" + partition.kernel.name + "\": its work (\"" + partition.kernel.work.text() +
                        "\") comes to " + core::shortest(work) + ", expected a finite number, 0 or more");
}

}  // namespace

std::uint64_t bytes_of(Element element) {
  switch (element) {
    case Element::float64:
    case Element::int64:
      return 8;
    case Element::uint8:
      return 1;
    default:
      return 4;
  }
}

std::string name_of(Element element) {
  constexpr const char* kNames[] = {"float32", "float64", "int32", "int64", "uint8"};
  return kNames[static_cast<std::size_t>(element)];
}

bool is_of_user(const PartitionKernel& kernel) {
  return !kernel.source_file.empty() || !kernel.cpu_file.empty() || !kernel.opencl_file.empty() ||
         !kernel.cuda_file.empty();
}

const std::string& source_file(const PartitionKernel& kernel, const std::string& backend) {
  const std::string& own = backend == "cuda"     ? kernel.cuda_file
                           : backend == "opencl" ? kernel.opencl_file
                                                 : kernel.cpu_file;
  return own.empty() ? kernel.source_file : own;
}

double CostProfile::work_of(std::uint64_t first, std::uint64_t count, std::uint64_t rows) const {
  const auto at = [&](std::uint64_t row) {
    const auto stretches = static_cast<double>(cumulative.size() - 1);
    const double place = std::clamp(static_cast<double>(row) / static_cast<double>(rows), 0.0, 1.0) * stretches;
    const auto before = std::min(static_cast<std::size_t>(place), cumulative.size() - 2);
    const double part = place - static_cast<double>(before);
    return cumulative[before] + part * (cumulative[before + 1] - cumulative[before]);
  };
  return std::max(0.0, at(first + count) - at(first));
}

CostProfile make_profile(std::span<const double> densities, double total) {
  const double sum = std::accumulate(densities.begin(), densities.end(), 0.0);
  if (!(sum > 0)) throw std::invalid_argument("make_profile: no work at all");
  CostProfile profile;
  profile.cumulative.push_back(0);
  double before = 0;
  for (const double density : densities) {
    before += density;
    profile.cumulative.push_back(total * (before / sum));
  }
  return profile;
}

std::uint64_t partition_rows(const Partition& partition) {
  for (const PartitionTile& tile : partition.kernel.tiles) {
    if (!tile.whole) return extent(partition, tile, 0);
  }
  throw std::invalid_argument("partition_rows: no tile is divided");
}

std::uint64_t row_bytes(const Partition& partition, const PartitionTile& tile) {
  double bytes = static_cast<double>(bytes_of(tile.element));
  for (std::size_t i = 1; i < tile.extents.size(); ++i) bytes *= static_cast<double>(extent(partition, tile, i));
  if (bytes <= kLargestCount) return static_cast<std::uint64_t>(bytes);
  core::throw_bad_input("a row of tile \"" + tile.name + "\" has " + core::significant(bytes, 4) +
                        " bytes, more than can be counted; choose smaller sizes");
}

std::uint64_t tile_bytes(const Partition& partition, const PartitionTile& tile) {
  const std::uint64_t row = row_bytes(partition, tile);
  const std::uint64_t rows = extent(partition, tile, 0);
  if (static_cast<double>(row) * static_cast<double>(rows) <= kLargestCount) return row * rows;
  core::throw_bad_input("tile \"" + tile.name + "\" has " + std::to_string(rows) + " rows of " + std::to_string(row) +
                        " bytes, more than can be counted; choose smaller sizes");
}

std::uint64_t part_bytes(const Partition& partition, std::uint64_t rows) {
  std::uint64_t bytes = 0;
  for (const PartitionTile& tile : partition.kernel.tiles) {
    bytes += tile.whole ? tile_bytes(partition, tile) : rows * row_bytes(partition, tile);
  }
  return rows == 0 ? 0 : bytes;
}

double whole_work(const Partition& partition) {
  return work_of_part(partition, values_of(partition, partition_rows(partition), 0));
}

Launch make_part_launch(const Partition& partition, std::span<const core::BufferId> tiles, std::uint64_t rows,
                        std::uint64_t first) {
  const PartitionKernel& kernel = partition.kernel;
  const std::vector<double> values = values_of(partition, rows, first);
  Launch launch;
  launch.items = whole("kernel \"" + kernel.name + "\": its number of work-items", kernel.items,
                       kernel.items.evaluate(values), 1, kLargestCount);
  launch.work = work_of_part(partition, values);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const PartitionArgument& argument = kernel.arguments[i];
    launch.arguments.push_back(argument.type == PartitionArgument::Type::tile ? core::Argument(tiles[argument.tile])
                                                                              : number(partition, i, values));
  }
  launch.call.global_size = {static_cast<std::uint64_t>(launch.items), 1, 1};
  launch.call.group_size = {kernel.group, 1, 1};
  return launch;
}

std::vector<std::uint64_t> divide(std::uint64_t total, std::span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const bool valid = std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0; });
  if (!valid || !(sum > 0) || !std::isfinite(sum)) {
    throw std::invalid_argument("divide: weights that are negative, not finite or all zero");
  }
  std::vector<std::uint64_t> shares(weights.size());
  std::vector<std::pair<long double, std::size_t>> rests;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double exact = static_cast<long double>(total) * (static_cast<long double>(weights[i]) / sum);
    shares[i] = std::min(static_cast<std::uint64_t>(std::floor(exact)), total - given);
    given += shares[i];
    if (weights[i] > 0) rests.emplace_back(exact - static_cast<long double>(shares[i]), i);
  }
  std::stable_sort(rests.begin(), rests.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  // Less is left than there are weights above zero, but for what rounding of the quotients adds.
  for (std::size_t i = 0; given < total; i = (i + 1) % rests.size(), ++given) ++shares[rests[i].second];
  return shares;
}

std::vector<std::vector<double>> weight_settings(const Partition& partition, std::size_t devices) {
  if (!partition.sweep) {
    for (const auto& list : partition.weights) {
      if (list.size() == devices) continue;
      core::throw_bad_input("found " + std::to_string(list.size()) + " weights for " + std::to_string(devices) +
                            (devices == 1 ? " device" : " devices") + ", expected one for each device");
    }
    return partition.weights;
  }
  const WeightSweep& sweep = *partition.sweep;
  if (sweep.device >= devices) {
    core::throw_bad_input("the sweep is of device " + std::to_string(sweep.device) + " (counted from 0), but there " +
                          (devices == 1 ? "is 1 device" : "are " + std::to_string(devices) + " devices"));
  }
  if (devices < 2) return {{1.0}};
  std::vector<std::vector<double>> settings;
  constexpr double kSlack = 1e-9;  // so that steps that sum up to the end are not lost to rounding
  const auto steps = static_cast<std::size_t>(std::floor((sweep.to - sweep.from) / sweep.step + kSlack));
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = std::min(sweep.to, sweep.from + static_cast<double>(i) * sweep.step);
    std::vector<double> weights(devices, (1 - share) / static_cast<double>(devices - 1));
    weights[sweep.device] = share;
    settings.push_back(std::move(weights));
  }
  return settings;
}

std::vector<std::string> partition_names(const std::vector<std::string>& numbers) {
  std::vector<std::string> names = numbers;
  names.emplace_back("part");
  names.emplace_back("first");
  return names;
}

}  // namespace forelap::scenarios
