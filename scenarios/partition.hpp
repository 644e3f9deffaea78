#pragma once
// One kernel over many devices: arrays ("tiles") divided along their first dimension, a part for each device. What of a
// scenario is data, and the arithmetic of parts; the choices (which share for whom) are in PartitionTuning.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"
#include "scenarios/kernel_definition.hpp"

namespace forelap::scenarios {

enum class Element : std::uint8_t { float32, float64, int32, int64, uint8 };

/// Bytes of one element.
std::uint64_t bytes_of(Element element);
/// "float32" and so on.
std::string name_of(Element element);

enum class Role : std::uint8_t { in, out, inout };

/// An array of one to three dimensions, row-major.
struct PartitionTile {
  std::string name;
  Element element = Element::float32;
  std::vector<Expression> extents;  ///< of the scenario's sizes and values; the first is the one that is divided
  Role role = Role::in;
  bool whole = false;  ///< every device gets all of it (role `in` only) instead of its part
};

/// One argument of a launch: a tile, or a number.
struct PartitionArgument {
  enum class Type : std::uint8_t { tile, int32, int64, float32, float64 };
  Type type = Type::tile;
  std::size_t tile = 0;  ///< position in the kernel's tiles
  Expression value;      ///< of sizes, values, part and first; unused for a tile
};

/// A kernel that works on the part which its buffers hold. Expressions see the kernel's sizes and values, and `part`
/// and `first`: the rows of the part and the position of its first one in the whole.
struct PartitionKernel {
  std::string name;
  std::string summary;
  std::vector<std::string> sizes;                        ///< names of whole numbers that a scenario gives
  std::vector<std::pair<std::string, double>> defaults;  ///< values that a scenario may leave out
  std::vector<PartitionTile> tiles;
  std::vector<PartitionArgument> arguments;
  Expression items;         ///< work-items of one launch over the part
  Expression work;          ///< of one launch over the part, where the work of all rows is alike
  std::string work_unit;    ///< for people
  bool irregular = false;   ///< its rows differ in work; hw/kernels samples their cost
  std::uint32_t group = 0;  ///< work-group size, 0 = the executor's default
  std::string source_file;  ///< of the user: one source for every device, in the words of hw/kernels
  std::string cpu_file;     ///< of the user, for one backend each; they go before `source_file`
  std::string opencl_file;
  std::string cuda_file;
  std::string entry;    ///< function name in those files; empty = name
  std::string options;  ///< compiler options
};

/// Whether the kernel comes with source files rather than from hw/kernels.
bool is_of_user(const PartitionKernel& kernel);
/// The file for `backend`: its own, else the one for all, else empty.
const std::string& source_file(const PartitionKernel& kernel, const std::string& backend);

/// Shares of the devices, in the order of the scenario's devices.
struct WeightSweep {
  std::uint32_t device = 0;  ///< whose share is swept; the others divide the rest evenly
  double from = 0;           ///< fraction of the whole
  double to = 1;
  double step = 0.05;
};

enum class TransferMode : std::uint8_t {
  concurrent,  ///< the copies of all devices at once
  serial,      ///< as in the paper: in, one device after the other; back, when all is in, one after the other
};

enum class ProfileMode : std::uint8_t {
  automatic,  ///< sampled where the kernel is irregular, else uniform
  uniform,
  list,
};

/// The body of a scenario of kind `partition`.
struct Partition {
  PartitionKernel kernel;
  std::vector<std::pair<std::string, double>> sizes;   ///< whole numbers, at least 1
  std::vector<std::pair<std::string, double>> values;  ///< any numbers
  std::uint32_t launches = 1;                          ///< of the kernel over the same data, which moves once
  std::vector<std::string> devices;                    ///< names or specifications; empty: all of the machine
  std::vector<std::vector<double>> weights;            ///< each sums to 1; empty and no sweep: chosen by the model
  std::optional<WeightSweep> sweep;
  std::vector<std::uint32_t> chunks;  ///< of each device's part; several: each is a run; empty: chosen by the model
  /// Chunks of each device, where they differ (written by `tune`); then `chunks` is empty and there is one setting.
  std::vector<std::uint32_t> device_chunks;
  TransferMode transfers = TransferMode::concurrent;
  ProfileMode profile = ProfileMode::automatic;
  std::vector<double> densities;  ///< profile `list`: work of equal stretches of the rows, in any unit
  core::MemoryKind memory = core::MemoryKind::pinned;
};

/// How much work lies before a row, piecewise linear between equally spaced points; irregular work makes equal shares
/// unequal in time.
struct CostProfile {
  std::vector<double> cumulative;  ///< in the kernel's unit of work, ascending from 0; empty: work as `work` says

  /// Work of the rows [first, first + count) of `rows` in all.
  [[nodiscard]] double work_of(std::uint64_t first, std::uint64_t count, std::uint64_t rows) const;
};

/// A profile whose stretches have work in the proportion of `densities` and `total` in all.
CostProfile make_profile(std::span<const double> densities, double total);

/// Rows that are divided: the first extent of the partitioned tiles.
std::uint64_t partition_rows(const Partition& partition);
/// Bytes of one row of a tile, and of the whole tile.
std::uint64_t row_bytes(const Partition& partition, const PartitionTile& tile);
std::uint64_t tile_bytes(const Partition& partition, const PartitionTile& tile);
/// Device memory that a part of `rows` takes: whole tiles and the rows of the others, bytes; 0 for no rows.
std::uint64_t part_bytes(const Partition& partition, std::uint64_t rows);
/// Work of one launch over all rows, by the kernel's expression.
double whole_work(const Partition& partition);

/// The launch over `rows` rows from `first` on, with `tiles[i]` the buffer that holds the part of tile i. Work is by
/// the kernel's expression. Throws core::Error (bad_input) naming kernel and expression where a number comes out wrong.
Launch make_part_launch(const Partition& partition, std::span<const core::BufferId> tiles, std::uint64_t rows,
                        std::uint64_t first);

/// `total` divided in proportion to `weights` (each >= 0, one above 0): sums to `total` exactly, by the largest
/// remainder, the earlier of equal ones first; a weight of zero gets nothing. Throws std::invalid_argument.
std::vector<std::uint64_t> divide(std::uint64_t total, std::span<const double> weights);

/// All lists of weights that the scenario asks for, for `devices` devices; empty where they are left to the model.
/// Throws core::Error (bad_input) where a list has another length or the swept device is not there.
std::vector<std::vector<double>> weight_settings(const Partition& partition, std::size_t devices);

/// The built-in kernels that can be divided; hw/kernels has their sources under the same names.
std::span<const PartitionKernel> builtin_partition_kernels();
const PartitionKernel* find_partition_kernel(const std::string& name);
/// Names that the expressions of a kernel with these sizes and values may use: they, then part and first.
std::vector<std::string> partition_names(const std::vector<std::string>& numbers);

}  // namespace forelap::scenarios
