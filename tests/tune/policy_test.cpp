#include "tune/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "scenarios/read.hpp"
#include "tune/open_order.hpp"
#include "tune/order/search.hpp"
#include "tune/task_cost.hpp"

namespace forelap::tune {
namespace {

using core::OpenTask;
using core::TaskKey;
using core::Tick;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Keys = std::vector<TaskKey>;

constexpr Tick kUnit = 10'000'000'000;  // 10 ms

core::Machine machine(double slowed = 1) {
  auto m =
      scenarios::parse_machine("forelap_machine: 1\nname: i\ndevices: [{name: ideal, copy_engines: 2}]\n", "i.yaml");
  if (slowed == 1) return m;
  core::InterferenceRow row;
  const auto rate = [slowed] {
    core::Parameter parameter;
    parameter.value = slowed;
    return parameter;
  };
  row.active = static_cast<core::ActivitySet>(1U << static_cast<unsigned>(core::ActivityClass::htod) |
                                              1U << static_cast<unsigned>(core::ActivityClass::dtoh));
  row.rates = {{core::ActivityClass::htod, rate()}, {core::ActivityClass::dtoh, rate()}};
  m.devices[0].interference = {row};
  return m;
}

OpenTask timed(TaskKey key, Tick htod, Tick kernel, Tick dtoh) {
  OpenTask task;
  task.key = key;
  task.htod_duration = htod;
  task.kernel_duration = kernel;
  task.dtoh_duration = dtoh;
  return task;
}

/// BK50: its best order takes 2.1 units, this one 2.5.
std::vector<OpenTask> bk50(TaskKey first = 0) {
  const auto tenth = kUnit / 10;
  return {timed(first, 6 * tenth, 2 * tenth, 2 * tenth), timed(first + 1, 2 * tenth, 2 * tenth, 6 * tenth),
          timed(first + 2, tenth, 8 * tenth, tenth), timed(first + 3, 2 * tenth, 7 * tenth, tenth)};
}

PolicyOptions by_nodes() {
  PolicyOptions options;
  options.nodes = 20'000;
  return options;
}

std::unique_ptr<core::Policy> policy(const std::string& name, const PolicyOptions& options = by_nodes()) {
  return make_policy(name, machine(), options);
}

void arrive(core::Policy& p, const std::vector<OpenTask>& tasks, Tick now = 0) {
  for (const OpenTask& task : tasks) p.arrived(task, now);
}

Keys run_through(core::Policy& p, Tick now = 0) {
  const Keys keys = p.next(now, {});
  for (const TaskKey key : keys) p.transferred(key, now);
  for (const TaskKey key : keys) p.finished(key, now);
  return keys;
}

core::StopToken hurried() {
  core::StopSource source;
  source.request_stop();
  return source.token();
}

/// Ticks of `tasks` in the order of `keys` (positions), alone on the machine.
double makespan(const std::vector<OpenTask>& tasks, const Keys& keys, const core::Machine& on,
                std::uint32_t engines = 2) {
  const TaskPrices prices(on, 0, core::InterferenceMode::partial, core::MemoryKind::pinned, engines);
  std::vector<sim::fast::TaskCost> costs;
  for (const OpenTask& task : tasks) costs.push_back(*prices.price(task));
  order::Order order;
  for (const TaskKey key : keys) order.push_back(static_cast<std::uint32_t>(key - tasks.front().key));
  return sim::fast::OrderEngine(prices.device(), costs).evaluate(order);
}

class EachPolicy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EachPolicy, testing::ValuesIn(policy_names()),
                         [](const auto& test) { return test.param; });

TEST_P(EachPolicy, SaysItsName) {
  EXPECT_EQ(policy(GetParam())->name(), GetParam());
}

TEST_P(EachPolicy, AGroupOfNoneIsNothingToSubmit) {
  const auto p = policy(GetParam());
  EXPECT_THAT(p->next(0, {}), IsEmpty());
  p->prepare(0, {});
  EXPECT_THAT(p->next(5, {}), IsEmpty());
}

TEST_P(EachPolicy, AGroupOfOneIsSubmittedAtOnce) {
  const auto p = policy(GetParam());
  p->arrived(timed(7, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(7));
  EXPECT_THAT(p->next(0, {}), IsEmpty());
}

TEST_P(EachPolicy, TheNextGroupWaitsForTheLastTransferOfTheOneBefore) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  const Keys first = p->next(0, {});
  EXPECT_THAT(first, UnorderedElementsAre(0, 1, 2, 3));
  arrive(*p, bk50(10), 5);
  p->prepare(5, {});
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_THAT(p->next(6, {}), IsEmpty()) << i;
    p->transferred(first[i], 6);
  }
  EXPECT_THAT(p->next(6, {}), UnorderedElementsAre(10, 11, 12, 13));
}

