#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A scenario of one task with an online block of these keys; the block's keys stand in line 6 and on.
std::string online_text(const std::string& keys, const std::string& head = "") {
  return "forelap: 1\nkind: task_group\n" + head + "tasks:\n  - {name: A, kernel: 1 ms}\nonline:\n" + keys;
}

Online online_of(const std::string& keys) {
  const Scenario scenario = parse_scenario(online_text(keys), "f.yaml");
  EXPECT_TRUE(group_of(scenario).online.has_value());
  return group_of(scenario).online.value_or(Online{});
}

std::string error_of(const std::string& keys, const std::string& head = "") {
  return scenario_error(online_text(keys, head));
}

TEST(Online, ScenariosWithoutTheBlockAreNotOnline) {
  EXPECT_FALSE(group_of(parse_scenario(scenario_text("kernel: 1 ms"), "f.yaml")).online.has_value());
}

TEST(Online, EveryKeyIsRead) {
  const Online online = online_of(
      "  arrivals: closed\n  workers: 4\n  tasks: 3\n  think: 500 us\n  draw: random\n  queue: 8\n"
      "  policies: [neh, auto]\n");
  EXPECT_EQ(online.arrivals, Arrivals::closed);
  EXPECT_EQ(online.workers, 4U);
  EXPECT_EQ(online.tasks, 3U);
  EXPECT_EQ(online.think, 500e-6);
  EXPECT_EQ(online.draw, Draw::random);
  EXPECT_EQ(online.queue, 8U);
  EXPECT_THAT(online.policies, ElementsAre("neh", "auto"));
}

TEST(Online, WhatIsLeftOutHasItsUsualValue) {
  const Online online = online_of("  arrivals: at_once\n");
  EXPECT_EQ(online.arrivals, Arrivals::at_once);
  EXPECT_EQ(online.tasks, 0U);
  EXPECT_EQ(online.draw, Draw::in_turn);
  EXPECT_EQ(online.queue, 1024U);
  EXPECT_THAT(online.policies, ElementsAre("arrival", "heuristic", "auto"));
}

TEST(Online, IntervalsMayBeMultiplesOfTheUnit) {
  const Scenario scenario =
      parse_scenario(online_text("  arrivals: poisson\n  interval: 0.5 unit\n", "unit: 10 ms\n"), "f.yaml");
  EXPECT_DOUBLE_EQ(group_of(scenario).online->interval, 5e-3);
}

TEST(Online, AWrittenScenarioReadsBackToTheSame) {
  const std::string keys =
      "  arrivals: every\n  interval: 1.5 ms\n  tasks: 12\n  draw: random\n  policies: auto\n  queue: 2\n";
  const Scenario first = parse_scenario(online_text(keys), "f.yaml");
  const std::string written = write_scenario(first);
  const Scenario second = parse_scenario(written, "f.yaml");
  EXPECT_EQ(write_scenario(second), written);
  const Online& online = *group_of(second).online;
  EXPECT_EQ(online.arrivals, Arrivals::every);
  EXPECT_EQ(online.interval, 1.5e-3);
  EXPECT_EQ(online.tasks, 12U);
  EXPECT_EQ(online.draw, Draw::random);
  EXPECT_THAT(online.policies, ElementsAre("auto"));
  EXPECT_EQ(online.queue, 2U);
}

