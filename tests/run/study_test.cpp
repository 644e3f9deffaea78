#include "run/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "run/hardware.hpp"
#include "run/rows.hpp"
#include "scenarios/read.hpp"
#include "tests/run/fake_executor.hpp"
#include "tests/run/fixtures.hpp"
#include "validate/study.hpp"

namespace forelap::run {
namespace {

using testing::FakeExecutor;
using testing::FakeLog;

scenarios::Scenario study_scenario(const std::string& study) {
  return scenarios::parse_scenario("forelap: 1\nkind: task_group\nname: s\nrepetitions: 2\nstudy: " + study +
                                       "\ntasks:\n"
                                       "  - {name: T0, htod: 0.02 ms, kernel: 0.16 ms, dtoh: 0.02 ms}\n"
                                       "  - {name: T1, htod: 0.04 ms, kernel: 0.14 ms, dtoh: 0.02 ms}\n"
                                       "  - {name: T4, htod: 0.12 ms, kernel: 0.04 ms, dtoh: 0.04 ms}\n"
                                       "  - {name: T5, htod: 0.04 ms, kernel: 0.04 ms, dtoh: 0.12 ms}\n",
                                   "s.yaml");
}

std::size_t with_label(const validate::RunSet& set, std::size_t case_index, const std::string& label) {
  return static_cast<std::size_t>(std::count_if(set.rows.begin(), set.rows.end(), [&](const validate::Row& row) {
    return row.case_index == case_index && std::find(row.labels.begin(), row.labels.end(), label) != row.labels.end();
  }));
}

class StudyRun : public ::testing::Test {
 protected:
  void plan(const std::string& text) {
    scenario_ = study_scenario(text);
    const auto machine = testing::modelled_machine(0);
    set_ = plan_study(scenario_, machine, machine, expanded_);
  }
  MeasureOutcome measure() {
    FakeExecutor executor(log_);
    const auto bind = [this](std::size_t case_index) { return make_bindings(expanded_, case_index, "opencl"); };
    MeasureOptions options;
    options.repetitions = 2;
    options.stop = source_.token();
    return measure_study(set_, expanded_, *std::get<scenarios::TaskGroup>(scenario_.body).study, executor, bind,
                         options, [this] { ++done_; });
  }

  scenarios::Scenario scenario_;
  scenarios::Scenario expanded_;
  validate::RunSet set_;
  FakeLog log_;
  core::StopSource source_;
  int done_ = 0;
};

TEST_F(StudyRun, AllOrdersAreThereOnceWithTheChosenOnesAmongThem) {
  plan("{orders: all, extremes: 3, kernel_queues: [one, one_a_task]}");
  ASSERT_EQ(set_.rows.size(), 48U);
  for (const std::size_t c : {0U, 1U}) {
    EXPECT_EQ(with_label(set_, c, "all"), 24U);
    EXPECT_EQ(with_label(set_, c, "model best"), 3U);
    EXPECT_EQ(with_label(set_, c, "model worst"), 3U);
    EXPECT_EQ(with_label(set_, c, validate::kChosenLabel), 1U);
    EXPECT_EQ(with_label(set_, c, validate::kHeuristicLabel), 1U);
    EXPECT_GT(set_.cases[c].scheduling.at(validate::kChosenLabel), 0);
  }
  for (const auto& row : set_.rows) {
    const bool chosen = std::count(row.labels.begin(), row.labels.end(), validate::kChosenLabel) != 0;
    EXPECT_LE(chosen ? 1 : 0, std::count(row.labels.begin(), row.labels.end(), "model best"));
  }
}

TEST_F(StudyRun, RandomOrdersOfSeveralRoundsKeepTheRounds) {
  plan("{workers: 3, rounds: 2, orders: 12, extremes: 4}");
  EXPECT_EQ(with_label(set_, 0, "random"), 12U);
  std::set<std::vector<std::uint32_t>> seen;
  for (const auto& row : set_.rows) {
    EXPECT_TRUE(seen.insert(row.order).second);
    ASSERT_EQ(row.order.size(), 6U);
    EXPECT_LT(*std::max_element(row.order.begin(), row.order.begin() + 3), 3U);
  }
  plan_of(expanded_, set_, set_.rows.front());
}

TEST_F(StudyRun, TheSeedDecidesTheOrders) {
  plan("{workers: 6, orders: 10, extremes: 0}");
  const auto first = set_.rows;
  plan("{workers: 6, orders: 10, extremes: 0}");
  ASSERT_EQ(set_.rows.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(set_.rows[i].order, first[i].order);
}

TEST_F(StudyRun, TheFastestTheSlowestAndTheChosenAreMeasuredAgain) {
  plan("{orders: all, extremes: 0, candidates: 4, final_runs: 6}");
  const auto outcome = measure();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(done_, 1);
  std::size_t finals = 0;
  for (const auto& row : set_.rows) {
    EXPECT_EQ(row.samples.size(), 2U);
    EXPECT_TRUE(row.final_samples.empty() || row.final_samples.size() == 6);
    finals += row.final_samples.empty() ? 0 : 1;
  }
  EXPECT_GE(finals, 7U);  // four fastest and three slowest
  EXPECT_LE(finals, 9U);
  const auto figures = validate::study_figures(set_);
  ASSERT_EQ(figures.size(), 1U);
  // The fake's plans take a microsecond more each, in the order they were prepared.
  EXPECT_GT(figures[0].worst, figures[0].best);
}

TEST_F(StudyRun, CompleteCasesAreNotMeasuredTwice) {
  plan("{orders: all, extremes: 0, candidates: 2, final_runs: 3, kernel_queues: [one, one_a_task]}");
  measure();
  EXPECT_EQ(done_, 2);
  for (auto& row : set_.rows) {
    if (row.case_index == 1) row.final_samples.clear();
  }
  const auto kept = set_.rows;
  const auto before = log_.runs.size();
  measure();
  EXPECT_EQ(done_, 3);
  EXPECT_GT(log_.runs.size(), before);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].case_index != 0) continue;
    EXPECT_EQ(set_.rows[i].samples, kept[i].samples);
  }
}

TEST_F(StudyRun, AFailureEndsTheStudyAndKeepsWhatIsThere) {
  plan("{orders: all, extremes: 0, candidates: 2, final_runs: 3, kernel_queues: [one, one_a_task]}");
  log_.before_run = [](std::size_t run) {
    if (run == 110) core::throw_device_failed("the device is gone");
  };
  const auto outcome = measure();
  EXPECT_EQ(outcome.failure, "the device is gone");
  EXPECT_EQ(done_, 1);
  EXPECT_EQ(validate::study_figures(set_).size(), 1U);
}

}  // namespace
}  // namespace forelap::run
