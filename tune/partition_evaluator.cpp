#include "tune/partition_evaluator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/quantity.hpp"
#include "models/cost.hpp"
#include "scenarios/lower.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::tune {
namespace {

using scenarios::DevicePart;
using scenarios::PartitionTuning;

/// Chunks that take turns in memory that does not hold all: one comes in, one is worked on, one goes back.
constexpr std::uint32_t kSlots = 3;
/// Part of a device's memory that is counted on: contexts and code take some.
constexpr double kUsable = 0.92;

std::string size_text(double bytes) {
  return core::display_quantity(bytes, core::Dimension::bytes);
}

/// Bytes of the largest divided tile's row, of all divided tiles' rows, and of the whole tiles.
struct Sizes {
  double largest_row = 0;
  double rows = 0;
  double whole = 0;
};

Sizes sizes_of(const scenarios::Partition& partition) {
  Sizes sizes;
  for (const auto& tile : partition.kernel.tiles) {
    const auto row = static_cast<double>(scenarios::row_bytes(partition, tile));
    if (tile.whole) {
      sizes.whole += static_cast<double>(scenarios::tile_bytes(partition, tile));
    } else {
      sizes.rows += row;
      sizes.largest_row = std::max(sizes.largest_row, row);
    }
  }
  return sizes;
}

std::string fit_device(const Sizes& sizes, const core::DeviceModel& model, bool may_stream, DevicePart& part) {
  if (part.in_place || part.rows == 0) return {};
  const auto rows = static_cast<double>(part.rows);
  double chunks = part.chunks;
  if (model.largest_allocation > 0) {
    chunks = std::max(chunks, std::ceil(rows * sizes.largest_row / model.largest_allocation));
  }
  const double usable = model.memory_bytes * kUsable - sizes.whole;
  if (model.memory_bytes > 0 && rows * sizes.rows > usable) {
    const std::string needs = "device \"" + part.name + "\" has " + size_text(model.memory_bytes) +
                              " of memory, and its part takes " + size_text(rows * sizes.rows + sizes.whole);
    if (!may_stream) return needs + "; give it a smaller share, or transfers: concurrent, so that chunks take turns";
    if (usable < kSlots * sizes.rows) {
      return needs +
             (sizes.whole > 0 ? ", of which whole tiles take " + size_text(sizes.whole)
                              : ", so that not even three rows of " + size_text(sizes.rows) + " fit") +
             "; choose smaller sizes";
    }
    part.slots = kSlots;
    chunks = std::max(chunks, std::ceil(rows / std::floor(usable / (kSlots * sizes.rows))));
  }
  part.chunks = static_cast<std::uint32_t>(std::min(chunks, rows));
  return {};
}

}  // namespace

std::string fit_memory(const scenarios::Scenario& scenario, const core::Machine& machine, PartitionTuning& tuning) {
  const Sizes sizes = sizes_of(scenarios::partition_of(scenario));
  for (std::size_t d = 0; d < tuning.devices.size(); ++d) {
    auto why = fit_device(sizes, machine.devices.at(d), tuning.transfers == scenarios::TransferMode::concurrent,
                          tuning.devices[d]);
    if (!why.empty()) return why;
  }
  return {};
}

PartitionEvaluator::PartitionEvaluator(const scenarios::Scenario& scenario, const core::Machine& machine)
    : scenario_(scenario), machine_(machine), rows_(scenarios::partition_rows(scenarios::partition_of(scenario))) {}

PartitionRun PartitionEvaluator::run(PartitionTuning tuning) {
  ++evaluations_;
  PartitionRun run;
  run.ends.assign(tuning.devices.size(), 0);
  if (!fit_memory(scenario_, machine_, tuning).empty()) return run;
  const core::Plan plan = scenarios::lower(scenario_, tuning);
  const models::CostModel cost(machine_, plan, scenario_.interference);
  const core::Timeline timeline = sim::fast::simulate(plan, cost);
  run.time = static_cast<double>(timeline.makespan);
  for (const core::Interval& interval : timeline.intervals) {
    double& end = run.ends[index(plan.steps[index(interval.step)].device)];
    end = std::max(end, static_cast<double>(interval.end));
  }
  return run;
}

PartitionTuning PartitionEvaluator::single(const DevicePart& device, std::size_t id, std::uint64_t first,
                                           std::uint64_t rows, core::MemoryKind memory) const {
  PartitionTuning tuning;
  tuning.devices.resize(id + 1);
  tuning.devices[id] = device;
  tuning.devices[id].rows = rows;
  tuning.memory = memory;
  tuning.only_from = first;
  return tuning;
}

double PartitionEvaluator::alone(const DevicePart& device, std::size_t id, std::uint64_t first, std::uint64_t rows,
                                 scenarios::TransferMode transfers, core::MemoryKind memory) {
  if (rows == 0) return 0;
  PartitionTuning tuning = single(device, id, first, rows, memory);
  tuning.transfers = transfers;
  return run(std::move(tuning)).time;
}

double PartitionEvaluator::busiest(const DevicePart& device, std::size_t id, std::uint64_t first, std::uint64_t rows,
                                   core::MemoryKind memory) {
  if (rows == 0) return 0;
  ++evaluations_;
  PartitionTuning tuning = single(device, id, first, rows, memory);
  tuning.devices[id].chunks = 1;
  const core::Plan plan = scenarios::lower(scenario_, tuning);
  const models::CostModel cost(machine_, plan, scenario_.interference);
  std::vector<double> busy(plan.lanes.size());
  for (const core::Step& step : plan.steps) busy[index(step.lane)] += cost.cost(step).folded().work;
  return *std::max_element(busy.begin(), busy.end());
}

}  // namespace forelap::tune