TEST(Online, SeveralCasesMayBeOnline) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ncases:\n  - {name: a, tasks: [{kernel: 1 ms}]}\n  - {name: b, tasks: [{kernel: 2 "
      "ms}]}\nonline: {arrivals: at_once}\n",
      "f.yaml");
  EXPECT_EQ(group_of(scenario).cases.size(), 2U);
  EXPECT_TRUE(group_of(scenario).online.has_value());
}

TEST(Online, AWhatIfReachesTheBlock) {
  const Scenario scenario =
      parse_scenario(online_text("  arrivals: every\n  interval: 1 ms\n"), "f.yaml", {{"online.interval", "3 ms"}});
  EXPECT_EQ(group_of(scenario).online->interval, 3e-3);
}

TEST(Online, TheSchemaKnowsTheBlock) {
  EXPECT_THAT(scenario_schema(), HasSubstr("\"poisson\""));
  EXPECT_THAT(scenario_schema(), HasSubstr("\"think\""));
}

TEST(Online, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(error_of("  arrivals: sometimes\n"), StartsWith("f.yaml:6:13: online.arrivals: "));
  EXPECT_THAT(error_of("  arrivals: sometimes\n"), HasSubstr("at_once, every, poisson or closed"));
  EXPECT_THAT(error_of("  tasks: 4\n"), HasSubstr("\"arrivals\" is missing"));
  EXPECT_THAT(error_of("  arrivals: at_once\n  polices: auto\n"), StartsWith("f.yaml:7:3: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  polices: auto\n"), HasSubstr("did you mean \"policies\"?"));
  EXPECT_THAT(error_of("  arrivals: at_once\n  policies: [best]\n"), StartsWith("f.yaml:7:14: online.policies[0]: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  policies: [auto, neh, auto]\n"),
              StartsWith("f.yaml:7:25: online.policies[2]: found \"auto\" a second time"));
  EXPECT_THAT(error_of("  arrivals: at_once\n  policies: []\n"), StartsWith("f.yaml:7:13: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  queue: 0\n"), StartsWith("f.yaml:7:10: online.queue: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  tasks: 100001\n"), StartsWith("f.yaml:7:10: online.tasks: "));
}

TEST(Online, IntervalsBelongToThePatternsThatHaveThem) {
  EXPECT_THAT(error_of("  arrivals: every\n"), HasSubstr("\"interval\" is missing"));
  EXPECT_THAT(error_of("  arrivals: poisson\n"), HasSubstr("mean time"));
  EXPECT_THAT(error_of("  arrivals: poisson\n  interval: 0 ms\n"), StartsWith("f.yaml:7:13: online.interval: "));
  EXPECT_THAT(error_of("  arrivals: every\n  interval: 3\n"), StartsWith("f.yaml:7:13: online.interval: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  interval: 1 ms\n"), StartsWith("f.yaml:7:13: online.interval: "));
}

TEST(Online, WorkersBelongToClosedArrivals) {
  EXPECT_THAT(error_of("  arrivals: closed\n"), HasSubstr("\"workers\" is missing"));
  EXPECT_THAT(error_of("  arrivals: at_once\n  workers: 3\n"), StartsWith("f.yaml:7:12: online.workers: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n  think: 3 ms\n"), StartsWith("f.yaml:7:10: online.think: "));
  EXPECT_THAT(error_of("  arrivals: closed\n  workers: 1000\n  tasks: 1000\n"),
              StartsWith("f.yaml:8:10: online.tasks: "));
}

TEST(Online, WhatDoesNotGoWithItIsRefused) {
  EXPECT_THAT(error_of("  arrivals: at_once\n", "order: all\n"), StartsWith("f.yaml:3:8: order: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n", "devices: [auto, auto]\n"), StartsWith("f.yaml:3:10: devices: "));
  EXPECT_THAT(error_of("  arrivals: at_once\n", "device_memory: 1 GiB\n"), StartsWith("f.yaml:3:16: device_memory: "));
  EXPECT_THAT(
      scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: A, kernel: 1 ms}\n  - {name: B, kernel: 1 "
                     "ms, after: [A]}\nonline: {arrivals: at_once}\n"),
      StartsWith("f.yaml:5:36: tasks[1].after: "));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\noverlap: {sizes: [1 MiB], degrees: [50 %]}\nonline: "
                             "{arrivals: at_once}\n"),
              StartsWith("f.yaml:3:10: overlap: "));
}

}  // namespace
}  // namespace forelap::scenarios
