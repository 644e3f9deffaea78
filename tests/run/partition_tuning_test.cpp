#include "run/partition_tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/predict.hpp"
#include "run/rows.hpp"
#include "tests/run/partition_fixtures.hpp"

namespace forelap::run {
namespace {

using ::testing::HasSubstr;
using testing::partition;
using testing::two_devices;

scenarios::Scenario multiply() {
  return partition("kernel: matrix_multiply_rows\nsizes: {rows: 400, inner: 300, columns: 200}\nweights: auto\n");
}

TunedPartition tuned(bool neighbours) {
  return tune_division(multiply(), two_devices(), neighbours, {});
}

TEST(TuneDivision, PredictsTheChoiceAndWhatItIsComparedWith) {
  const auto t = tuned(false);
  EXPECT_EQ(t.candidates.front().what, "chosen");
  ASSERT_EQ(t.set.rows.size(), t.candidates.size());
  EXPECT_NEAR(t.set.rows[0].predicted->seconds * core::kTicksPerSecond, t.choice.time, 1);
  std::vector<std::string> whats;
  for (const auto& candidate : t.candidates) whats.push_back(candidate.what);
  EXPECT_THAT(whats, ::testing::Contains(HasSubstr("gpu0 alone")));
  EXPECT_THAT(whats, ::testing::Contains(HasSubstr("cpu0 alone")));
  for (const auto& row : t.set.rows) EXPECT_GE(row.predicted->seconds, t.set.rows[0].predicted->seconds * 0.999);
}

TEST(TuneDivision, AddsNeighboursToMeasure) {
  const auto t = tuned(true);
  std::size_t moved = 0;
  for (const auto& candidate : t.candidates) moved += candidate.what.find("1 %") != std::string::npos ? 1U : 0U;
  EXPECT_GE(moved, 2U);
  for (const auto& candidate : t.candidates) {
    std::uint64_t rows = 0;
    for (const auto& device : candidate.tuning.devices) rows += device.rows;
    EXPECT_EQ(rows, 400U) << candidate.what;
  }
}

TEST(TuneDivision, IsWrittenAsAScenarioOfTheSameTime) {
  const auto t = tuned(false);
  const auto machine = two_devices();
  const auto written = scenarios::write_scenario(tuned_scenario(multiply(), machine, t));
  const auto again = scenarios::parse_scenario(written, "tuned.yaml");
  const auto selected = select_devices(machine, again);
  auto set = make_rows(again, selected);
  PredictOptions options;
  options.draws = 0;
  predict_rows(set, again, selected, options);
  ASSERT_EQ(set.rows.size(), 1U);
  EXPECT_NEAR(set.rows[0].predicted->seconds, t.choice.time / core::kTicksPerSecond, 1e-9);
  EXPECT_FALSE(set.rows[0].division->chosen);
}

TEST(TuneDivision, GivesAllOfItAsJson) {
  const auto t = tuned(false);
  const auto document = nlohmann::json::parse(tuning_json(t));
  EXPECT_EQ(document["schema"], "forelap.tune_partition/1");
  EXPECT_EQ(document["devices"].size(), 2U);
  EXPECT_EQ(document["devices"][0]["rows"].get<int>() + document["devices"][1]["rows"].get<int>(), 400);
  EXPECT_LE(document["bound_s"].get<double>(), document["predicted_s"].get<double>());
  EXPECT_EQ(document["candidates"].size(), t.candidates.size());
  EXPECT_EQ(document["verdict"], "not measured");
}

TEST(TuneDivision, TakesWhatWasMeasuredFasterBeyondNoise) {
  auto t = tuned(false);
  for (auto& row : t.set.rows) row.samples = {2, 2, 2, 2, 2};
  t.set.rows[1].samples = {1, 1, 1, 1, 1};
  judge_measurements(t);
  EXPECT_EQ(t.taken, 1U);
  EXPECT_EQ(t.verdict, Verdict::changed);
}

TEST(TuneDivision, KeepsTheChoiceWhereNoiseExplainsTheLead) {
  auto t = tuned(false);
  for (auto& row : t.set.rows) row.samples = {1, 2, 3, 2, 1};
  t.set.rows[1].samples = {1, 1.9, 3, 1.9, 1};
  judge_measurements(t);
  EXPECT_EQ(t.taken, 0U);
  EXPECT_EQ(t.verdict, Verdict::tie);
  EXPECT_FALSE(t.measured_ties.empty());
}

}  // namespace
}  // namespace forelap::run
