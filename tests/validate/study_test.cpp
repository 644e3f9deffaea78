#include "validate/study.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validate/json.hpp"

namespace forelap::validate {
namespace {

Row row_of(std::size_t case_index, std::vector<std::uint32_t> order, std::vector<std::string> labels, double final) {
  Row row;
  row.case_index = case_index;
  row.order = std::move(order);
  row.labels = std::move(labels);
  row.samples = {final, final, final};
  if (final > 0) row.final_samples = {final * 0.999, final, final * 1.001};
  return row;
}

CaseRecord case_of(const std::string& name, std::uint32_t lanes) {
  CaseRecord record;
  record.name = name;
  record.tasks = {"A", "B"};
  record.tuning.tasks.resize(2);
  record.tuning.device = {0, 0};
  record.tuning.engines = {2};
  record.tuning.kernel_lanes = lanes;
  record.scheduling = {{"chosen", 2e-5}};
  return record;
}

/// Orders that take 3 and 2 s, of which the heuristic took the slower and the search the faster.
RunSet a_study() {
  RunSet set;
  set.scenario = "s";
  set.cases = {case_of("one kernel queue", 1)};
  set.rows = {row_of(0, {0, 1}, {"all", kHeuristicLabel}, 3), row_of(0, {1, 0}, {"all", kChosenLabel}, 2)};
  return set;
}

TEST(StudyFigures, SharesRunFromTheWorstOrderToTheBest) {
  const auto figures = study_figures(a_study());
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].worst, 3);
  EXPECT_EQ(figures[0].best, 2);
  EXPECT_EQ(figures[0].orders, 2U);
  EXPECT_NEAR(figures[0].mean, std::sqrt(6.0), 1e-12);
  EXPECT_EQ(figures[0].share_chosen.value, 1);
  EXPECT_EQ(figures[0].share_heuristic.value, 0);
}

TEST(StudyFigures, AShareIsTheGainAgainstTheBestGain) {
  RunSet set = a_study();
  set.rows.push_back(row_of(0, {1, 0}, {"model best"}, 1.5));
  const auto figures = study_figures(set);
  // S = 3 / 2, S_best = 3 / 1.5.
  EXPECT_NEAR(figures.at(0).share_chosen.value, 0.5, 1e-12);
  EXPECT_LT(figures.at(0).share_chosen.low, 0.5);
  EXPECT_GT(figures.at(0).share_chosen.high, 0.5);
}

TEST(StudyFigures, TheBestMayHaveHadItsKernelsHandedOverOtherwise) {
  RunSet set = a_study();
  set.cases.push_back(case_of("a queue a kernel", 2));
  set.rows.push_back(row_of(1, {0, 1}, {"all", kHeuristicLabel, kChosenLabel}, 1.5));
  const auto figures = study_figures(set);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].best, 1.5);
  EXPECT_EQ(figures[0].worst, 3);
  EXPECT_NEAR(figures[0].share_chosen.value, 0.5, 1e-12);
}

TEST(StudyFigures, WhereNothingCanBeGainedTheShareIsWhole) {
  RunSet set = a_study();
  for (Row& row : set.rows) row.final_samples = {2, 2, 2};
  EXPECT_EQ(study_figures(set).at(0).share_heuristic.value, 1);
}

TEST(StudyFigures, CasesWithoutFinalRunsAreLeftOut) {
  RunSet set = a_study();
  set.rows[1].final_samples.clear();
  EXPECT_TRUE(study_figures(set).empty());
  EXPECT_EQ(mean_share({&set, 1}, kChosenLabel).value, 0);
}

TEST(StudyFigures, TheMeanIsOverAllCasesOfAllSets) {
  std::vector<RunSet> sets = {a_study(), a_study()};
  sets[1].rows.push_back(row_of(0, {1, 0}, {"model best"}, 1.5));
  EXPECT_NEAR(mean_share(sets, kChosenLabel).value, 0.75, 1e-12);
  EXPECT_NEAR(mean_share(sets, kHeuristicLabel).value, 0, 1e-12);
}

TEST(StudyFigures, TheTunedOrderIsTheChosenOneOfTheWayThatIsPredictedFaster) {
  RunSet set = a_study();
  set.cases.push_back(case_of("a queue a kernel", 2));
  set.rows.push_back(row_of(1, {0, 1}, {"all", kHeuristicLabel, kChosenLabel}, 1.5));
  set.rows[1].predicted = Predicted{1.9, 1.9, 1.9};
  set.rows[2].predicted = Predicted{1.6, 1.6, 1.6};
  label_tuned(set);
  const auto figures = study_figures(set);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_FALSE(figures[0].tuned);
  EXPECT_TRUE(figures[1].tuned);
  EXPECT_EQ(mean_share({&set, 1}, kTunedLabel).value, 1);
  EXPECT_NEAR(mean_share({&set, 1}, kChosenLabel).value, 0.75, 1e-12);
  label_tuned(set);
  EXPECT_EQ(set.rows[2].labels.size(), 4U);
}

TEST(StudyFigures, ReadBackFromJsonAsTheyWereWritten) {
  const std::string text = to_json(a_study());
  const RunSet back = from_json(text, "study.json");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.rows.at(0).labels, a_study().rows.at(0).labels);
  EXPECT_EQ(back.rows.at(1).final_samples, a_study().rows.at(1).final_samples);
  EXPECT_EQ(back.cases.at(0).scheduling, a_study().cases.at(0).scheduling);
  EXPECT_NE(text.find("\"study\": ["), std::string::npos);
}

}  // namespace
}  // namespace forelap::validate
