#include "tune/order/constructive.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tune/order/random_problem.hpp"
#include "tune/order/search.hpp"

namespace {

using namespace forelap;
using tune::order::Order;
using tune::order::Problem;

/// The synthetic tasks of the ordering paper, ticks of its unit of 10 ms.
Problem benchmark(std::initializer_list<int> names) {
  static constexpr std::array<std::array<double, 3>, 8> kTasks = {
      {{1, 8, 1}, {2, 7, 1}, {3, 6, 1}, {1, 7, 2}, {6, 2, 2}, {2, 2, 6}, {4, 2, 4}, {8, 1, 1}}};
  Problem problem;
  for (const int name : names) {
    const auto& t = kTasks.at(static_cast<std::size_t>(name));
    problem.tasks.push_back({{true, 0, t[0] * 1e9}, {true, 0, t[1] * 1e9}, {true, 0, t[2] * 1e9}});
  }
  return problem;
}

double time_of(const Problem& problem, const Order& order) {
  return sim::fast::OrderEngine(problem.device, problem.tasks).evaluate(order);
}

TEST(Neh, MissesTheOptimumOfSomeGroups) {
  core::Random random(4);
  tune::order::Limits limits;
  limits.seconds = 3600;
  int missed = 0;
  for (int group = 0; group < 100; ++group) {
    const Problem problem = tests::random_problem(random, {6, true, false});
    const auto best = tune::order::find_order(problem, tune::order::BoundTable(problem.device),
                                              tune::order::Method::branch_and_bound, limits);
    const double neh = time_of(problem, tune::order::neh_order(problem));
    ASSERT_GE(neh, best.makespan - 1);
    missed += neh > best.makespan * 1.001 ? 1 : 0;
  }
  EXPECT_GT(missed, 0);
  EXPECT_LT(missed, 90);
}

TEST(Johnson, IsExactWhereTheMiddleMachineNeverMatters) {
  // No kernels: two machines, for which the rule is optimal.
  Problem problem;
  core::Random random(3);
  for (int i = 0; i < 6; ++i) {
    problem.tasks.push_back(
        {{true, 0, 1e9 * (1 + 9 * random.uniform())}, {}, {true, 0, 1e9 * (1 + 9 * random.uniform())}});
  }
  tune::order::Limits limits;
  limits.seconds = 3600;
  const auto best = tune::order::find_order(problem, tune::order::BoundTable(problem.device),
                                            tune::order::Method::exhaustive, limits);
  EXPECT_NEAR(time_of(problem, tune::order::johnson_order(problem)), best.makespan, 1);
}

TEST(Heuristic, BeginsWithAShortHtodAndALongKernel) {
  const Problem problem = benchmark({5, 4, 1, 0});
  EXPECT_EQ(tune::order::heuristic_order(problem).front(), 3U);
}

TEST(Heuristic, IsBetterThanTheMeanOrderOfEveryBenchmarkAsInThePaper) {
  for (const auto& problem : {benchmark({6, 7, 4, 5}), benchmark({0, 4, 6, 7}), benchmark({0, 1, 4, 5}),
                              benchmark({0, 1, 2, 4}), benchmark({0, 1, 2, 3})}) {
    Order order = {0, 1, 2, 3};
    double sum = 0;
    do sum += time_of(problem, order);
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_LT(time_of(problem, tune::order::heuristic_order(problem)), sum / 24);
  }
}

}  // namespace
