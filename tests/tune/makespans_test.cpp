// The exact makespans of the ordering paper's synthetic benchmarks on ideal machines, from the shipped files to the
// engine. Values in units of 10 ms: best, geometric mean and worst of all orders, by exhaustive search on paper.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "scenarios/lower.hpp"
#include "scenarios/read.hpp"
#include "sim/fast/executor.hpp"
#include "tune/sizing.hpp"

namespace forelap::tune {
namespace {

constexpr core::Tick kUnit = 10'000'000'000;  // 10 ms

std::string shipped(const std::string& path) {
  return std::string(FORELAP_SOURCE_DIR) + "/scenarios/" + path + ".yaml";
}

struct Makespans {
  core::Tick best = 0;
  double geometric_mean = 0;  // units
  core::Tick worst = 0;
};

Makespans makespans_of(const std::string& name, const std::string& machine_name) {
  const auto scenario = scenarios::read_scenario(shipped("library/" + name));
  const auto machine = scenarios::read_machine(shipped("machines/" + machine_name));
  const auto& group = std::get<scenarios::TaskGroup>(scenario.body);
  auto tuning = size_case(scenario, 0, machine);
  std::vector<core::Tick> ticks;
  std::vector<double> units;
  for (const auto& order : scenarios::orders_of(group.cases[0], group.order)) {
    tuning.order = order;
    const core::Plan plan = scenarios::lower(scenario, tuning);
    const models::CostModel cost(machine, plan, scenario.interference);
    ticks.push_back(sim::fast::simulate(plan, cost).makespan);
    units.push_back(static_cast<double>(ticks.back()) / kUnit);
  }
  EXPECT_EQ(ticks.size(), 24U);
  return {*std::min_element(ticks.begin(), ticks.end()), core::geometric_mean(units),
          *std::max_element(ticks.begin(), ticks.end())};
}

struct Row {
  const char* machine;
  const char* scenario;
  double best, mean, worst;
};

constexpr Row kRows[] = {
    {"ideal-two-engines", "bk0", 2.20, 2.533, 3.00},
    {"ideal-two-engines", "bk25", 2.10, 2.508, 3.00},
    {"ideal-two-engines", "bk50", 2.10, 2.477, 3.10},
    {"ideal-two-engines", "bk75", 2.50, 2.727, 3.10},
    {"ideal-two-engines", "bk100", 3.00, 3.098, 3.30},
    {"ideal-two-engines-slowdown-2", "bk0", 3.30, 3.395, 3.50},
    {"ideal-two-engines-slowdown-2", "bk25", 2.70, 2.984, 3.40},
    {"ideal-two-engines-slowdown-2", "bk50", 2.10, 2.560, 3.20},
    {"ideal-one-engine", "bk0", 3.30, 3.30, 3.30},
    {"ideal-one-engine", "bk25", 2.70, 2.761, 3.00},
    {"ideal-one-engine", "bk50", 2.10, 2.477, 3.10},
    {"ideal-one-engine", "bk75", 2.50, 2.727, 3.10},
    {"ideal-one-engine", "bk100", 3.00, 3.098, 3.30},
};

class Makespan : public testing::TestWithParam<Row> {};

TEST_P(Makespan, EqualsThePublishedTableOverAllOrders) {
  const Row& row = GetParam();
  const Makespans found = makespans_of(row.scenario, row.machine);
  const auto units = [](double value) { return static_cast<core::Tick>(value * 100 + 0.5) * (kUnit / 100); };
  EXPECT_EQ(found.best, units(row.best));
  EXPECT_NEAR(found.geometric_mean, row.mean, 0.0005);
  EXPECT_EQ(found.worst, units(row.worst));
}

INSTANTIATE_TEST_SUITE_P(OrderingPaper, Makespan, testing::ValuesIn(kRows), [](const auto& param) {
  std::string name = std::string(param.param.machine) + "_" + param.param.scenario;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(WorkedExample, GivesThePapersTimesStepByStep) {
  const auto scenario = scenarios::read_scenario(shipped("library/worked-example"));
  const auto machine = scenarios::read_machine(shipped("machines/worked-example"));
  const core::Plan plan = scenarios::lower(scenario, size_case(scenario, 0, machine));
  const core::Timeline timeline =
      sim::fast::simulate(plan, models::CostModel(machine, plan, core::InterferenceMode::partial));
  constexpr core::Tick kMs = 1'000'000'000;
  ASSERT_EQ(timeline.intervals.size(), 9U);
  const auto& at = timeline.intervals;  // by task: htod, kernel, dtoh
  EXPECT_EQ(at[0].end, 200 * kMs);
  EXPECT_EQ(at[1].end, 207 * kMs);
  EXPECT_EQ(at[2].begin, 207 * kMs);
  EXPECT_EQ(at[3].begin, 200 * kMs);
  EXPECT_EQ(at[3].end, 215 * kMs);
  EXPECT_EQ(at[6].begin, 215 * kMs);
  EXPECT_EQ(at[2].end, 224 * kMs);
}

TEST(WorkedExample, WithoutInterferenceEndsWhereThePaperFirstEstimates) {
  const auto scenario = scenarios::read_scenario(shipped("library/worked-example"), {{"interference", "none"}});
  const auto machine = scenarios::read_machine(shipped("machines/worked-example"));
  const core::Plan plan = scenarios::lower(scenario, size_case(scenario, 0, machine));
  const core::Timeline timeline = sim::fast::simulate(plan, models::CostModel(machine, plan, scenario.interference));
  EXPECT_EQ(timeline.intervals.at(3).end, 210'000'000'000);
}

}  // namespace
}  // namespace forelap::tune
