#include "run/partition_tuning.hpp"

#include <algorithm>
#include <chrono>

#include "core/number_text.hpp"
#include "run/partition.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

using scenarios::PartitionTuning;

bool same(const PartitionTuning& a, const PartitionTuning& b) {
  return std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(),
                    [](const auto& x, const auto& y) { return x.rows == y.rows && x.chunks == y.chunks; });
}

void add_candidate(TunedPartition& tuned, const std::string& what, const PartitionTuning& tuning) {
  for (auto& other : tuned.candidates) {
    if (!same(other.tuning, tuning)) continue;
    other.what += ", " + what;
    return;
  }
  tuned.candidates.push_back({what, tuning, 0});
}

/// One per cent of the rows from the other devices, in proportion, or to them.
void add_moved(TunedPartition& tuned, std::size_t d, double by) {
  const auto& chosen = tuned.choice.tuning;
  const auto rows = static_cast<double>(tuned.rows);
  const double share = static_cast<double>(chosen.devices[d].rows) / rows + by;
  const double rest = rows - static_cast<double>(chosen.devices[d].rows);
  if (share < 0 || share > 1 || rest <= 0) return;
  std::vector<double> weights;
  for (std::size_t i = 0; i < chosen.devices.size(); ++i) {
    const double of_rest = static_cast<double>(chosen.devices[i].rows) / rest;
    weights.push_back(i == d ? share : (1 - share) * of_rest);
  }
  PartitionTuning moved = chosen;
  const auto shares = scenarios::divide(tuned.rows, weights);
  for (std::size_t i = 0; i < shares.size(); ++i) moved.devices[i].rows = shares[i];
  add_candidate(tuned, tuned.devices[d] + (by > 0 ? " +" : " ") + core::significant(100 * by, 3) + " %", moved);
}

void collect_candidates(TunedPartition& tuned, bool neighbours) {
  add_candidate(tuned, "chosen", tuned.choice.tuning);
  for (const auto& other : tuned.choice.alternatives) add_candidate(tuned, other.what, other.tuning);
  for (std::size_t d = 0; d < tuned.devices.size() && neighbours; ++d) {
    if (tuned.choice.tuning.devices[d].rows == 0) continue;
    add_moved(tuned, d, 0.01);
    add_moved(tuned, d, -0.01);
  }
}

bool noise_explains(const validate::RowFigures& a, const validate::RowFigures& b) {
  return a.median_low <= b.median_high && b.median_low <= a.median_high;
}

}  // namespace

TunedPartition tune_division(const scenarios::Scenario& scenario, const core::Machine& machine, bool neighbours,
                             const core::StopToken& stop) {
  const auto& partition = scenarios::partition_of(scenario);
  TunedPartition tuned;
  for (const auto& device : machine.devices) tuned.devices.push_back(device.name);
  tuned.rows = scenarios::partition_rows(partition);
  tuned.kernel = partition.kernel.name;
  const auto begin = std::chrono::steady_clock::now();
  const auto profiles = sample_profiles(scenario, machine);
  tuned.profile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const PartitionTuning base = tune::base_tuning(scenario, machine, profiles);
  tune::PartitionOptions options;
  options.seed = scenario.seed;
  options.stop = stop;
  if (partition.chunks.size() == 1) options.chunks = partition.chunks.front();
  tuned.choice = tune::tune_partition(scenario, machine, base, options);
  collect_candidates(tuned, neighbours);
  tuned.set = empty_set(scenario, machine);
  validate::CaseRecord record;
  record.partition = base;
  tuned.set.cases.push_back(std::move(record));
  for (auto& candidate : tuned.candidates) {
    tune::fit_memory(scenario, machine, candidate.tuning);
    candidate.row = tuned.set.rows.size();
    validate::Row row;
    row.division = division_of(candidate.tuning);
    row.division->chosen = candidate.row == 0;
    tuned.set.rows.push_back(std::move(row));
  }
  PredictOptions predict;
  predict.stop = stop;
  predict_rows(tuned.set, scenario, machine, predict);
  tuned.stopped = stop.stop_requested();
  if (tuned.stopped) tuned.set.notes.emplace_back("partial: stopped by the user");
  return tuned;
}

void judge_measurements(TunedPartition& tuned) {
  std::vector<std::optional<validate::RowFigures>> figures;
  for (const auto& candidate : tuned.candidates) figures.push_back(validate::figures_of(tuned.set.rows[candidate.row]));
  if (!figures.front()) return;
  std::size_t best = 0;
  for (std::size_t i = 1; i < figures.size(); ++i) {
    if (figures[i] && figures[i]->median < figures[best]->median) best = i;
  }
  if (best != 0 && !noise_explains(*figures[0], *figures[best])) tuned.taken = best;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (i != tuned.taken && figures[i] && noise_explains(*figures[tuned.taken], *figures[i])) {
      tuned.measured_ties.push_back(i);
    }
  }
  const Verdict unchanged = tuned.measured_ties.empty() ? Verdict::confirmed : Verdict::tie;
  tuned.verdict = tuned.taken != 0 ? Verdict::changed : unchanged;
}

scenarios::Scenario tuned_scenario(const scenarios::Scenario& scenario, const core::Machine& machine,
                                   const TunedPartition& tuned) {
  scenarios::Scenario written = scenario;
  auto& partition = std::get<scenarios::Partition>(written.body);
  const auto division = division_of(tuned.candidates[tuned.taken].tuning);
  partition.devices.clear();
  partition.weights = {{}};
  partition.sweep.reset();
  partition.chunks.clear();
  partition.device_chunks.clear();
  for (std::size_t d = 0; d < machine.devices.size(); ++d) {
    if (division.shares[d] == 0) continue;
    partition.devices.push_back(machine.devices[d].name);
    partition.weights.front().push_back(division.weights[d]);
    partition.device_chunks.push_back(division.chunks[d]);
  }
  return written;
}

}  // namespace forelap::run
