#include "run/online.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/error.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/read.hpp"
#include "sim/fast/executor.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ideal_machine;
using testing::modelled_machine;
using testing::online_bk50;
using testing::pattern;

constexpr core::Tick kMs = 1'000'000'000;

OnlineRun simulate(const scenarios::Scenario& scenario, const std::string& policy, const core::Machine& machine) {
  const auto set = make_rows(scenario, machine);
  return simulate_online(scenario, set.cases[0].tuning, policy, machine, std::make_shared<core::Machine>(machine),
                         scenario.seed);
}

TEST(Online, AScenarioHasARowForEachPolicy) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  EXPECT_TRUE(is_online(scenario));
  EXPECT_FALSE(is_online(testing::bk50()));
  const auto set = make_rows(scenario, ideal_machine());
  ASSERT_EQ(set.rows.size(), 3U);
  EXPECT_EQ(set.rows[1].policy, "heuristic");
  EXPECT_EQ(validate::order_text(set, set.rows[1]), "heuristic");
  EXPECT_TRUE(set.rows[1].order.empty());
  EXPECT_THROW(plan_of(scenario, set, set.rows[0]), std::invalid_argument);
  EXPECT_TRUE(is_online(scenario_of(set, "r.json")));
}

TEST(Online, AGroupThatComesAtOnceTakesAsLongAsThatOrderOffline) {
  for (const std::uint32_t engines : {1U, 2U}) {
    for (const auto& machine : {ideal_machine(), modelled_machine(0)}) {
      auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
      std::get<scenarios::TaskGroup>(scenario.body).engines = engines;
      for (const char* policy : {"arrival", "heuristic", "auto"}) {
        const OnlineRun run = simulate(scenario, policy, machine);
        auto offline = scenario;
        std::get<scenarios::TaskGroup>(offline.body).online.reset();
        auto set = make_rows(offline, machine);
        set.rows[0].order = run.order;
        predict_rows(set, offline, machine, {});
        EXPECT_EQ(run.makespan, core::ticks_from_seconds(set.rows[0].predicted->seconds)) << policy << engines;
        EXPECT_THAT(run.groups, ElementsAre(4));
      }
    }
  }
}

TEST(Online, AutoOrdersAGroupThatComesAtOnceInTheBestWay) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  EXPECT_EQ(simulate(scenario, "auto", ideal_machine()).makespan, 21 * kMs);
}

