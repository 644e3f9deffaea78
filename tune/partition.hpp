#pragma once
// Which devices share a kernel, how much each gets, and in how many chunks: chosen by the models.
//
// First each device alone: its time over its rows is asked of the simulator, and the time T at which all of them finish
// together is found by bisection (for affine times t = gamma + eta x that is T = (n + sum gamma / eta) / sum 1 / eta; a
// device with T <= gamma gets nothing). Then the whole division is refined on the simulator of all devices, where they
// meet: rows move from the device that ends last, chunks are halved and doubled, and devices that only cost are left
// out. Sources: work sharing with affine and with functional performance models (the theory of multi-controller.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stop_token.hpp"
#include "tune/partition_evaluator.hpp"

namespace forelap::tune {

/// The devices of `machine`, which select_devices made for the scenario, without shares: names, engines, which of them
/// work in place (groups of CPU cores), one chunk each, and their cost profiles. `sampled[i]`, where it is there, is
/// device i's for an irregular kernel whose profile the scenario leaves open.
scenarios::PartitionTuning base_tuning(const scenarios::Scenario& scenario, const core::Machine& machine,
                                       const std::vector<scenarios::CostProfile>& sampled = {});

/// `base` with the rows that `weights` give each device and `chunks` for each that copies.
scenarios::PartitionTuning with_weights(const scenarios::Scenario& scenario, scenarios::PartitionTuning base,
                                        const std::vector<double>& weights, std::uint32_t chunks);

struct PartitionOptions {
  std::uint32_t most_chunks = 64;
  std::uint32_t draws = 24;  ///< machines drawn to tell ties
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> chunks;  ///< of every device that copies; unset: chosen
  core::StopToken stop;
};

/// Another division, and how far it is behind the chosen one.
struct PartitionAlternative {
  std::string what;  ///< such as "without cpu0", "gpu0 alone", "half the chunks"
  scenarios::PartitionTuning tuning;
  double time = 0;         ///< ticks
  double behind_low = 0;   ///< over the drawn machines, relative: 5 % quantile
  double behind_high = 0;  ///< 95 % quantile
  bool tie = false;        ///< the model does not tell it from the chosen one
};

/// Ticks where not said otherwise.
struct PartitionFigures {
  double end = 0;                         ///< of its last step
  double alone = 0;                       ///< the whole problem on it alone; kImpossible where its memory does not do
  double htod = 0, kernel = 0, dtoh = 0;  ///< work of its steps
};

struct PartitionChoice {
  scenarios::PartitionTuning tuning;
  double time = 0;                        ///< predicted makespan
  double bound = 0;                       ///< no division of the rows in this order can take less
  std::vector<PartitionFigures> devices;  ///< by device of the scenario
  std::size_t best_single = 0;            ///< the fastest device alone
  double gain = 1;                        ///< its time by the chosen one's
  /// The gain as a part of what the devices' speeds, each alone, sum to: 1 where nothing is lost.
  double efficiency = 1;
  std::vector<PartitionAlternative> alternatives;  ///< the nearest first
  std::size_t evaluations = 0;
  double search_seconds = 0;
};

/// Throws core::Error (bad_input) where no device can do it (naming sizes), or a model is missing.
PartitionChoice tune_partition(const scenarios::Scenario& scenario, const core::Machine& machine,
                               const scenarios::PartitionTuning& base, const PartitionOptions& options);

/// The rows stay; chunks of each device as `options` say, else the best by the model.
scenarios::PartitionTuning tune_chunks(const scenarios::Scenario& scenario, const core::Machine& machine,
                                       const scenarios::PartitionTuning& given, const PartitionOptions& options);

}  // namespace forelap::tune
