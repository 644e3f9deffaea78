#include "tune/order/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tests/tune/order/random_problem.hpp"
#include "tune/order/constructive.hpp"

namespace {

using namespace forelap;
using sim::fast::OrderEngine;
using tests::ProblemShape;
using tests::random_problem;
using tune::order::BoundTable;
using tune::order::find_order;
using tune::order::Limits;
using tune::order::Method;
using tune::order::Order;
using tune::order::Outcome;
using tune::order::Problem;

constexpr std::array<Method, 7> kMethods = {Method::automatic, Method::heuristic,        Method::johnson,
                                            Method::neh,       Method::branch_and_bound, Method::iterated_greedy,
                                            Method::exhaustive};

Limits without_clock() {
  Limits limits;
  limits.seconds = 3600;
  return limits;
}

/// The fastest completion of the tasks pushed so far, by trying everything: the plain way.
double best_completion(OrderEngine& engine, std::size_t tasks, std::set<std::uint32_t>& left) {
  if (left.empty()) return engine.makespan();
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < tasks; ++i) {
    if (left.erase(i) == 0) continue;
    engine.push(i);
    best = std::min(best, best_completion(engine, tasks, left));
    engine.pop();
    left.insert(i);
  }
  return best;
}

double best_of_all(const Problem& problem) {
  OrderEngine engine(problem.device, problem.tasks);
  std::set<std::uint32_t> left;
  for (std::uint32_t i = 0; i < problem.tasks.size(); ++i) left.insert(i);
  return best_completion(engine, problem.tasks.size(), left);
}

void expect_order_of(const Problem& problem, const Outcome& outcome) {
  Order sorted = outcome.order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), problem.tasks.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
  EXPECT_EQ(OrderEngine(problem.device, problem.tasks).evaluate(outcome.order), outcome.makespan);
}

/// Sizes 2 to 7, the large ones seldom: trying every order of them is what costs.
std::size_t random_size(core::Random& random) {
  const std::uint64_t draw = random.below(100);
  return draw < 3 ? 7 : draw < 13 ? 6 : 2 + draw % 4;
}

/// A quarter of the 10,000 groups.
class BranchAndBoundAgainstAllOrders : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BranchAndBoundAgainstAllOrders, FindsAndProvesTheFastest) {
  core::Random random(GetParam());
  for (int group = 0; group < 2500; ++group) {
    const Problem problem = random_problem(random, {random_size(random), random.below(2) == 0, random.below(5) == 0});
    const BoundTable bounds(problem.device);
    const Outcome outcome = find_order(problem, bounds, Method::branch_and_bound, without_clock());
    const double best = best_of_all(problem);
    ASSERT_NEAR(outcome.makespan, best, 1) << "group " << group << " of seed " << GetParam();
    ASSERT_NEAR(outcome.lower_bound, best, 1);
    ASSERT_TRUE(outcome.proven);
    ASSERT_FALSE(outcome.out_of_time);
  }
}
INSTANTIATE_TEST_SUITE_P(Quarter, BranchAndBoundAgainstAllOrders, testing::Values(1, 2, 3, 4));

TEST(OrderSearch, EveryMethodGivesAnOrderWithItsTimeAndAValidBound) {
  core::Random random(5);
  for (int group = 0; group < 60; ++group) {
    const Problem problem = random_problem(random, {1 + random.below(6), group % 2 == 0, group % 3 == 0});
    const BoundTable bounds(problem.device);
    const double best = best_of_all(problem);
    Limits limits = without_clock();
    limits.nodes = 50;
    for (const Method method : kMethods) {
      const Outcome outcome = find_order(problem, bounds, method, limits);
      expect_order_of(problem, outcome);
      EXPECT_LE(outcome.lower_bound, best + 1) << tune::order::method_name(method);
      EXPECT_GE(outcome.makespan, best - 1);
    }
  }
}

TEST(OrderSearch, TasksAlreadySubmittedStayInFront) {
  core::Random random(6);
  for (int group = 0; group < 60; ++group) {
    Problem problem = random_problem(random, {5, group % 2 == 0, false});
    problem.prefix = {3, 1};
    const BoundTable bounds(problem.device);
    OrderEngine engine(problem.device, problem.tasks);
    engine.push(3);
    engine.push(1);
    std::set<std::uint32_t> left = {0, 2, 4};
    const double best = best_completion(engine, 5, left);
    Limits limits = without_clock();
    limits.nodes = 1000;
    for (const Method method : kMethods) {
      const Outcome outcome = find_order(problem, bounds, method, limits);
      expect_order_of(problem, outcome);
      EXPECT_EQ(outcome.order[0], 3U) << tune::order::method_name(method);
      EXPECT_EQ(outcome.order[1], 1U);
      EXPECT_GE(outcome.makespan, best - 1);
      EXPECT_LE(outcome.lower_bound, best + 1);
    }
    EXPECT_NEAR(find_order(problem, bounds, Method::branch_and_bound, without_clock()).makespan, best, 1);
  }
}

