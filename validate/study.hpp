#pragma once
// What a study found: the worst, mean and best of the orders that were measured, and the share of the best order's gain
// that the chosen orders reach.
//
// Source: the ordering paper's section 0.6: speed-ups S are against the worst order; an order's share of the gain is
// (S - 1) / (S_best - 1).

#include <span>
#include <string>
#include <vector>

#include "validate/results.hpp"

namespace forelap::validate {

/// Labels of a study's rows, beside "random", "all", "model best", "model worst".
inline constexpr const char* kChosenLabel = "chosen";
inline constexpr const char* kHeuristicLabel = "heuristic";
/// Of the chosen orders of the same tasks the one whose way of handing kernels over is predicted to be the fastest.
inline constexpr const char* kTunedLabel = "tuned";

/// A share of the gain with its 90 % confidence interval, by resampling the runs.
struct Share {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Of one case. Seconds; worst, best, chosen and heuristic are medians of the final runs.
struct StudyFigures {
  std::string case_name;
  std::size_t orders = 0;  ///< measured
  double worst = 0;        ///< slowest of the case's orders
  double mean = 0;         ///< geometric mean of the medians of its orders that were not picked by a model
  double best = 0;         ///< fastest of all orders of the same tasks, however their kernels were handed over
  double chosen = 0;
  double heuristic = 0;
  bool tuned = false;  ///< the chosen order of this case is the one that tuning would take of all ways
  Share share_chosen;
  Share share_heuristic;
};

/// One entry a case whose study is complete (its finalists were measured again); empty for sets that are no study.
/// The runs are resampled 400 times, by a generator of fixed seed.
std::vector<StudyFigures> study_figures(const RunSet& set);

/// Puts kTunedLabel on rows: the predicted times of the chosen orders decide, of equals the earlier case. Rows without
/// a prediction get none.
void label_tuned(RunSet& set);

/// The mean over all complete cases of several sets, of kTunedLabel over those that have it; nothing there: all 0.
Share mean_share(std::span<const RunSet> sets, const std::string& label);

}  // namespace forelap::validate
