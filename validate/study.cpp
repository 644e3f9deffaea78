#include "validate/study.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "core/statistics.hpp"

namespace forelap::validate {
namespace {

constexpr int kResamples = 400;

bool has_label(const Row& row, const std::string& label) {
  return std::find(row.labels.begin(), row.labels.end(), label) != row.labels.end();
}

/// The final runs of one case, and of the cases of the same tasks.
struct Finals {
  std::vector<const Row*> own;      ///< rows with final runs
  std::vector<const Row*> of_kind;  ///< those of every case of the same tasks
  const Row* chosen = nullptr;
  const Row* heuristic = nullptr;
};

std::optional<Finals> finals_of(const RunSet& set, std::size_t index) {
  Finals finals;
  for (const Row& row : set.rows) {
    if (row.final_samples.empty()) continue;
    if (set.cases[row.case_index].tasks == set.cases[index].tasks) finals.of_kind.push_back(&row);
    if (row.case_index != index) continue;
    finals.own.push_back(&row);
    if (has_label(row, kChosenLabel)) finals.chosen = &row;
    if (has_label(row, kHeuristicLabel)) finals.heuristic = &row;
  }
  if (finals.chosen == nullptr || finals.heuristic == nullptr) return std::nullopt;
  return finals;
}

/// 1 where there is nothing to gain.
double share_of(double worst, double best, double time) {
  if (!(worst > best)) return 1;
  return (worst / time - 1) / (worst / best - 1);
}

double resampled_median(const Row& row, core::Random& random) {
  std::vector<double> drawn(row.final_samples.size());
  for (double& value : drawn) value = row.final_samples[random.below(row.final_samples.size())];
  return core::median(drawn);
}

struct Shares {
  double chosen = 0;
  double heuristic = 0;
};

/// The shares in one resampling: every row is drawn once, so that the best is what was drawn for it.
Shares resample(const Finals& finals, core::Random& random) {
  double worst = 0;
  double best = std::numeric_limits<double>::infinity();
  double chosen = 0;
  double heuristic = 0;
  for (const Row* row : finals.of_kind) {
    const double median = resampled_median(*row, random);
    best = std::min(best, median);
    if (std::find(finals.own.begin(), finals.own.end(), row) != finals.own.end()) worst = std::max(worst, median);
    if (row == finals.chosen) chosen = median;
    if (row == finals.heuristic) heuristic = median;
  }
  return {share_of(worst, best, chosen), share_of(worst, best, heuristic)};
}

Share with_interval(double value, const std::vector<double>& resampled) {
  return {value, std::min(value, core::quantile(resampled, 0.05)), std::max(value, core::quantile(resampled, 0.95))};
}

StudyFigures figures_of_case(const RunSet& set, std::size_t index, const Finals& finals) {
  const auto median = [](const Row& row) { return core::median(row.final_samples); };
  StudyFigures figures;
  figures.case_name = set.cases[index].name;
  figures.best = std::numeric_limits<double>::infinity();
  for (const Row* row : finals.own) figures.worst = std::max(figures.worst, median(*row));
  for (const Row* row : finals.of_kind) figures.best = std::min(figures.best, median(*row));
  std::vector<double> unpicked;
  for (const Row& row : set.rows) {
    if (row.case_index != index || row.samples.empty()) continue;
    ++figures.orders;
    if (has_label(row, "all") || has_label(row, "random")) unpicked.push_back(core::median(row.samples));
  }
  figures.mean = unpicked.empty() ? 0 : core::geometric_mean(unpicked);
  figures.chosen = median(*finals.chosen);
  figures.tuned = has_label(*finals.chosen, kTunedLabel);
  figures.heuristic = median(*finals.heuristic);
  return figures;
}

}  // namespace

std::vector<StudyFigures> study_figures(const RunSet& set) {
  std::vector<StudyFigures> all;
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    const auto finals = finals_of(set, i);
    if (!finals) continue;
    StudyFigures figures = figures_of_case(set, i, *finals);
    core::Random random(i + 1);
    std::vector<double> chosen;
    std::vector<double> heuristic;
    for (int r = 0; r < kResamples; ++r) {
      const Shares shares = resample(*finals, random);
      chosen.push_back(shares.chosen);
      heuristic.push_back(shares.heuristic);
    }
    figures.share_chosen = with_interval(share_of(figures.worst, figures.best, figures.chosen), chosen);
    figures.share_heuristic = with_interval(share_of(figures.worst, figures.best, figures.heuristic), heuristic);
    all.push_back(std::move(figures));
  }
  return all;
}

void label_tuned(RunSet& set) {
  std::map<std::vector<std::string>, Row*> fastest;
  for (Row& row : set.rows) {
    std::erase(row.labels, kTunedLabel);
    if (!row.predicted || !has_label(row, kChosenLabel)) continue;
    Row*& best = fastest[set.cases.at(row.case_index).tasks];
    if (best == nullptr || row.predicted->seconds < best->predicted->seconds) best = &row;
  }
  for (const auto& [tasks, row] : fastest) row->labels.emplace_back(kTunedLabel);
}

Share mean_share(std::span<const RunSet> sets, const std::string& label) {
  double sum = 0;
  std::size_t count = 0;
  std::vector<double> resampled(kResamples, 0.0);
  core::Random random(1);
  for (const RunSet& set : sets) {
    for (const StudyFigures& figures : study_figures(set)) {
      if (label == kTunedLabel && !figures.tuned) continue;
      sum += label == kHeuristicLabel ? figures.share_heuristic.value : figures.share_chosen.value;
      ++count;
    }
    for (std::size_t i = 0; i < set.cases.size(); ++i) {
      const auto finals = finals_of(set, i);
      if (!finals || (label == kTunedLabel && !has_label(*finals->chosen, kTunedLabel))) continue;
      for (double& value : resampled) {
        const Shares shares = resample(*finals, random);
        value += label == kHeuristicLabel ? shares.heuristic : shares.chosen;
      }
    }
  }
  if (count == 0) return {};
  for (double& value : resampled) value /= static_cast<double>(count);
  return with_interval(sum / static_cast<double>(count), resampled);
}

}  // namespace forelap::validate