TEST(OrderSearch, GroupsOfNoneAndOneAreProvedAtOnce) {
  for (const Method method : kMethods) {
    Problem problem;
    const BoundTable bounds(problem.device);
    const Outcome none = find_order(problem, bounds, method, Limits{});
    EXPECT_TRUE(none.order.empty());
    EXPECT_EQ(none.makespan, 0);
    EXPECT_EQ(none.lower_bound, 0);
    problem.tasks.push_back({{true, 1, 10}, {true, 2, 20}, {true, 3, 30}});
    const Outcome one = find_order(problem, bounds, method, Limits{});
    EXPECT_EQ(one.order, Order{0});
    EXPECT_NEAR(one.makespan, 66, 1e-9);
    EXPECT_TRUE(one.proven) << tune::order::method_name(method);
  }
}

TEST(OrderSearch, EqualTasksAreProvedWithoutTryingTheirOrders) {
  Problem problem;
  problem.tasks.assign(14, {{true, 0, 3e9}, {true, 0, 3e9}, {true, 0, 3e9}});
  const BoundTable bounds(problem.device);
  const Outcome outcome = find_order(problem, bounds, Method::branch_and_bound, without_clock());
  EXPECT_TRUE(outcome.proven);
  EXPECT_LT(outcome.evaluations, 1000U);
}

TEST(OrderSearch, ATimeLimitOfNoTimeStillGivesAnOrderAndItsGap) {
  core::Random random(8);
  const Problem problem = random_problem(random, {14, true, false});
  const BoundTable bounds(problem.device);
  Limits limits;
  limits.seconds = 0;
  for (const Method method : {Method::automatic, Method::branch_and_bound, Method::iterated_greedy}) {
    const Outcome outcome = find_order(problem, bounds, method, limits);
    expect_order_of(problem, outcome);
    EXPECT_GT(outcome.lower_bound, 0);
    EXPECT_LE(outcome.lower_bound, outcome.makespan);
    EXPECT_EQ(outcome.proven, tune::order::gap_of(outcome) < 1e-9);
  }
}

TEST(OrderSearch, AWishToStopEndsTheSearchAsATimeLimitDoes) {
  core::Random random(9);
  const Problem problem = random_problem(random, {20, true, false});
  core::StopSource source;
  source.request_stop();
  Limits limits = without_clock();
  limits.stop = source.token();
  expect_order_of(problem, find_order(problem, BoundTable(problem.device), Method::iterated_greedy, limits));
}

TEST(OrderSearch, IteratedGreedyIsTheSameForTheSameSeed) {
  core::Random random(10);
  const Problem problem = random_problem(random, {24, true, false});
  const BoundTable bounds(problem.device);
  Limits limits = without_clock();
  limits.nodes = 20;
  const Outcome a = find_order(problem, bounds, Method::iterated_greedy, limits);
  const Outcome b = find_order(problem, bounds, Method::iterated_greedy, limits);
  EXPECT_EQ(a.order, b.order);
  EXPECT_LE(a.makespan, find_order(problem, bounds, Method::neh, limits).makespan);
}

TEST(OrderSearch, AGapEndsTheSearchEarlierAndIsKept) {
  core::Random random(11);
  std::uint64_t exact_nodes = 0;
  std::uint64_t rough_nodes = 0;
  for (int group = 0; group < 20; ++group) {
    const Problem problem = random_problem(random, {8, true, false});
    const BoundTable bounds(problem.device);
    Limits limits = without_clock();
    const Outcome exact = find_order(problem, bounds, Method::branch_and_bound, limits);
    limits.gap = 0.02;
    const Outcome rough = find_order(problem, bounds, Method::branch_and_bound, limits);
    EXPECT_LE(rough.makespan, exact.makespan * 1.02 + 1);
    EXPECT_LE(rough.lower_bound, exact.makespan + 1);
    EXPECT_LE(tune::order::gap_of(rough), 0.02 + 1e-12);
    exact_nodes += exact.evaluations;
    rough_nodes += rough.evaluations;
  }
  EXPECT_LT(rough_nodes, exact_nodes / 2);
}

TEST(OrderSearch, NamesOfMethodsReadBack) {
  for (const Method method : kMethods) EXPECT_EQ(tune::order::method_of(tune::order::method_name(method)), method);
  EXPECT_FALSE(tune::order::method_of("best"));
}

TEST(OrderSearch, TooManyTasksAreRefusedWithTheirNumber) {
  Problem problem;
  problem.tasks.assign(11, {{true, 0, 3}, {true, 0, 3}, {true, 0, 3}});
  EXPECT_THROW(find_order(problem, BoundTable(problem.device), Method::exhaustive, Limits{}), std::invalid_argument);
  problem.tasks.assign(65, problem.tasks.front());
  EXPECT_THROW(find_order(problem, BoundTable(problem.device), Method::automatic, Limits{}), std::invalid_argument);
}

}  // namespace
