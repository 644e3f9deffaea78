#pragma once
// Times of divisions of a kernel over devices, by the in-process simulator: of all devices together with all that they
// do to each other, and of single ones.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::tune {

/// "Cannot be done": memory that does not suffice.
inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// What a run of a division does.
struct PartitionRun {
  double time = kImpossible;  ///< makespan, ticks
  std::vector<double> ends;   ///< of each device: the end of its last step, ticks; 0 without rows
};

/// Not thread-safe. Refers to the scenario and the machine.
class PartitionEvaluator {
 public:
  PartitionEvaluator(const scenarios::Scenario& scenario, const core::Machine& machine);

  /// The run of the whole division. Where a device's memory does not hold its part at once, chunks take turns in it
  /// (see fit_memory); where that does not help, it is impossible.
  PartitionRun run(scenarios::PartitionTuning tuning);
  /// Time of `rows` rows from `first` on, on one device alone; 0 for none.
  double alone(const scenarios::DevicePart& device, std::size_t id, std::uint64_t first, std::uint64_t rows,
               scenarios::TransferMode transfers, core::MemoryKind memory);
  /// A time that `rows` rows from `first` on cannot take less than on the device: its busiest lane at work without a
  /// pause, at solo rates and without latencies.
  double busiest(const scenarios::DevicePart& device, std::size_t id, std::uint64_t first, std::uint64_t rows,
                 core::MemoryKind memory);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t evaluations() const { return evaluations_; }

 private:
  scenarios::PartitionTuning single(const scenarios::DevicePart& device, std::size_t id, std::uint64_t first,
                                    std::uint64_t rows, core::MemoryKind memory) const;

  const scenarios::Scenario& scenario_;
  const core::Machine& machine_;
  std::uint64_t rows_;
  std::size_t evaluations_ = 0;
};

/// Sets chunks and slots of devices whose memory does not hold all of their part: three chunks at a time, as many as it
/// takes; likewise where a stretch is larger than the device gives at once. Empty where all fits then, else why not,
/// with the sizes.
std::string fit_memory(const scenarios::Scenario& scenario, const core::Machine& machine,
                       scenarios::PartitionTuning& tuning);

}  // namespace forelap::tune
