#include "tune/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "scenarios/read.hpp"
#include "tests/tune/all_arrangements.hpp"
#include "tests/tune/random_group.hpp"
#include "tune/group_search.hpp"
#include "tune/sizing.hpp"

namespace forelap::tune {
namespace {

using ::testing::HasSubstr;
using testing::lanes_up_to;
using testing::least_of_all;
using testing::random_group;
using testing::RandomGroup;
using testing::RandomGroupOptions;

GroupOptions quick() {
  GroupOptions options;
  options.seconds = 20;  // ended by proof
  options.figures = false;
  return options;
}

/// Whatever the kind of group: what is chosen is the best where it says so, and the bound is one.
void expect_best(const RandomGroupOptions& kind, int groups, std::uint64_t seed, bool must_prove) {
  core::Random random(seed);
  for (int i = 0; i < groups; ++i) {
    RandomGroupOptions options = kind;
    options.tasks = 1 + random.below(kind.tasks);
    auto g = random_group(random, options);
    g.group().kernel_lanes = kind.fills ? 0 : 1;
    const auto lanes =
        kind.fills ? lanes_up_to(static_cast<std::uint32_t>(options.tasks)) : std::vector<std::uint32_t>{1};
    const double least = least_of_all(g, lanes, true);
    const auto choice = tune_group(g.scenario, g.tuning, g.machine, quick());
    ASSERT_LE(choice.lower_bound, least + 1) << "group " << i << " by " << choice.how;
    ASSERT_GE(choice.chosen.time, least - 1) << "group " << i;
    if (must_prove) {
      ASSERT_TRUE(choice.proven) << "group " << i << " by " << choice.how;
    }
    if (choice.proven) {
      ASSERT_NEAR(choice.chosen.time, least, 1) << "group " << i << " by " << choice.how;
    }
  }
}

TEST(TuneGroup, FindsTheBestOrderOfOneDevice) {
  RandomGroupOptions kind;
  kind.tasks = 5;
  expect_best(kind, 200, 21, true);
}

TEST(TuneGroup, FindsTheBestOrderUnderAMemoryLimit) {
  RandomGroupOptions kind;
  kind.tasks = 5;
  kind.memory = true;
  expect_best(kind, 150, 22, true);
}

TEST(TuneGroup, FindsTheBestOrderThatKeepsDependencies) {
  RandomGroupOptions kind;
  kind.tasks = 5;
  kind.after = true;
  expect_best(kind, 150, 23, true);
}

TEST(TuneGroup, FindsTheBestNumberOfKernelLanes) {
  RandomGroupOptions kind;
  kind.tasks = 4;
  kind.fills = true;
  expect_best(kind, 100, 24, true);
}

TEST(TuneGroup, FindsTheBestAssignmentToTwoDevices) {
  RandomGroupOptions kind;
  kind.tasks = 5;
  kind.devices = 2;
  kind.odd = false;  // devices apart, whose orders are searched each on its own
  expect_best(kind, 30, 25, true);
}

TEST(TuneGroup, FindsTheBestAssignmentOfTasksThatDependOnEachOther) {
  RandomGroupOptions kind;
  kind.tasks = 4;
  kind.devices = 2;
  kind.after = kind.memory = kind.host = true;
  expect_best(kind, 100, 26, true);
}

TEST(TuneGroup, OfManyTasksIsBetterThanTheGivenOrderAndKeepsItsBound) {
  core::Random random(27);
  RandomGroupOptions options;
  options.tasks = 14;
  options.devices = 2;
  options.memory = options.after = true;
  const auto g = random_group(random, options);
  auto wish = quick();
  wish.rounds = 3;
  const auto choice = tune_group(g.scenario, g.tuning, g.machine, wish);
  EXPECT_LT(choice.chosen.time, choice.given.time);
  EXPECT_LE(choice.lower_bound, choice.chosen.time);
  EXPECT_EQ(choice.how, "iterated-greedy");
  GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  EXPECT_EQ(evaluator.evaluate(choice.chosen.arrangement), choice.chosen.time);
  auto sorted = choice.chosen.arrangement.order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, g.tuning.order);
  EXPECT_EQ(tune_group(g.scenario, g.tuning, g.machine, wish).chosen.arrangement, choice.chosen.arrangement);
}

// ---- the shipped benchmarks ----

struct Shipped {
  scenarios::Scenario scenario;
  core::Machine machine;
  scenarios::TaskGroupTuning tuning;

