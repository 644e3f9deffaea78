#pragma once
// How near predictions come to measurements, and whether they rank orders rightly. All figures stand beside the
// run-to-run spread of the measurement, which bounds what any model can reach.

#include <optional>
#include <span>
#include <vector>

#include "validate/results.hpp"

namespace forelap::validate {

/// Figures of one row with at least one sample. Percentages are of the measured median.
struct RowFigures {
  double median = 0;  ///< seconds
  double p10 = 0;
  double p90 = 0;
  double median_low = 0;  ///< 90 % confidence interval of the median
  double median_high = 0;
  double spread_pct = 0;                    ///< (p90 - p10) / median
  std::optional<double> error_pct;          ///< (predicted - median) / median, signed
  std::optional<double> beyond_spread_pct;  ///< what of |error| is beyond the spread, >= 0
  std::optional<bool> within_noise;         ///< |error| <= spread
  std::optional<bool> covered;              ///< the median lies in the predicted 90 % interval
};

/// Nothing where the row has no sample.
std::optional<RowFigures> figures_of(const Row& row);

/// Over the rows of a set. Figures that the rows cannot give (nothing measured, nothing predicted, no case with two
/// orders) are unset.
struct Summary {
  std::size_t runs = 0;  ///< rows that were both predicted and measured
  std::optional<double> mean_abs_error_pct;
  std::optional<double> max_abs_error_pct;
  std::optional<double> max_error_beyond_spread_pct;
  std::optional<double> spread_pct;             ///< median over the measured rows
  std::optional<double> within_noise;           ///< share of rows whose error is at most their spread, [0, 1]
  std::optional<double> kendall_tau;            ///< within a case; the smallest over the cases
  std::optional<double> regret_pct;             ///< what choosing by the prediction loses; the largest over the cases
  std::optional<double> interval_coverage_pct;  ///< share of medians inside the predicted 90 % interval
};

Summary summarize(const RunSet& set);
/// Over the rows of several sets; cases stay apart.
Summary summarize(std::span<const RunSet> sets);
/// The same over the rows of one case.
Summary summarize_case(const RunSet& set, std::size_t case_index);

/// Best, median and worst of a case, by index into RunSet::rows; by the measured medians where there are any, else by
/// the prediction. Ties go to the earlier row; the median of an even number is the better of the middle two. Nothing
/// for a case without rows.
struct Landmarks {
  std::size_t best = 0;
  std::size_t median = 0;
  std::size_t worst = 0;
};
std::optional<Landmarks> landmarks_of(const RunSet& set, std::size_t case_index);

}  // namespace forelap::validate
