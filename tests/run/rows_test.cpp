#include "run/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "tests/run/fixtures.hpp"

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