  Shipped(const std::string& name, const std::string& machine_name) {
    const std::string folder = std::string(FORELAP_SOURCE_DIR) + "/scenarios/";
    scenario = scenarios::read_scenario(folder + "library/" + name + ".yaml");
    machine = scenarios::read_machine(folder + "machines/" + machine_name + ".yaml");
    tuning = size_case(scenario, 0, machine);
  }
  [[nodiscard]] GroupChoice tuned(const GroupOptions& options = {}) const {
    return tune_group(scenario, tuning, machine, options);
  }
};

constexpr double kUnit = 1e10;  // ticks

TEST(TuneGroup, OfBk50TellsWhatTheChoiceIsWorth) {
  const auto choice = Shipped("bk50", "ideal-two-engines").tuned();
  EXPECT_NEAR(choice.chosen.time, 2.1 * kUnit, 1);
  EXPECT_TRUE(choice.proven);
  EXPECT_NEAR(choice.lower_bound, 2.1 * kUnit, 1);
  EXPECT_EQ(gap_of(choice), 0);
  ASSERT_TRUE(choice.worst && choice.neh && choice.heuristic && choice.johnson && choice.mean);
  EXPECT_NEAR(choice.worst->time, 3.1 * kUnit, 1);
  EXPECT_GE(choice.neh->time, choice.chosen.time);
  EXPECT_TRUE(choice.all_orders);
  EXPECT_EQ(choice.orders, 24U);
  EXPECT_NEAR(*share_of_gain(choice, choice.chosen), 1, 1e-9);
  EXPECT_NEAR(*share_of_gain(choice, *choice.worst), 0, 1e-9);
  ASSERT_EQ(choice.lanes.size(), 3U);
  EXPECT_EQ(choice.gains.front().kind, StageKind::kernel) << "kernels take 1.9 of 2.1 units";
  for (const auto& tie : choice.ties) EXPECT_NEAR(tie.timed.time, choice.chosen.time, 1) << "exact: equal times only";
}

TEST(TuneGroup, OnOneEngineWhereEveryOrderIsTheSameThereIsNothingToGain) {
  const auto choice = Shipped("bk0", "ideal-one-engine").tuned();
  EXPECT_NEAR(choice.chosen.time, 3.3 * kUnit, 1);
  EXPECT_TRUE(choice.proven);
  EXPECT_FALSE(share_of_gain(choice, choice.chosen)) << "no order is worse";
  EXPECT_EQ(choice.tie_count, 23U);
  EXPECT_EQ(choice.ties.size(), GroupChoice::kMostTies);
}

TEST(TuneGroup, ByEachMethodGivesThatMethodsOrder) {
  const Shipped bk50("bk50", "ideal-two-engines");
  const auto usual = bk50.tuned();
  GroupOptions options;
  options.figures = false;
  options.method = order::Method::neh;
  EXPECT_NEAR(bk50.tuned(options).chosen.time, usual.neh->time, 1);
  options.method = order::Method::heuristic;
  EXPECT_NEAR(bk50.tuned(options).chosen.time, usual.heuristic->time, 1);
  options.method = order::Method::johnson;
  EXPECT_NEAR(bk50.tuned(options).chosen.time, usual.johnson->time, 1);
  for (const auto method :
       {order::Method::exhaustive, order::Method::branch_and_bound, order::Method::iterated_greedy}) {
    options.method = method;
    options.rounds = 2000;
    EXPECT_NEAR(bk50.tuned(options).chosen.time, 2.1 * kUnit, 1) << order::method_name(method);
  }
}

// ---- what is small, equal, missing or wrong ----

TEST(TuneGroup, OfNoTaskOrOneHasNothingToChoose) {
  core::Random random(31);
  RandomGroupOptions options;
  options.tasks = 1;
  const auto one = random_group(random, options);
  const auto choice = tune_group(one.scenario, one.tuning, one.machine, {});
  EXPECT_TRUE(choice.proven);
  EXPECT_EQ(choice.chosen.time, choice.given.time);
  EXPECT_FALSE(share_of_gain(choice, choice.chosen));

  options.tasks = 0;
  options.memory = false;
  const auto none = random_group(random, options);
  for (const auto method : {order::Method::automatic, order::Method::neh, order::Method::exhaustive}) {
    GroupOptions wish;
    wish.method = method;
    const auto empty = tune_group(none.scenario, none.tuning, none.machine, wish);
    EXPECT_EQ(empty.chosen.time, 0);
    EXPECT_TRUE(empty.proven);
    EXPECT_EQ(gap_of(empty), 0);
  }
}

TEST(TuneGroup, OfEqualTasksIsProvedAtOnce) {
  core::Random random(32);
  RandomGroupOptions options;
  options.tasks = 8;
  options.odd = false;
  auto g = random_group(random, options);
  for (auto& task : g.tuning.tasks) task = g.tuning.tasks[0];
  const auto choice = tune_group(g.scenario, g.tuning, g.machine, {});
  EXPECT_TRUE(choice.proven);
  EXPECT_EQ(choice.chosen.time, choice.given.time);
  EXPECT_FALSE(share_of_gain(choice, choice.chosen));
}

TEST(TuneGroup, DoesNotCountExchangesOfTasksThatAreAlike) {
  core::Random random(38);
  RandomGroupOptions options;
  options.tasks = 9;
  options.odd = options.after = false;
  options.fills = true;
  auto g = random_group(random, options);
  for (std::size_t t = 3; t < 9; ++t) g.tuning.tasks[t] = g.tuning.tasks[t % 3];
  g.group().kernel_lanes = 2;
  g.tuning.kernel_lanes = 2;
  GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  const Precedence precedence(evaluator.specs());
  EXPECT_EQ(GroupSearch(evaluator, precedence, false, 2).count(100'000), 1680U) << "9! / 3!^3";
  EXPECT_EQ(GroupSearch(evaluator, precedence, false, 2).count(1000), 1001U);
  const auto choice = tune_group(g.scenario, g.tuning, g.machine, {});
  EXPECT_TRUE(choice.proven);
  for (const auto& tie : choice.ties) {
    std::vector<std::uint32_t> kinds;
    std::vector<std::uint32_t> chosen;
    for (const auto t : tie.timed.arrangement.order) kinds.push_back(t % 3);
    for (const auto t : choice.chosen.arrangement.order) chosen.push_back(t % 3);
    EXPECT_NE(kinds, chosen);
  }
}

TEST(TuneGroup, WithNoTimeGivesACompleteOrderAndItsGap) {
  core::Random random(33);
  for (const std::size_t tasks : {std::size_t{5}, std::size_t{20}, std::size_t{70}}) {
    for (const bool after : {false, true}) {
      RandomGroupOptions options;
      options.tasks = tasks;
      options.after = after;
      options.odd = false;
      const auto g = random_group(random, options);
      GroupOptions wish;
      wish.seconds = 0;
      wish.figures = false;
      const auto choice = tune_group(g.scenario, g.tuning, g.machine, wish);
      EXPECT_EQ(choice.chosen.arrangement.order.size(), tasks);
      EXPECT_GT(choice.lower_bound, 0);
      EXPECT_LE(choice.chosen.time, choice.given.time);
      EXPECT_NE(choice.proven, choice.out_of_time);
    }
  }
}

TEST(TuneGroup, WithNoTimeSaysThatItsFiguresWereCutShort) {
  core::Random random(41);
  RandomGroupOptions options;
  options.tasks = 500;
  options.spread = 0.05;
  const auto g = random_group(random, options);
  GroupOptions wish;
  wish.seconds = 0;
  const auto choice = tune_group(g.scenario, g.tuning, g.machine, wish);
  EXPECT_TRUE(choice.figures_cut_short);
  EXPECT_EQ(choice.orders, 0U);
  EXPECT_FALSE(choice.worst);
  EXPECT_FALSE(choice.mean);
  EXPECT_TRUE(choice.ties.empty());
  EXPECT_LT(choice.evaluations, 1000U) << "an insertion and the lanes, no samples";
  EXPECT_FALSE(choice.lanes.empty());

  wish = quick();
  wish.figures = true;
  options.tasks = 5;
  const auto small = random_group(random, options);
  const auto whole = tune_group(small.scenario, small.tuning, small.machine, wish);
  EXPECT_FALSE(whole.figures_cut_short);
  EXPECT_TRUE(whole.all_orders);
}

TEST(TuneGroup, StoppedGivesTheBestSoFar) {
  core::Random random(34);
  RandomGroupOptions options;
  options.tasks = 30;
  options.after = true;
  const auto g = random_group(random, options);
  core::StopSource source;
  source.request_stop();
  GroupOptions wish;
  wish.seconds = 1000;
  wish.stop = source.token();
  const auto choice = tune_group(g.scenario, g.tuning, g.machine, wish);
  EXPECT_TRUE(choice.out_of_time);
  EXPECT_EQ(choice.chosen.arrangement.order.size(), 30U);
}

std::string refusal_of(const RandomGroup& g, const GroupOptions& options = {}) {
  try {
    tune_group(g.scenario, g.tuning, g.machine, options);
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return {};
}

TEST(TuneGroup, NamesTheTaskThatIsLargerThanTheMemoryLimit) {
  core::Random random(35);
  RandomGroupOptions options;
  auto g = random_group(random, options);
  g.group().device_memory = 64;
  EXPECT_THAT(refusal_of(g), HasSubstr("task \"T0\" needs "));
  EXPECT_THAT(refusal_of(g), HasSubstr("but the scenario allows 64 B"));
}

TEST(TuneGroup, NamesTheTasksOfACircle) {
  core::Random random(36);
  auto g = random_group(random, RandomGroupOptions{});
  g.group().cases[0].tasks[1].after = {3};
  g.group().cases[0].tasks[3].after = {1};
  EXPECT_THAT(refusal_of(g), HasSubstr("\"T1\" after \"T3\" after \"T1\""));
}

TEST(TuneGroup, SaysWhichMethodsTakeSoManyTasks) {
  core::Random random(37);
  RandomGroupOptions options;
  options.tasks = 70;
  const auto g = random_group(random, options);
  GroupOptions wish;
  wish.seconds = 0;
  wish.figures = false;
  wish.method = order::Method::exhaustive;
  EXPECT_THAT(refusal_of(g, wish), HasSubstr("method exhaustive takes at most 10 tasks, and there are 70"));
  wish.method = order::Method::heuristic;
  EXPECT_THAT(refusal_of(g, wish), HasSubstr("method heuristic takes at most 64 tasks"));
  wish.method = order::Method::neh;
  EXPECT_EQ(refusal_of(g, wish), "");
}

// ---- ties ----

TEST(Ties, AreOrdersThatDrawnMachinesDoNotTellApart) {
  core::Random random(41);
  RandomGroupOptions options;
  options.tasks = 6;
  options.odd = false;
  std::size_t exact = 0;
  std::size_t vague = 0;
  for (int i = 0; i < 4; ++i) {
    auto g = random_group(random, options);
    exact += tune_group(g.scenario, g.tuning, g.machine, {}).tie_count;
    for (auto& device : g.machine.devices) {
      for (auto& transfer : device.transfers) {
        for (auto& piece : transfer.pieces) piece.per_byte.spread = 0.1 * piece.per_byte.value;
      }
    }
    const auto choice = tune_group(g.scenario, g.tuning, g.machine, {});
    vague += choice.tie_count;
    for (const auto& tie : choice.ties) {
      EXPECT_LE(tie.behind_low, 1e-9);
      EXPECT_GE(tie.behind_high, tie.behind_low);
      EXPECT_NE(tie.timed.arrangement.order, choice.chosen.arrangement.order);
    }
  }
  EXPECT_GT(vague, exact);
}

}  // namespace
}  // namespace forelap::tune
