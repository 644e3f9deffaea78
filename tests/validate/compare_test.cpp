#include "validate/compare.hpp"

#include <gtest/gtest.h>

#include "tests/validate/sets.hpp"

namespace forelap::validate {
namespace {

using testing::case_of;
using testing::row_of;
using testing::two_orders;

TEST(Compare, FiguresOfARowAreRelativeToItsMedian) {
  // Sorted 0.9 1 1 1 1.1: type 7 quantiles at 0.4 and 3.6 steps: p10 = 0.9 + 0.4 * 0.1, p90 = 1 + 0.6 * 0.1.
  const auto figures = figures_of(row_of({0, 1}, 1.05, {1.1, 1.0, 0.9, 1.0, 1.0}));
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->median, 1.0);
  EXPECT_NEAR(figures->p10, 0.94, 1e-12);
  EXPECT_NEAR(figures->p90, 1.06, 1e-12);
  EXPECT_NEAR(figures->spread_pct, 12.0, 1e-9);
  EXPECT_NEAR(*figures->error_pct, 5.0, 1e-9);
  EXPECT_TRUE(*figures->within_noise);
  EXPECT_DOUBLE_EQ(*figures->beyond_spread_pct, 0.0);
  EXPECT_FALSE(*figures->covered);  // the interval is 1.0395 .. 1.0605
}

TEST(Compare, ErrorsBeyondTheSpreadAreTheRestOfTheError) {
  const auto figures = figures_of(row_of({0}, 0.8, {1.0, 1.0, 1.0}));
  EXPECT_NEAR(*figures->error_pct, -20.0, 1e-9);
  EXPECT_NEAR(*figures->beyond_spread_pct, 20.0, 1e-9);
  EXPECT_FALSE(*figures->within_noise);
}

TEST(Compare, ARowWithoutSamplesOrOfNoLengthHasNoFigures) {
  EXPECT_FALSE(figures_of(row_of({0}, 1.0, {})));
  EXPECT_FALSE(figures_of(row_of({0}, 1.0, {0.0, 0.0})));
}

TEST(Compare, ASummaryTellsMeanAndLargestErrorAndTheSpread) {
  const auto summary = summarize(two_orders());
  EXPECT_EQ(summary.runs, 2U);
  EXPECT_NEAR(*summary.mean_abs_error_pct, 12.5, 1e-9);  // 0 % and 25 %
  EXPECT_NEAR(*summary.max_abs_error_pct, 25.0, 1e-9);
  EXPECT_NEAR(*summary.max_error_beyond_spread_pct, 25.0, 1e-9);
  EXPECT_NEAR(*summary.spread_pct, 6.0, 1e-9);  // median of 12 % and 0 %
  EXPECT_DOUBLE_EQ(*summary.within_noise, 0.5);
  EXPECT_DOUBLE_EQ(*summary.interval_coverage_pct, 50.0);
  EXPECT_DOUBLE_EQ(*summary.kendall_tau, 1.0);
  EXPECT_DOUBLE_EQ(*summary.regret_pct, 0.0);
}

TEST(Compare, RegretIsWhatTheChoiceByPredictionLoses) {
  auto set = two_orders();
  set.rows[0].predicted->seconds = 3.0;  // now the slower order is predicted to be the best
  const auto summary = summarize(set);
  EXPECT_NEAR(*summary.regret_pct, 60.0, 1e-9);
  EXPECT_DOUBLE_EQ(*summary.kendall_tau, -1.0);
}

TEST(Compare, RankingIsJudgedWithinACaseOnly) {
  RunSet set;
  set.cases = {case_of("a", 1), case_of("b", 1)};
  set.rows = {row_of({0}, 5.0, {1, 1, 1}), row_of({0}, 1.0, {5, 5, 5})};
  set.rows[1].case_index = 1;
  const auto summary = summarize(set);
  EXPECT_EQ(summary.runs, 2U);
  EXPECT_FALSE(summary.kendall_tau);
  EXPECT_FALSE(summary.regret_pct);
}

TEST(Compare, TheWorstCaseGivesTauAndRegret) {
  auto set = two_orders();
  set.cases.push_back(case_of("other", 2));
  set.rows.push_back(row_of({0, 1}, 1.0, {2, 2, 2}));
  set.rows.push_back(row_of({1, 0}, 2.0, {1, 1, 1}));
  set.rows[2].case_index = set.rows[3].case_index = 1;
  const auto summary = summarize(set);
  EXPECT_DOUBLE_EQ(*summary.kendall_tau, -1.0);
  EXPECT_DOUBLE_EQ(*summary.regret_pct, 100.0);
  EXPECT_DOUBLE_EQ(*summarize_case(set, 0).kendall_tau, 1.0);
}

TEST(Compare, SetsKeepTheirCasesApart) {
  const std::vector<RunSet> sets = {two_orders(), two_orders()};
  const auto summary = summarize(sets);
  EXPECT_EQ(summary.runs, 4U);
  EXPECT_DOUBLE_EQ(*summary.kendall_tau, 1.0);
}

TEST(Compare, AMeasurementAloneHasASpreadAndNoError) {
  auto set = two_orders();
  for (auto& row : set.rows) row.predicted.reset();
  const auto summary = summarize(set);
  EXPECT_EQ(summary.runs, 0U);
  EXPECT_FALSE(summary.mean_abs_error_pct);
  EXPECT_FALSE(summary.kendall_tau);
  EXPECT_TRUE(summary.spread_pct);
}

TEST(Compare, LandmarksFollowTheMeasurementWhereThereIsOne) {
  auto set = two_orders();
  set.rows[0].predicted->seconds = 3.0;
  auto landmarks = landmarks_of(set, 0);
  ASSERT_TRUE(landmarks);
  EXPECT_EQ(landmarks->best, 0U);
  EXPECT_EQ(landmarks->worst, 1U);
  for (auto& row : set.rows) row.samples.clear();
  landmarks = landmarks_of(set, 0);
  EXPECT_EQ(landmarks->best, 1U);
  EXPECT_EQ(landmarks->worst, 0U);
  EXPECT_FALSE(landmarks_of(set, 1));
}

}  // namespace
}  // namespace forelap::validate
