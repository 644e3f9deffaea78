#include "run/partition.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/kernels/partition.hpp"
#include "run/hardware.hpp"
#include "scenarios/partition.hpp"
#include "tune/partition.hpp"

namespace forelap::run {
namespace {

using scenarios::CostProfile;
using scenarios::Partition;
using scenarios::PartitionTuning;
using validate::DivisionOfRow;

constexpr std::uint64_t kSampledRows = 256;

/// Costs of the rows in the middle of equal stretches; none where all rows cost the same.
std::vector<hw::kernels::RowCost> sample_costs(const Partition& partition, std::uint64_t wished) {
  const std::uint64_t rows = scenarios::partition_rows(partition);
  const std::uint64_t stretches = std::min(rows, wished);
  std::vector<std::uint64_t> sampled;
  for (std::uint64_t i = 0; i < stretches; ++i) sampled.push_back((2 * i + 1) * rows / (2 * stretches));
  const std::vector<core::BufferId> tiles(partition.kernel.tiles.size());
  const auto launch = scenarios::make_part_launch(partition, tiles, rows, 0);
  std::vector<hw::kernels::RowCost> costs(sampled.size());
  if (!hw::kernels::sample_row_costs(partition.kernel.name, launch.arguments, sampled, costs)) return {};
  return costs;
}

CostProfile profile_from(const std::vector<hw::kernels::RowCost>& costs, std::uint64_t rows, bool by_items) {
  std::vector<double> densities;
  double total = 0;
  for (const auto& cost : costs) {
    densities.push_back(by_items ? cost.items : cost.warps);
    total += densities.back();
  }
  return scenarios::make_profile(densities, total * static_cast<double>(rows) / static_cast<double>(costs.size()));
}

void add_row(validate::RunSet& set, const PartitionTuning& tuning, const std::vector<double>* weights) {
  validate::Row row;
  row.division = division_of(tuning);
  row.division->chosen = weights == nullptr;
  if (weights != nullptr) row.division->weights = *weights;
  set.rows.push_back(std::move(row));
}

/// The rows of one setting of chunks; none: left to the models.
class RowMaker {
 public:
  RowMaker(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine)
      : set_(set), scenario_(scenario), machine_(machine), partition_(scenarios::partition_of(scenario)) {
    base_ = tune::base_tuning(scenario, machine, sample_profiles(scenario, machine));
    settings_ = scenarios::weight_settings(partition_, base_.devices.size());
    const std::size_t given = partition_.device_chunks.size();
    if (given != 0 && given != base_.devices.size()) {
      core::throw_bad_input("found chunks for " + std::to_string(given) + " devices, but there are " +
                            std::to_string(base_.devices.size()));
    }
  }

  void run() {
    validate::CaseRecord record;
    record.partition = base_;
    set_.cases.push_back(std::move(record));
    if (partition_.chunks.empty()) return add(std::nullopt);
    for (const std::uint32_t chunks : partition_.chunks) add(chunks);
  }

 private:
  void add(std::optional<std::uint32_t> chunks) {
    tune::PartitionOptions options;
    options.chunks = chunks;
    options.seed = scenario_.seed;
    if (settings_.empty()) {
      add_row(set_, tune::tune_partition(scenario_, machine_, base_, options).tuning, nullptr);
      return;
    }
    for (const auto& weights : settings_) {
      PartitionTuning tuning = tune::with_weights(scenario_, base_, weights, chunks.value_or(1));
      for (std::size_t d = 0; d < partition_.device_chunks.size(); ++d) {
        tuning.devices[d].chunks = tuning.devices[d].in_place ? 1 : partition_.device_chunks[d];
      }
      const bool open = !chunks && partition_.device_chunks.empty();
      if (open) tuning = tune::tune_chunks(scenario_, machine_, tuning, options);
      const std::string why = tune::fit_memory(scenario_, machine_, tuning);
      if (!why.empty()) core::throw_bad_input(why);
      add_row(set_, tuning, &weights);
    }
  }

