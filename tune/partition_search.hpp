#pragma once
// The search behind tune/partition.hpp.

#include <vector>

#include "tune/partition.hpp"

namespace forelap::tune {

/// Not thread-safe. Refers to the evaluator.
class PartitionSearch {
 public:
  PartitionSearch(PartitionEvaluator& evaluator, const PartitionOptions& options)
      : evaluator_(evaluator), options_(options) {}

  /// Rows by equal finish of the devices, each by its own time; rows and chunks of `base` are where the chunks start.
  scenarios::PartitionTuning equal_finish(scenarios::PartitionTuning base);
  /// The time that no division takes less than.
  double bound(const scenarios::PartitionTuning& base);
  /// Rows and chunks moved as long as the whole gets faster; devices without rows stay without.
  scenarios::PartitionTuning refine(scenarios::PartitionTuning tuning);
  /// Devices left out where the whole is no slower without them.
  scenarios::PartitionTuning drop(scenarios::PartitionTuning tuning);
  /// `tuning` without device `d`, its rows divided over the others and roughly balanced, to a thousandth of the rows;
  /// nothing where it is the last.
  std::optional<scenarios::PartitionTuning> without(const scenarios::PartitionTuning& tuning, std::size_t d);
  /// All rows on device `d`, in its best chunks.
  scenarios::PartitionTuning only(scenarios::PartitionTuning base, std::size_t d);
  /// The best chunks of each device for its rows, one device after the other.
  void choose_chunks(scenarios::PartitionTuning& tuning);

 private:
  void move_rows(scenarios::PartitionTuning& tuning, double& time, std::uint64_t parts);
  bool try_moves(scenarios::PartitionTuning& tuning, PartitionRun& now, std::uint64_t step);
  bool try_chunks(scenarios::PartitionTuning& tuning, double& time);
  std::uint32_t best_chunks(const scenarios::PartitionTuning& tuning, std::size_t d, std::uint64_t first);
  template <class Time>
  std::vector<std::uint64_t> finish_together(const scenarios::PartitionTuning& base, double precision, Time&& time);
  template <class Time>
  std::uint64_t rows_within(double limit, std::uint64_t first, double guess, Time&& time);

  PartitionEvaluator& evaluator_;
  const PartitionOptions& options_;
};

}  // namespace forelap::tune
