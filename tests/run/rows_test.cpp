#include "run/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "tests/run/fixtures.hpp"
#include "validate/json.hpp"

namespace forelap::run {
namespace {

using testing::bk50;
using ::testing::HasSubstr;
using testing::ideal_machine;
using testing::modelled_machine;

TEST(Rows, AllOrdersOfFourTasksAreTwentyFourRows) {
  const auto set = make_rows(bk50(), ideal_machine());
  std::set<std::vector<std::uint32_t>> orders;
  for (const auto& row : set.rows) orders.insert(row.order);
  EXPECT_EQ(orders.size(), 24U);
  EXPECT_EQ(set.rows.size(), 24U);
  EXPECT_EQ(set.cases[0].tasks, (std::vector<std::string>{"T0", "T1", "T4", "T5"}));
}

TEST(Rows, ASetRemembersItsScenario) {
  const auto set = make_rows(bk50(), ideal_machine());
  const auto scenario = scenario_of(set, "r.json");
  EXPECT_EQ(scenario.name, "BK50");
  EXPECT_EQ(scenario.seed, 3U);
  const auto plan = plan_of(scenario, set, set.rows[5]);
  EXPECT_EQ(plan.steps.size(), plan_of(bk50(), set, set.rows[5]).steps.size());
}

TEST(Rows, ASetThatDoesNotFitItsScenarioIsRefused) {
  auto set = make_rows(bk50(), ideal_machine());
  set.cases[0].tuning.tasks.pop_back();
  EXPECT_THROW(scenario_of(set, "r.json"), core::Error);
}

TEST(Rows, WhatDoesNotFitTheScenarioIsNamedByItsPath) {
  const auto error_of = [](auto&& change) {
    auto set = make_rows(bk50(), ideal_machine());
    change(set);
    try {
      scenario_of(set, "r.json");
    } catch (const core::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using Set = validate::RunSet;
  EXPECT_THAT(error_of([](Set& set) { set.cases[0].tuning.case_index = 3; }),
              HasSubstr("r.json: cases[0].scenario_case: found 3"));
  EXPECT_THAT(error_of([](Set& set) { set.cases[0].tuning.device_count = 2; }),
              HasSubstr("r.json: cases[0].device_count: found 2 devices, expected 1"));
  EXPECT_THAT(error_of([](Set& set) { set.cases[0].tasks[1] = "T9"; }),
              HasSubstr("r.json: cases[0].tasks[1].name: found 'T9', expected 'T1'"));
  EXPECT_THAT(error_of([](Set& set) { set.cases[0].tuning.tasks[2].htod.clear(); }),
              HasSubstr("r.json: cases[0].tasks[2].htod: found 0 transfers, expected 1"));
  EXPECT_THAT(error_of([](Set& set) { set.cases[0].tuning.tasks[2].kernels[0].kernel = "k"; }),
              HasSubstr("cases[0].tasks[2].kernels[0].kernel: found 'k', expected 'synthetic'"));
  EXPECT_THAT(error_of([](Set& set) { set.rows[4].policy = "auto"; }), HasSubstr("r.json: rows[4].policy"));
}

/// Files that somebody edited: each is read and can be run, or refused.
TEST(Rows, ResultFilesWithRandomEditsAreRunOrRefused) {
  const auto machine = modelled_machine(0.1);
  auto whole = make_rows(bk50(), machine);
  whole.rows.resize(3);
  const std::string text = validate::to_json(whole);
  const std::vector<std::string> tokens = {"-1",    "0",      "99",   "4294967295",   "18446744073709551615",
                                           "1e300", "0.5",    "\"\"", "null",         "[]",
                                           "{}",    "true",   "[0]",  "1e18",         "64",
                                           "65",    "\"T1\"", "3",    "1000000000000"};
  core::Random random(1);
  int refused = 0;
  int run = 0;
  for (int i = 0; i < 2000; ++i) {
    // A value, which stands behind a colon, a comma or a bracket, is replaced; now and then a stretch is cut.
    std::string changed = text;
    const std::size_t at = changed.find_first_of(":[,", random.below(changed.size()));
    if (at == std::string::npos) continue;
    const std::size_t end = std::min(changed.find_first_of(",]}\n", at + 1), changed.size());
    if (random.below(8) == 0) {
      changed.erase(at, random.below(40));
    } else {
      changed.replace(at + 1, end - at - 1, tokens[random.below(tokens.size())]);
    }
    try {
      const auto set = validate::from_json(changed, "r.json");
      const auto scenario = scenario_of(set, "r.json");
      for (const auto& row : set.rows) {
        const auto plan = plan_of(scenario, set, row);
        ASSERT_LE(plan.lanes.size(), 2U + 64U) << "edit " << i;
        ASSERT_LE(plan.steps.size(), 12U) << "edit " << i;
      }
      ++run;
    } catch (const core::Error& error) {
      ASSERT_EQ(error.kind(), core::ErrorKind::bad_input) << "edit " << i;
      EXPECT_THAT(error.what(), HasSubstr("r.json")) << "edit " << i;
      ++refused;
    }
  }
  EXPECT_GT(run, 100);
  EXPECT_GT(refused, 500);
}

TEST(Rows, LabelsFollowTheStepsOfThePlanInBothSchemes) {
  for (const std::uint32_t engines : {1U, 2U}) {
    auto scenario = bk50();
    std::get<scenarios::TaskGroup>(scenario.body).engines = engines;
    std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks[0].after = {1};
    auto machine = modelled_machine(0);
    const auto set = make_rows(scenario, machine);
    for (const auto& row : set.rows) {
      const auto plan = plan_of(scenario, set, row);
      const auto labels = step_labels(scenario, set, row);
      ASSERT_EQ(labels.size(), plan.steps.size());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto& step = plan.steps[i];
        const char* stage = step.kind == core::StepKind::kernel                 ? " synthetic"
                            : step.direction == core::Direction::host_to_device ? " htod"
                                                                                : " dtoh";
        std::string task;
        if (step.kind == core::StepKind::copy) task = set.cases[0].tasks[index(step.buffer)];
        EXPECT_THAT(labels[i], HasSubstr(task + stage)) << engines << " engines, step " << i;
      }
    }
  }
}

TEST(Rows, DevicesAreSelectedByNameOrSpecification) {
  auto machine = modelled_machine(0);
  machine.devices.push_back(machine.devices[0]);
  machine.devices[1].name = "second";
  auto scenario = bk50();
  auto& devices = std::get<scenarios::TaskGroup>(scenario.body).devices;
  EXPECT_EQ(select_devices(machine, scenario).devices.size(), 1U);
  devices = {"second", "gpu0"};
  EXPECT_EQ(select_devices(machine, scenario).devices[0].name, "second");
  devices = {"opencl:1"};
  EXPECT_EQ(select_devices(machine, scenario).devices[0].name, "second");
  devices = {"auto"};
  EXPECT_EQ(select_devices(machine, scenario).devices[0].name, "gpu0");
}

TEST(Rows, ADeviceThatTheMachineLacksIsNamedWithThoseThereAre) {
  auto scenario = bk50();
  std::get<scenarios::TaskGroup>(scenario.body).devices = {"gpu7"};
  try {
    select_devices(ideal_machine(), scenario);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("'gpu7'"));
    EXPECT_THAT(error.what(), HasSubstr("gpu0"));
  }
}

TEST(Rows, ADeviceIsNotTakenTwice) {
  core::Machine machine;
  machine.devices.resize(2);
  machine.devices[0].name = "a";
  machine.devices[1].name = "b";
  scenarios::Scenario scenario;
  scenarios::TaskGroup group;
  group.devices = {"b", "b"};
  scenario.body = group;
  EXPECT_THROW(select_devices(machine, scenario), core::Error);
}

TEST(Rows, TimestampsAreIso8601InUtc) {
  EXPECT_THAT(timestamp(), ::testing::MatchesRegex("....-..-..T..:..:..Z"));
}

}  // namespace
}  // namespace forelap::run
