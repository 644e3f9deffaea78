#include "run/traces.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run/predict.hpp"
#include "run/rows.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

TEST(Traces, PredictedAndMeasuredStandSideBySide) {
  const auto scenario = testing::bk50();
  const auto machine = testing::modelled_machine(0);
  auto set = make_rows(scenario, machine);
  predict_rows(set, scenario, machine, {});
  std::map<std::size_t, core::Timeline> measured;
  for (std::size_t row = 0; row < set.rows.size(); ++row) {
    measured[row] = predict_timeline(set, set.rows[row], scenario, machine, "fast");
  }
  Traces traces;
  traces.add(set, scenario, machine, measured);
  const auto document = nlohmann::json::parse(traces.json());
  std::size_t predicted = 0;
  std::size_t measured_count = 0;
  std::size_t slices = 0;
  for (const auto& event : document["traceEvents"]) {
    if (event["name"] == "process_name") {
      const std::string name = event["args"]["name"];
      predicted += name.starts_with("predicted: BK50 ") ? 1U : 0U;
      measured_count += name.starts_with("measured: BK50 ") ? 1U : 0U;
    }
    slices += event["ph"] == "X" ? 1U : 0U;
  }
  EXPECT_EQ(predicted, 3U);
  EXPECT_EQ(measured_count, 3U);
  EXPECT_EQ(slices, 6U * 12U);
}

}  // namespace
}  // namespace forelap::run
