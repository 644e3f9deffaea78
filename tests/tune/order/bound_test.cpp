#include "tune/order/bound.hpp"

#include <gtest/gtest.h>

#include "tests/tune/order/random_problem.hpp"
#include "tune/order/lower_bound.hpp"

namespace {

using namespace forelap;
using sim::fast::OrderEngine;
using tune::order::BoundTable;
using tune::order::GroupBound;
using tune::order::Problem;
using tune::order::Remaining;

core::InterferenceRow both_directions(double htod, double dtoh) {
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh);
  row.rates[core::ActivityClass::htod].value = htod;
  row.rates[core::ActivityClass::dtoh].value = dtoh;
  return row;
}

sim::fast::OrderDevice device_with(double htod, double dtoh) {
  sim::fast::OrderDevice device;
  const std::vector<core::InterferenceRow> rows = {both_directions(htod, dtoh)};
  device.rates = models::RateTable(rows);
  return device;
}

TEST(Bound, WithoutInterferenceItIsTheLongestLane) {
  const BoundTable table{sim::fast::OrderDevice{}};
  EXPECT_NEAR(table.least({{5, 3, 4}, {1, 0, 0}, 0, 2}), 5 + 1 + 2, 1e-9);
  EXPECT_NEAR(table.least({{1, 9, 4}, {0, 2, 0}, 0, 0}), 9 + 2, 1e-9);
  EXPECT_NEAR(table.least({{1, 2, 4}, {0, 0, 0}, 3, 0}), 4 + 3, 1e-9);
  EXPECT_NEAR(table.least({{1, 9, 4}, {0, 2, 0}, 0, 0, 3}), 9 + 2 + 3, 1e-9);
}

TEST(Bound, OppositeTransfersThatHalveEachOtherTakeTheirSum) {
  const BoundTable table(device_with(0.5, 0.5));
  // Side by side or one after the other: ten ticks of work are ten ticks.
  EXPECT_NEAR(table.least({{6, 0, 4}, {}, 0, 0}), 10, 1e-9);
}

TEST(Bound, WorkThatFitsBeforeTheFirstAndAfterTheLastTransferIsNotSlowed) {
  const BoundTable table(device_with(0.5, 1));
  // 6 htod and 4 dtoh, together at rates 1/2 and 1: of 6 ticks of htod, 2 run alone in the head, the rest is shared:
  // x alone, y together, z dtoh alone: x + y / 2 = 6, y + z = 4, x >= 2, z >= 1: x + y + z = 10 - y / 2, y <= 3.
  EXPECT_NEAR(table.least({{6, 0, 4}, {}, 2, 1}), 10 - 1.5, 1e-9);
}

TEST(Bound, KernelsThatAreSlowedAndMustWaitTakeBoth) {
  sim::fast::OrderDevice device;
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::kernel);
  row.rates[core::ActivityClass::kernel].value = 0.5;
  device.rates = models::RateTable(std::vector<core::InterferenceRow>{row});
  // 3 of the 4 htod run while no kernel may; the fourth does so beside half a kernel, and 9.5 of kernels are left.
  EXPECT_NEAR(BoundTable(device).least({{4, 10, 0}, {}, 0, 2, 3}), 3 + 1 + 9.5, 1e-9);
}

/// Every completion of every prefix of random groups ends no earlier than the bound.
void check_completions(OrderEngine& engine, GroupBound& bound, const Problem& problem, double& best) {
  const double low = bound.of(engine.frontier());
  best = bound.left() == 0 ? engine.makespan() : std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < problem.tasks.size(); ++i) {
    if (!bound.is_left(i)) continue;
    engine.push(i);
    bound.take(i);
    double completion = 0;
    check_completions(engine, bound, problem, completion);
    engine.pop();
    bound.give_back(i);
    best = std::min(best, completion);
  }
  ASSERT_LE(low, best + 1e-3);
}

TEST(Bound, NeverExceedsTheBestCompletionOfAnyPrefix) {
  core::Random random(21);
  for (int group = 0; group < 1500; ++group) {
    const Problem problem = tests::random_problem(random, {2 + random.below(4), group % 2 == 0, false});
    const BoundTable table(problem.device);
    OrderEngine engine(problem.device, problem.tasks);
    GroupBound bound(problem, table);
    double best = 0;
    check_completions(engine, bound, problem, best);
    if (HasFatalFailure()) FAIL() << "group " << group;
    ASSERT_LE(bound.of_all(), best + 1e-3) << "group " << group;
  }
}

TEST(Bound, KnowsTheInterferenceOfBusyTransfers) {
  // Transfers both ways all the time, at nine tenths: no lane alone would tell.
  Problem problem;
  problem.device = device_with(0.9, 0.9);
  problem.tasks.assign(10, {{true, 0, 1e9}, {true, 0, 1e7}, {true, 0, 1e9}});
  const BoundTable table(problem.device);
  const GroupBound bound(problem, table);
  EXPECT_GT(bound.of_all(), 1.08 * 10e9);
}

}  // namespace