  validate::RunSet& set_;
  const scenarios::Scenario& scenario_;
  const core::Machine& machine_;
  const Partition& partition_;
  PartitionTuning base_;
  std::vector<std::vector<double>> settings_;
};

}  // namespace

bool works_by_items(const core::DeviceIdentity& device) {
  return device.backend == "cpu" || device.platform.find("Portable Computing Language") != std::string::npos;
}

CostProfile sample_profile(const Partition& partition, std::uint64_t sampled, bool by_items) {
  const auto costs = sample_costs(partition, sampled);
  return costs.empty() ? CostProfile{} : profile_from(costs, scenarios::partition_rows(partition), by_items);
}

std::vector<CostProfile> sample_profiles(const scenarios::Scenario& scenario, const core::Machine& machine) {
  const Partition& partition = scenarios::partition_of(scenario);
  if (!partition.kernel.irregular || partition.profile != scenarios::ProfileMode::automatic) return {};
  const auto costs = sample_costs(partition, kSampledRows);
  if (costs.empty()) return {};
  const std::uint64_t rows = scenarios::partition_rows(partition);
  std::vector<CostProfile> profiles;
  for (const auto& device : machine.devices) {
    profiles.push_back(profile_from(costs, rows, works_by_items(device.identity)));
  }
  return profiles;
}

void add_partition_rows(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine) {
  RowMaker(set, scenario, machine).run();
}

PartitionTuning tuning_of(const validate::CaseRecord& record, const DivisionOfRow& division) {
  PartitionTuning tuning = record.partition.value();
  for (std::size_t d = 0; d < tuning.devices.size(); ++d) {
    tuning.devices[d].rows = division.shares.at(d);
    tuning.devices[d].chunks = division.chunks.at(d);
    tuning.devices[d].slots = division.slots.at(d);
  }
  return tuning;
}

DivisionOfRow division_of(const PartitionTuning& tuning) {
  DivisionOfRow division;
  double rows = 0;
  for (const auto& device : tuning.devices) rows += static_cast<double>(device.rows);
  for (const auto& device : tuning.devices) {
    division.weights.push_back(static_cast<double>(device.rows) / rows);
    division.shares.push_back(device.rows);
    division.chunks.push_back(device.chunks);
    division.slots.push_back(device.slots);
  }
  return division;
}

void check_divisions(const validate::RunSet& set, const scenarios::Scenario& scenario, const std::string& file) {
  const std::uint64_t rows = scenarios::partition_rows(scenarios::partition_of(scenario));
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    const auto& row = set.rows[i];
    const auto& record = set.cases.at(row.case_index);
    // Summed with care: a file's numbers may be anything.
    std::uint64_t left = rows;
    bool fits = row.division && record.partition;
    for (std::size_t d = 0; fits && d < row.division->shares.size(); ++d) {
      fits = row.division->shares[d] <= left;
      left -= fits ? row.division->shares[d] : 0;
    }
    if (fits && left == 0) continue;
    core::throw_bad_input(file + ": the shares of row " + std::to_string(i) + " do not divide the " +
                          std::to_string(rows) + " rows of the scenario in the same file");
  }
}

core::Bindings partition_bindings(const scenarios::Scenario& scenario, const std::vector<std::string>& backends) {
  const Partition& partition = scenarios::partition_of(scenario);
  core::Bindings bindings;
  if (!scenarios::is_of_user(partition.kernel)) return bindings;
  for (std::size_t d = 0; d < backends.size(); ++d) {
    bindings.device_kernels[{core::make_id<core::DeviceId>(d), partition.kernel.name}] =
        kernel_source(partition.kernel, scenario, backends[d]);
  }
  bindings.fill = [seed = scenario.seed, filled = std::vector<const std::byte*>()](
                      core::BufferId buffer, std::span<std::byte> memory) mutable {
    // All plans share their memory: what one of them has filled is not filled again.
    filled.resize(std::max(filled.size(), index(buffer) + 1));
    if (std::exchange(filled[index(buffer)], memory.data()) == memory.data()) return;
    fill_floats(memory, seed + index(buffer));
  };
  return bindings;
}

}  // namespace forelap::run