TEST_P(EachPolicy, ATaskThatFailsBeforeItsTransferEndsHoldsNothingUp) {
  const auto p = policy(GetParam());
  arrive(*p, {timed(0, 1, 1, 1), timed(1, 1, 1, 1)});
  EXPECT_EQ(p->next(0, {}).size(), 2U);
  p->arrived(timed(2, 1, 1, 1), 1);
  p->transferred(0, 1);
  p->finished(1, 2);
  EXPECT_THAT(p->next(2, {}), ElementsAre(2));
}

TEST_P(EachPolicy, WithdrawnTasksAreNotSubmittedEvenWhereTheyWereOrderedAhead) {
  const auto p = policy(GetParam());
  p->arrived(timed(9, 1, 1, 1), 0);
  ASSERT_THAT(p->next(0, {}), ElementsAre(9));
  arrive(*p, bk50());
  p->prepare(0, {});
  p->withdrawn(2, 1);
  p->transferred(9, 2);
  EXPECT_THAT(p->next(2, {}), UnorderedElementsAre(0, 1, 3));
}

TEST_P(EachPolicy, AllWithdrawnLeavesNothing) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  p->prepare(0, {});
  for (const TaskKey key : {0, 1, 2, 3}) p->withdrawn(key, 1);
  EXPECT_THAT(p->next(2, {}), IsEmpty());
}

TEST_P(EachPolicy, KeysOfTasksThatNeverCameAreIgnored) {
  const auto p = policy(GetParam());
  p->withdrawn(50, 0);
  p->transferred(51, 0);
  p->finished(52, 0);
  p->arrived(timed(0, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(0));
}

TEST_P(EachPolicy, MoreThanAGroupHoldsAreTakenFirstComeFirstServed) {
  const auto p = policy(GetParam());
  for (TaskKey key = 0; key < 100; ++key) p->arrived(timed(key, 10 + static_cast<Tick>(key * 7 % 13), 20, 5), 0);
  Keys first = run_through(*p);
  std::sort(first.begin(), first.end());
  Keys expected(64);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(first, expected);
  EXPECT_EQ(run_through(*p, 1).size(), 36U);
  EXPECT_THAT(p->next(2, {}), IsEmpty());
}

TEST_P(EachPolicy, InAHurryItAnswersWithAllThatWaits) {
  const auto p = policy(GetParam());
  arrive(*p, bk50());
  p->prepare(0, hurried());
  EXPECT_THAT(p->next(0, hurried()), UnorderedElementsAre(0, 1, 2, 3));
}

TEST_P(EachPolicy, MissingStagesAreNoHindrance) {
  const auto p = policy(GetParam());
  arrive(*p, {timed(0, 0, 8, 0), timed(1, 5, 0, 0), timed(2, 0, 0, 6), timed(3, 4, 4, 0), timed(4, 0, 0, 0)});
  EXPECT_THAT(p->next(0, {}), UnorderedElementsAre(0, 1, 2, 3, 4));
}

TEST_P(EachPolicy, EqualTasksKeepTheOrderOfTheirArrival) {
  if (GetParam() == "heuristic" || GetParam() == "neh") return;  // their definitions say nothing of it
  const auto p = policy(GetParam());
  arrive(*p, {timed(3, 5, 5, 5), timed(1, 5, 5, 5), timed(2, 5, 5, 5)});
  EXPECT_THAT(p->next(0, {}), ElementsAre(3, 1, 2));
}

TEST_P(EachPolicy, TheSameEventsGiveTheSameAnswers) {
  core::Random random(11);
  std::vector<OpenTask> tasks;
  for (TaskKey key = 0; key < 20; ++key) {
    const auto length = [&] { return static_cast<Tick>(random.below(1000) + 1); };
    tasks.push_back(timed(key, length(), length(), length()));
  }
  std::vector<Keys> answers;
  for (int i = 0; i < 2; ++i) {
    const auto p = policy(GetParam());
    arrive(*p, {tasks.begin(), tasks.begin() + 7});
    const Keys first = p->next(0, {});
    arrive(*p, {tasks.begin() + 7, tasks.end()}, 3);
    p->prepare(3, {});
    for (const TaskKey key : first) p->transferred(key, 9);
    answers.push_back(p->next(9, {}));
  }
  EXPECT_EQ(answers[0], answers[1]);
}

TEST_P(EachPolicy, ATaskThatTheModelsCannotPriceGoesLast) {
  const auto p = policy(GetParam());
  OpenTask unknown;
  unknown.key = 4;
  unknown.kernel = "of nobody";
  unknown.work = 1;
  p->arrived(unknown, 0);
  arrive(*p, bk50());
  const Keys keys = p->next(0, {});
  ASSERT_EQ(keys.size(), 5U);
  EXPECT_EQ(keys.back(), GetParam() == "arrival" ? 3U : 4U);
}

TEST(Policies, ArrivalKeepsTheOrderEvenOfWhatCannotBePriced) {
  const auto p = policy("arrival");
  OpenTask unknown;
  unknown.key = 4;
  unknown.htod_bytes = 100;
  p->arrived(unknown, 0);
  p->arrived(timed(2, 9, 9, 9), 0);
  p->arrived(timed(3, 1, 1, 1), 0);
  EXPECT_THAT(p->next(0, {}), ElementsAre(4, 2, 3));
}

TEST(Policies, AreThoseThatScenariosMayAskFor) {
  EXPECT_EQ(policy_names(), scenarios::online_policy_names());
}

TEST(Policies, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    policy("best");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("\"best\""));
    EXPECT_THAT(error.what(), HasSubstr("heuristic"));
  }
}

