#include "run/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "models/perturb.hpp"
#include "run/rows.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

using testing::bk50;
using testing::ideal_machine;
using testing::modelled_machine;

std::vector<double> predicted(const validate::RunSet& set) {
  std::vector<double> seconds;
  for (const auto& row : set.rows) seconds.push_back(row.predicted->seconds);
  return seconds;
}

TEST(Predict, Bk50MeetsThePublishedMakespansOnAnIdealMachine) {
  auto set = make_rows(bk50(), ideal_machine());
  predict_rows(set, bk50(), ideal_machine(), {});
  const auto seconds = predicted(set);
  EXPECT_NEAR(*std::min_element(seconds.begin(), seconds.end()), 2.10e-2, 1e-12);
  EXPECT_NEAR(*std::max_element(seconds.begin(), seconds.end()), 3.10e-2, 1e-12);
  EXPECT_NEAR(core::geometric_mean(seconds), 2.477e-2, 0.5e-5);
  EXPECT_EQ(set.engine, "fast");
}

TEST(Predict, ExactMachinesHaveIntervalsWithoutWidth) {
  auto set = make_rows(bk50(), ideal_machine());
  predict_rows(set, bk50(), ideal_machine(), {});
  for (const auto& row : set.rows) {
    EXPECT_EQ(row.predicted->low, row.predicted->seconds);
    EXPECT_EQ(row.predicted->high, row.predicted->seconds);
  }
  EXPECT_TRUE(models::is_exact(ideal_machine()));
  EXPECT_FALSE(models::is_exact(modelled_machine(0.01)));
}

TEST(Predict, IntervalsHoldThePredictionAndGrowWithTheSpread) {
  double previous = 0;
  for (const double relative : {0.001, 0.01}) {
    const auto machine = modelled_machine(relative);
    auto set = make_rows(bk50(), machine);
    predict_rows(set, bk50(), machine, {});
    for (const auto& row : set.rows) {
      EXPECT_LE(row.predicted->low, row.predicted->seconds);
      EXPECT_GE(row.predicted->high, row.predicted->seconds);
    }
    const auto& first = *set.rows[0].predicted;
    const double width = (first.high - first.low) / first.seconds;
    // Makespans are sums of terms of spread `relative`: 90 % of a normal distribution lie within 1.645 of it.
    EXPECT_GT(width, 2 * relative * 0.3);
    EXPECT_LT(width, 2 * relative * 3);
    EXPECT_GT(width, previous);
    previous = width;
  }
}

TEST(Predict, TheSameSeedGivesTheSameIntervals) {
  const auto machine = modelled_machine(0.02);
  auto a = make_rows(bk50(), machine);
  auto b = a;
  predict_rows(a, bk50(), machine, {});
  predict_rows(b, bk50(), machine, {});
  for (std::size_t i = 0; i < a.rows.size(); ++i) EXPECT_EQ(a.rows[i].predicted->low, b.rows[i].predicted->low);
  b.seed += 1;
  predict_rows(b, bk50(), machine, {});
  EXPECT_NE(a.rows[0].predicted->low, b.rows[0].predicted->low);
}

TEST(Predict, SizesOutsideTheFittedRangeAreFlagged) {
  auto machine = modelled_machine(0);
  auto set = make_rows(bk50(), machine);
  predict_rows(set, bk50(), machine, {});
  EXPECT_FALSE(set.rows[0].extrapolated);
  for (auto& transfer : machine.devices[0].transfers) transfer.pieces[0].to_bytes = 1e6;
  predict_rows(set, bk50(), machine, {});
  EXPECT_TRUE(set.rows[0].extrapolated);
}

TEST(Predict, TheTimelineEndsWithTheMakespan) {
  const auto machine = modelled_machine(0);
  auto set = make_rows(bk50(), machine);
  predict_rows(set, bk50(), machine, {});
  const auto timeline = predict_timeline(set, set.rows[3], bk50(), machine, "fast");
  EXPECT_EQ(core::seconds_from_ticks(timeline.makespan), set.rows[3].predicted->seconds);
  EXPECT_EQ(timeline.intervals.size(), 12U);
}

TEST(Predict, AnUnknownEngineIsRefused) {
  auto set = make_rows(bk50(), ideal_machine());
  PredictOptions options;
  options.engine = "quantum";
  EXPECT_THROW(predict_rows(set, bk50(), ideal_machine(), options), core::Error);
}

TEST(Predict, StoppedItLeavesTheRestUnpredicted) {
  auto set = make_rows(bk50(), ideal_machine());
  core::StopSource source;
  PredictOptions options;
  options.stop = source.token();
  options.progress = [&source](const std::string&, std::size_t done, std::size_t) {
    if (done == 10) source.request_stop();
  };
  predict_rows(set, bk50(), ideal_machine(), options);
  EXPECT_TRUE(set.rows[9].predicted);
  EXPECT_FALSE(set.rows[10].predicted);
}

}  // namespace
}  // namespace forelap::run