TEST(Online, ALoneWorkerDoesOneTaskAfterTheOther) {
  auto online = pattern(scenarios::Arrivals::closed, 4);
  online.workers = 1;
  const OnlineRun run = simulate(online_bk50(online), "auto", ideal_machine());
  EXPECT_EQ(run.makespan, 40 * kMs);  // each task of BK50 takes one unit alone
  EXPECT_THAT(run.groups, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(run.latencies, Each(10 * kMs));
}

TEST(Online, ThinkingPassesBetweenTheTasksOfAWorker) {
  auto online = pattern(scenarios::Arrivals::closed, 3);
  online.workers = 1;
  online.think = 4e-3;
  const OnlineRun run = simulate(online_bk50(online), "arrival", ideal_machine());
  EXPECT_EQ(run.makespan, 38 * kMs);
  EXPECT_THAT(run.latencies, Each(10 * kMs));
}

TEST(Online, TasksFarApartAreAlone) {
  auto online = pattern(scenarios::Arrivals::every, 5);
  online.interval = 0.1;
  const OnlineRun run = simulate(online_bk50(online), "auto", ideal_machine());
  EXPECT_EQ(run.makespan, 410 * kMs);
  EXPECT_THAT(run.latencies, Each(10 * kMs));
  EXPECT_EQ(run.groups.size(), 5U);
}

TEST(Online, WhatArrivesWhileAGroupIsTransferredIsTheNextGroup) {
  auto online = pattern(scenarios::Arrivals::every, 4);
  online.interval = 0.5e-3;
  // T0 is transferred until 1 ms; T1 came at 0.5, T4 at 1 ms, where the event of the transfer is the earlier one or
  // not: both come before the next transfer ends.
  const OnlineRun run = simulate(online_bk50(online), "arrival", ideal_machine());
  EXPECT_EQ(run.groups.front(), 1U);
  EXPECT_LE(run.groups.size(), 3U);
  EXPECT_THAT(run.order, ElementsAre(0, 1, 2, 3));
}

TEST(Online, AQueueOfOneMakesGroupsOfOneAndHoldsTheOthersBack) {
  auto online = pattern(scenarios::Arrivals::at_once, 6);
  online.queue = 1;
  const OnlineRun run = simulate(online_bk50(online), "auto", ideal_machine());
  EXPECT_THAT(run.groups, ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(run.order, ElementsAre(0, 1, 2, 3, 4, 5));
  // Latencies count from when the tasks wished to come.
  EXPECT_EQ(*std::max_element(run.latencies.begin(), run.latencies.end()), run.makespan);
}

TEST(Online, MoreTasksThanAGroupHoldsAreAllRun) {
  const OnlineRun run = simulate(online_bk50(pattern(scenarios::Arrivals::at_once, 150)), "arrival", ideal_machine());
  EXPECT_EQ(run.order.size(), 150U);
  EXPECT_EQ(run.groups.front(), 64U);
  EXPECT_THAT(run.latencies, Each(::testing::Gt(0)));
}

TEST(Online, EveryTaskEndsUnderEveryPolicyAndPattern) {
  for (const auto arrivals : {scenarios::Arrivals::at_once, scenarios::Arrivals::every, scenarios::Arrivals::poisson,
                              scenarios::Arrivals::closed}) {
    auto online = pattern(arrivals, arrivals == scenarios::Arrivals::closed ? 3 : 15);
    if (arrivals == scenarios::Arrivals::closed) online.workers = 5;
    if (arrivals == scenarios::Arrivals::every || arrivals == scenarios::Arrivals::poisson) online.interval = 3e-3;
    online.draw = scenarios::Draw::random;
    const auto scenario = online_bk50(online);
    for (const auto& policy : tune::policy_names()) {
      const OnlineRun run = simulate(scenario, policy, modelled_machine(0));
      auto order = run.order;
      std::sort(order.begin(), order.end());
      for (std::uint32_t i = 0; i < 15; ++i) EXPECT_EQ(order.at(i), i);
      // No task is faster than alone, about one unit.
      EXPECT_THAT(run.latencies, Each(::testing::Gt(9 * kMs)));
    }
  }
}

TEST(Online, StagesThatAreMissingAreNotWaitedFor) {
  auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once, 12));
  auto& tasks = std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks;
  tasks[0].htod.clear();
  tasks[1].dtoh.clear();
  tasks[2].kernels.clear();
  tasks[3].htod.clear();
  tasks[3].kernels.clear();
  for (const auto& policy : tune::policy_names()) {
    const OnlineRun run = simulate(scenario, policy, ideal_machine());
    EXPECT_EQ(run.order.size(), 12U);
  }
  // Groups without any transfer to the device leave the way free at once.
  tasks = {tasks[0], tasks[3]};
  EXPECT_EQ(simulate(scenario, "auto", ideal_machine()).order.size(), 12U);
}

TEST(Online, TheSameSeedGivesTheSameRun) {
  auto online = pattern(scenarios::Arrivals::poisson, 30);
  online.interval = 5e-3;
  online.draw = scenarios::Draw::random;
  auto scenario = online_bk50(online);
  const OnlineRun a = simulate(scenario, "auto", modelled_machine(0));
  const OnlineRun b = simulate(scenario, "auto", modelled_machine(0));
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.latencies, b.latencies);
  EXPECT_EQ(a.makespan, b.makespan);
  scenario.seed = 99;
  EXPECT_NE(simulate(scenario, "auto", modelled_machine(0)).latencies, a.latencies);
}