TEST(Policies, OptionsOutOfRangeAreRefused) {
  PolicyOptions options;
  options.largest_group = 65;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
  options.largest_group = 0;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
  options.largest_group = 64;
  options.device = 1;
  EXPECT_THROW(policy("auto", options), std::invalid_argument);
}

TEST(Policies, TheLargestGroupIsKept) {
  PolicyOptions options = by_nodes();
  options.largest_group = 3;
  const auto p = policy("auto", options);
  arrive(*p, bk50());
  EXPECT_THAT(run_through(*p), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(run_through(*p), ElementsAre(3));
}

TEST(Policies, AutoFindsTheBestOrderOfBk50) {
  const auto p = policy("auto");
  arrive(*p, bk50());
  EXPECT_EQ(makespan(bk50(), p->next(0, {}), machine()), 2.1 * kUnit);
}

TEST(Policies, HeuristicIsThePapers) {
  const auto p = policy("heuristic");
  arrive(*p, bk50());
  const TaskPrices prices(machine(), 0, core::InterferenceMode::partial, core::MemoryKind::pinned);
  order::Problem problem{prices.device(), {}, {}};
  for (const OpenTask& task : bk50()) problem.tasks.push_back(*prices.price(task));
  const order::BoundTable bounds(problem.device);
  const auto outcome = order::find_order(problem, bounds, order::Method::heuristic, {});
  EXPECT_EQ(p->next(0, {}), Keys(outcome.order.begin(), outcome.order.end()));
}

TEST(Policies, AutoIsNeverWorseThanArrivalOnGroupsAlone) {
  core::Random random(5);
  std::size_t better = 0;
  for (int i = 0; i < 150; ++i) {
    const core::Machine on = machine(i % 2 == 0 ? 1 : 0.6);
    PolicyOptions options;
    options.nodes = 200;
    options.engines = i % 3 == 0 ? 1 : 2;
    std::vector<OpenTask> tasks;
    const std::size_t size = 2 + random.below(i % 50 == 0 ? 30 : 7);
    for (TaskKey key = 0; key < size; ++key) {
      const auto length = [&] { return static_cast<Tick>(random.below(8) == 0 ? 0 : random.below(1'000'000) + 1); };
      tasks.push_back(timed(key, length(), length(), length()));
    }
    const auto p = make_policy("auto", on, options);
    arrive(*p, tasks);
    Keys arrival(size);
    std::iota(arrival.begin(), arrival.end(), 0U);
    const double found = makespan(tasks, p->next(0, {}), on, options.engines);
    const double plain = makespan(tasks, arrival, on, options.engines);
    EXPECT_LE(found, plain + 1) << i;
    better += found < plain ? 1 : 0;
  }
  EXPECT_GT(better, 75U);
}

/// A group that has begun, so that the next one can be thought about.
void begin_with(core::Policy& p, TaskKey key) {
  p.arrived(timed(key, kUnit, kUnit / 10, kUnit / 10), 0);
  ASSERT_EQ(p.next(0, {}).size(), 1U);
}

/// The order that auto finds for BK50 behind that group when it has time.
Keys unhurried() {
  const auto p = policy("auto");
  begin_with(*p, 9);
  arrive(*p, bk50(), 1);
  p->transferred(9, kUnit);
  return p->next(kUnit, {});
}

TEST(Policies, WhatWasPreparedIsTheAnswerEvenInAHurry) {
  const auto p = policy("auto");
  begin_with(*p, 9);
  arrive(*p, bk50(), 1);
  p->prepare(1, {});
  p->transferred(9, kUnit);
  const Keys keys = p->next(kUnit, hurried());
  EXPECT_EQ(makespan(bk50(), keys, machine()), makespan(bk50(), unhurried(), machine()));
  EXPECT_LT(makespan(bk50(), keys, machine()), makespan(bk50(), {0, 1, 2, 3}, machine()));
}

TEST(Policies, WhatArrivesAfterPreparationIsInsertedWhereItCostsLeast) {
  const auto p = policy("auto");
  begin_with(*p, 9);
  const auto tasks = bk50();
  arrive(*p, {tasks[0], tasks[1], tasks[3]}, 1);
  p->prepare(1, {});
  p->arrived(tasks[2], 2);
  p->transferred(9, kUnit);
  const Keys keys = p->next(kUnit, {});
  EXPECT_THAT(keys, UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_LE(makespan(tasks, keys, machine()), makespan(tasks, unhurried(), machine()));
}

TEST(Policies, PreparationThatWasCutShortIsNotKept) {
  const auto p = policy("auto");
  begin_with(*p, 9);
  arrive(*p, bk50(), 1);
  p->prepare(1, hurried());
  p->transferred(9, kUnit);
  EXPECT_EQ(p->next(kUnit, {}), unhurried());
}

TEST(Policies, AutoOrdersBehindWhatStillRuns) {
  // The kernel of the group before keeps the device busy: what transfers much comes first behind it, though alone it
  // would come last.
  core::Random random(3);
  std::size_t differ = 0;
  for (int i = 0; i < 40; ++i) {
    const auto length = [&] { return static_cast<Tick>(random.below(1'000'000) + 1); };
    const OpenTask before = timed(100, length(), 4 * length(), length());
    std::vector<OpenTask> tasks;
    for (TaskKey key = 0; key < 5; ++key) tasks.push_back(timed(key, length(), length(), length()));
    const auto p = policy("auto");
    p->arrived(before, 0);
    ASSERT_EQ(p->next(0, {}).size(), 1U);
    arrive(*p, tasks, 1);
    p->transferred(100, before.htod_duration);
    const Keys keys = p->next(before.htod_duration, {});

    const TaskPrices prices(machine(), 0, core::InterferenceMode::partial, core::MemoryKind::pinned);
    std::vector<sim::fast::TaskCost> costs;
    for (const OpenTask& task : tasks) costs.push_back(*prices.price(task));
    OpenOrder open(prices.device(), {*prices.price(before)}, costs);
    order::Order order = {0, 1, 2, 3, 4};
    double least = open.makespan(order);
    while (std::next_permutation(order.begin(), order.end())) least = std::min(least, open.makespan(order));
    const order::Order found(keys.begin(), keys.end());
    EXPECT_NEAR(open.makespan(found), least, 1) << i;

    const auto alone = policy("auto");
    arrive(*alone, tasks);
    const Keys other = alone->next(0, {});
    differ += open.makespan(order::Order(other.begin(), other.end())) > least + 1 ? 1 : 0;
  }
  EXPECT_GT(differ, 0U);
}

TEST(Policies, OneEngineBeginsAGroupWhereTheOneBeforeEnds) {
  PolicyOptions options = by_nodes();
  options.engines = 1;
  const auto p = policy("auto", options);
  begin_with(*p, 9);
  arrive(*p, bk50(), 1);
  p->transferred(9, kUnit);
  const auto alone = policy("auto", options);
  arrive(*alone, bk50());
  EXPECT_EQ(p->next(kUnit, {}), alone->next(0, {}));
}

}  // namespace
}  // namespace forelap::tune
