#pragma once
// A partition as its file says it; between the table that reads and writes files and the typed Scenario.

#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/table.hpp"

namespace forelap::scenarios {

/// One argument by the name of its tile, or a number.
struct PartitionArgumentFile {
  std::string tile;  ///< empty for a number
  PartitionArgument number;
};

struct PartitionKernelFile {
  PartitionKernel kernel;
  std::vector<PartitionArgumentFile> arguments;
};

/// Weights as they are written: auto, one list, lists, or a sweep.
struct WeightsFile {
  std::vector<std::vector<double>> lists;
  std::optional<WeightSweep> sweep;
};

/// Chunks as they are written: auto, a number, numbers to sweep, or a number for each device.
struct ChunksFile {
  std::vector<std::uint32_t> sweep;
  std::vector<std::uint32_t> devices;
};

struct ProfileFile {
  ProfileMode mode = ProfileMode::automatic;
  std::vector<double> densities;
};

struct PartitionFile {
  Scenario scenario;    ///< everything but the body
  Partition partition;  ///< sizes, values, launches, devices, transfers, memory
  PartitionKernelFile kernel;
  WeightsFile weights;
  ChunksFile chunks;
  ProfileFile profile;
};

/// The table of partition files; expressions may use `names` (sizes and values), and part and first where they speak of
/// a part.
Table<PartitionFile> partition_table(const std::vector<std::string>& names);
/// Names of the sizes and values that a document gives, before it is read.
std::vector<std::string> partition_numbers(const Cursor& root);

/// Codecs of what may be left to the model.
Codec<WeightsFile> weights_codec();
Codec<ChunksFile> chunks_codec();
Codec<ProfileFile> profile_codec();

/// The whole document. Throws core::Error (bad_input).
Scenario read_partition(const Cursor& root, const std::string& file);
/// The scenario, whose body is a partition, as a tree.
Node write_partition(const Scenario& scenario);

}  // namespace forelap::scenarios