/// Answers nothing, whatever waits.
class Idle : public core::Policy {
 public:
  [[nodiscard]] std::string name() const override { return "idle"; }
  void arrived(const core::OpenTask& /*task*/, core::Tick /*now*/) override {}
  void withdrawn(core::TaskKey /*task*/, core::Tick /*now*/) override {}
  void transferred(core::TaskKey /*task*/, core::Tick /*now*/) override {}
  void finished(core::TaskKey /*task*/, core::Tick /*now*/) override {}
  std::vector<core::TaskKey> next(core::Tick /*now*/, const core::StopToken& /*hurry*/) override { return answer; }
  void prepare(core::Tick /*now*/, const core::StopToken& /*hurry*/) override {}
  std::vector<core::TaskKey> answer;
};

TEST(Online, APolicyThatLeavesTasksBehindOrInventsOnesIsAProgrammingError) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  const auto tuning = make_rows(scenario, ideal_machine()).cases[0].tuning;
  const ArrivalSequence arrivals(pattern(scenarios::Arrivals::at_once), 4, 1);
  for (const std::vector<core::TaskKey>& answer : {std::vector<core::TaskKey>{}, std::vector<core::TaskKey>{77}}) {
    OnlinePlans plans(scenario, tuning, arrivals.positions());
    const core::Bindings unbound;
    const auto executor = sim::fast::make_executor(std::make_shared<core::Machine>(ideal_machine()), {});
    const auto session = executor->open_session(plans.frame(), unbound);
    Idle idle;
    idle.answer = answer;
    EXPECT_THROW(run_online(*session, plans, arrivals, idle, TaskFacts(4), 10), std::logic_error);
  }
}

TEST(PredictOnline, FillsRowsWithFiguresAndIntervals) {
  auto online = pattern(scenarios::Arrivals::closed, 2);
  online.workers = 4;
  const auto scenario = online_bk50(online);
  const auto machine = modelled_machine(0.01);
  auto set = make_rows(scenario, machine);
  predict_rows(set, scenario, machine, {});
  for (const auto& row : set.rows) {
    ASSERT_TRUE(row.predicted && row.predicted_online);
    EXPECT_LT(row.predicted->low, row.predicted->seconds);
    EXPECT_GT(row.predicted->high, row.predicted->seconds);
    EXPECT_NEAR(row.predicted_online->tasks_per_second, 8 / row.predicted->seconds, 1);
    EXPECT_LE(row.predicted_online->mean_latency, row.predicted_online->p95_latency);
    EXPECT_GE(row.predicted_online->groups, 2);
    EXPECT_FALSE(row.measured_online);
  }
}

TEST(PredictOnline, AnotherEngineIsRefused) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  auto set = make_rows(scenario, ideal_machine());
  PredictOptions options;
  options.engine = "simgrid";
  try {
    predict_rows(set, scenario, ideal_machine(), options);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("--engine fast"));
  }
}

TEST(PredictOnline, ARowWithoutAPolicyIsRefused) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  auto set = make_rows(scenario, ideal_machine());
  set.rows[1].policy.clear();
  try {
    predict_rows(set, scenario, ideal_machine(), {});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("is online"));
  }
}

TEST(PredictOnline, StoppedItLeavesTheRestWithoutAPrediction) {
  const auto scenario = online_bk50(pattern(scenarios::Arrivals::at_once));
  auto set = make_rows(scenario, ideal_machine());
  core::StopSource source;
  source.request_stop();
  PredictOptions options;
  options.stop = source.token();
  predict_rows(set, scenario, ideal_machine(), options);
  for (const auto& row : set.rows) EXPECT_FALSE(row.predicted);
}

TEST(PredictOnline, TheShippedScenariosGainByOrdering) {
  for (const char* name : {"online-closed", "online-poisson"}) {
    const auto scenario = scenarios::read_scenario(scenarios::resolve_scenario(name));
    const auto machine =
        select_devices(scenarios::read_machine(scenarios::resolve_machine(scenario.machine)), scenario);
    auto set = make_rows(scenario, machine);
    predict_rows(set, scenario, machine, {});
    ASSERT_EQ(set.rows.size(), 3U);
    EXPECT_EQ(set.rows[0].policy, "arrival");
    EXPECT_EQ(set.rows[2].policy, "auto");
    EXPECT_LE(set.rows[2].predicted->seconds, set.rows[0].predicted->seconds) << name;
  }
}

}  // namespace
}  // namespace forelap::run
