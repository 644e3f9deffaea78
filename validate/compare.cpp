#include "validate/compare.hpp"

#include <algorithm>
#include <cmath>

#include "core/statistics.hpp"

namespace forelap::validate {
namespace {

struct Judged {
  double predicted = 0;
  RowFigures figures;
};

/// The rows that were both predicted and measured.
std::vector<Judged> judged_rows(const std::vector<const Row*>& rows) {
  std::vector<Judged> judged;
  for (const auto* row : rows) {
    if (!row->predicted) continue;
    if (const auto figures = figures_of(*row)) judged.push_back({row->predicted->seconds, *figures});
  }
  return judged;
}

void judge_errors(const std::vector<Judged>& judged, Summary& summary) {
  double sum = 0;
  double largest = 0;
  double beyond = 0;
  std::size_t quiet = 0;
  std::size_t covered = 0;
  for (const auto& row : judged) {
    const double error = std::abs(*row.figures.error_pct);
    sum += error;
    largest = std::max(largest, error);
    beyond = std::max(beyond, *row.figures.beyond_spread_pct);
    quiet += *row.figures.within_noise ? 1U : 0U;
    covered += *row.figures.covered ? 1U : 0U;
  }
  const auto count = static_cast<double>(judged.size());
  summary.mean_abs_error_pct = sum / count;
  summary.max_abs_error_pct = largest;
  summary.max_error_beyond_spread_pct = beyond;
  summary.within_noise = static_cast<double>(quiet) / count;
  summary.interval_coverage_pct = 100.0 * static_cast<double>(covered) / count;
}

/// Ranks of one case with at least two rows that were predicted and measured.
void judge_ranking(const std::vector<Judged>& judged, Summary& summary) {
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> half_widths;
  for (const auto& row : judged) {
    predicted.push_back(row.predicted);
    measured.push_back(row.figures.median);
    half_widths.push_back((row.figures.median_high - row.figures.median_low) / 2);
  }
  const auto tau = core::kendall_tau(predicted, measured, core::median(half_widths));
  const auto chosen = std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
  const double best = *std::min_element(measured.begin(), measured.end());
  const double regret = 100.0 * (measured[static_cast<std::size_t>(chosen)] - best) / best;
  if (tau) summary.kendall_tau = std::min(summary.kendall_tau.value_or(*tau), *tau);
  summary.regret_pct = std::max(summary.regret_pct.value_or(regret), regret);
}

Summary summarize_rows(const std::vector<std::vector<const Row*>>& cases) {
  Summary summary;
  std::vector<const Row*> all;
  for (const auto& rows : cases) all.insert(all.end(), rows.begin(), rows.end());
  std::vector<double> spreads;
  for (const auto* row : all) {
    if (const auto figures = figures_of(*row)) spreads.push_back(figures->spread_pct);
  }
  if (!spreads.empty()) summary.spread_pct = core::median(spreads);

  const auto judged = judged_rows(all);
  summary.runs = judged.size();
  if (!judged.empty()) judge_errors(judged, summary);
  for (const auto& rows : cases) {
    const auto of_case = judged_rows(rows);
    if (of_case.size() >= 2) judge_ranking(of_case, summary);
  }
  return summary;
}

std::vector<const Row*> rows_of(const RunSet& set, std::size_t case_index) {
  std::vector<const Row*> rows;
  for (const auto& row : set.rows) {
    if (row.case_index == case_index) rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::optional<RowFigures> figures_of(const Row& row) {
  if (row.samples.empty()) return std::nullopt;
  RowFigures figures;
  figures.median = core::median(row.samples);
  if (!(figures.median > 0)) return std::nullopt;  // an empty run: percentages of nothing say nothing
  figures.p10 = core::quantile(row.samples, 0.1);
  figures.p90 = core::quantile(row.samples, 0.9);
  const auto interval = core::median_interval(row.samples);
  figures.median_low = interval.low;
  figures.median_high = interval.high;
  figures.spread_pct = 100.0 * (figures.p90 - figures.p10) / figures.median;
  if (row.predicted) {
    const double error = 100.0 * (row.predicted->seconds - figures.median) / figures.median;
    figures.error_pct = error;
    figures.beyond_spread_pct = std::max(0.0, std::abs(error) - figures.spread_pct);
    figures.within_noise = std::abs(error) <= figures.spread_pct;
    figures.covered = row.predicted->low <= figures.median && figures.median <= row.predicted->high;
  }
  return figures;
}

Summary summarize(const RunSet& set) {
  return summarize(std::span<const RunSet>(&set, 1));
}

Summary summarize(std::span<const RunSet> sets) {
  std::vector<std::vector<const Row*>> cases;
  for (const auto& set : sets) {
    for (std::size_t i = 0; i < set.cases.size(); ++i) cases.push_back(rows_of(set, i));
  }
  return summarize_rows(cases);
}

Summary summarize_case(const RunSet& set, std::size_t case_index) {
  return summarize_rows({rows_of(set, case_index)});
}

std::optional<Landmarks> landmarks_of(const RunSet& set, std::size_t case_index) {
  std::vector<std::pair<double, std::size_t>> ranked;
  const bool measured = std::any_of(set.rows.begin(), set.rows.end(), [&](const Row& row) {
    return row.case_index == case_index && !row.samples.empty();
  });
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    const auto& row = set.rows[i];
    if (row.case_index != case_index) continue;
    if (measured && !row.samples.empty()) ranked.emplace_back(core::median(row.samples), i);
    if (!measured && row.predicted) ranked.emplace_back(row.predicted->seconds, i);
  }
  if (ranked.empty()) return std::nullopt;
  std::sort(ranked.begin(), ranked.end());
  return Landmarks{ranked.front().second, ranked[(ranked.size() - 1) / 2].second, ranked.back().second};
}

}  // namespace forelap::validate
