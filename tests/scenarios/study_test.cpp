#include "scenarios/study.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"
#include "scenarios/read.hpp"

namespace {

using namespace forelap;
using scenarios::Scenario;
using scenarios::TaskGroup;

constexpr const char* kTasks =
    "tasks:\n"
    "  - {name: A, htod: 1 ms, kernel: 2 ms, dtoh: 3 ms}\n"
    "  - {name: B, htod: 3 ms, kernel: 2 ms, dtoh: 1 ms}\n";

Scenario with_study(const std::string& study) {
  return scenarios::parse_scenario("forelap: 1\nkind: task_group\nstudy: " + study + "\n" + kTasks, "s.yaml");
}

std::string error_of(const std::string& study) {
  try {
    with_study(study);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

const TaskGroup& group_of(const Scenario& scenario) {
  return std::get<TaskGroup>(scenario.body);
}

TEST(Study, EachWayOfHandingKernelsOverIsACaseOfTheSameTasks) {
  const Scenario expanded = expand_study(with_study("{workers: 6, orders: 50, kernel_queues: [one, one_a_task]}"));
  const auto& cases = group_of(expanded).cases;
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].name, "one kernel queue");
  EXPECT_EQ(cases[1].name, "a queue a kernel");
  EXPECT_EQ(cases[0].kernel_lanes, 1U);
  EXPECT_EQ(cases[1].kernel_lanes, 6U);
  ASSERT_EQ(cases[0].tasks.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(cases[0].tasks[i].name, cases[1].tasks[i].name);
  EXPECT_FALSE(group_of(expanded).study);
}

TEST(Study, TasksBeyondTheCasesAreDrawnByTheSeed) {
  Scenario scenario = with_study("{workers: 8, orders: 50}");
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    scenario.seed = seed;
    std::string names;
    const Scenario expanded = expand_study(scenario);
    for (const auto& task : group_of(expanded).cases[0].tasks) names += task.name[0];
    EXPECT_EQ(names.size(), 8U);
    drawn.insert(names);
  }
  EXPECT_GT(drawn.size(), 4U);
}

TEST(Study, WithoutMoreWorkersTheTasksAreTheCases) {
  const Scenario expanded = expand_study(with_study("{orders: all}"));
  ASSERT_EQ(group_of(expanded).cases[0].tasks.size(), 2U);
  EXPECT_EQ(group_of(expanded).cases[0].tasks[0].name, "A");
  EXPECT_EQ(group_of(expanded).cases[0].tasks[1].name, "B");
}

TEST(Study, EachWorkersNextTaskComesAfterItsLast) {
  const Scenario expanded = expand_study(with_study("{rounds: 3, orders: 50}"));
  const auto& tasks = group_of(expanded).cases[0].tasks;
  ASSERT_EQ(tasks.size(), 6U);
  EXPECT_TRUE(tasks[1].after.empty());
  EXPECT_EQ(tasks[3].after, std::vector<std::uint32_t>{1});
  EXPECT_EQ(tasks[5].after, std::vector<std::uint32_t>{3});
}

TEST(Study, TheExpandedScenarioReadsBackAsItWasWritten) {
  const Scenario expanded = expand_study(with_study("{workers: 3, rounds: 2, orders: 9, kernel_queues: one_a_task}"));
  const std::string text = scenarios::write_scenario(expanded);
  const Scenario back = scenarios::parse_scenario(text, "back.yaml");
  EXPECT_EQ(scenarios::write_scenario(back), text);
  EXPECT_EQ(group_of(back).cases[0].kernel_lanes, 6U);
  EXPECT_EQ(group_of(back).cases[0].tasks[4].after, std::vector<std::uint32_t>{1});
}

TEST(Study, AStudyReadsBackAsItWasWritten) {
  const std::string text = scenarios::write_scenario(
      with_study("{workers: 6, orders: 50, extremes: 3, candidates: 4, final_runs: 5, kernel_queues: [one_a_task]}"));
  EXPECT_EQ(scenarios::write_scenario(scenarios::parse_scenario(text, "back.yaml")), text);
  EXPECT_NE(text.find("final_runs: 5"), std::string::npos);
}

TEST(Study, WhatCannotBeStudiedIsRefusedWithItsPlace) {
  EXPECT_NE(error_of("{workers: 9}").find("found all orders of 9 tasks"), std::string::npos);
  EXPECT_NE(error_of("{workers: 40, rounds: 2, orders: 5}").find("at most 64 tasks in all"), std::string::npos);
  EXPECT_NE(error_of("{orders: all, kernel_queues: [one, one]}").find("a second time"), std::string::npos);
  EXPECT_NE(error_of("{orders: all}\ndevice_memory: 1 GiB").find("do not keep"), std::string::npos);
  EXPECT_NE(error_of("{orders: all}\nkernel_lanes: 2").find("s.yaml:4"), std::string::npos);
  EXPECT_NE(error_of("{rounds: 2}").find("found all orders of several rounds"), std::string::npos);
  EXPECT_NE(error_of("{orders: 0}").find("s.yaml:3"), std::string::npos);
  EXPECT_NE(error_of("{runs: 3}").find("runs"), std::string::npos);
  EXPECT_NE(error_of("{orders: all}\norder: all").find("a study runs in the order given"), std::string::npos);
  EXPECT_NE(error_of("{orders: all}\nonline: {arrivals: at_once}").find("expected one of them"), std::string::npos);
}

}  // namespace
