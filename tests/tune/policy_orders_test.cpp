// What the policies make of groups: "auto" and "heuristic", alone and behind what runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/statistics.hpp"
#include "tests/tune/open_tasks.hpp"
#include "tune/open_order.hpp"
#include "tune/order/search.hpp"

namespace forelap::tune {
namespace {

using namespace testing;  // open_tasks.hpp
using ::testing::UnorderedElementsAre;

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
