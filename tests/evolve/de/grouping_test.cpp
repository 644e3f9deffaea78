#include "evolve/de/grouping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "evolve/de/functions.hpp"
#include "tests/evolve/de/test_objectives.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

TEST(Grouping, InOrderDealsNeighboursAndTheFirstGroupsTakeTheRest) {
  EXPECT_EQ(group_in_order(7, 3), (Groups{{0, 1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(group_in_order(2, 2), (Groups{{0}, {1}}));
}

TEST(Grouping, RandomGroupsHoldEveryVariableOnceAndDependOnTheSeed) {
  for (const std::size_t groups : {1U, 3U, 10U, 100U}) {
    const Groups found = group_randomly(100, groups, 3);
    EXPECT_EQ(found.size(), groups);
    EXPECT_NO_THROW(check(found, 100));
    for (const Variables& group : found) EXPECT_LE(group.size(), 100 / groups + 1);
  }
  EXPECT_EQ(group_randomly(100, 10, 3), group_randomly(100, 10, 3));
  EXPECT_NE(group_randomly(100, 10, 3), group_randomly(100, 10, 4));
  EXPECT_NE(group_randomly(100, 10, 3), group_in_order(100, 10));
}

TEST(Grouping, MoreGroupsThanVariablesOrNoneIsAnError) {
  EXPECT_THROW(group_in_order(3, 4), Error);
  EXPECT_THROW(group_in_order(3, 0), Error);
  EXPECT_THROW(group_randomly(3, 4, 1), Error);
  EXPECT_THROW(group_by_dependences({{{0, 1}}, {2}, 1, 0, 0}, 4), Error);
}

TEST(Grouping, AMissingDoubleOrUnknownVariableIsAnError) {
  EXPECT_THROW(check(Groups{}, 1), Error);
  EXPECT_THROW(check(Groups{{0}, {}}, 1), Error);
  EXPECT_THROW(check(Groups{{0, 0}}, 1), Error);
  EXPECT_THROW(check(Groups{{0}}, 2), Error);
  EXPECT_THROW(check(Groups{{0, 1}}, 1), Error);
}

TEST(Grouping, DifferentialGroupingFindsNothingInASeparableFunction) {
  for (const Function function : {Function::sphere, Function::rastrigin, Function::schwefel_2_26}) {
    BenchmarkFunction objective({function, 50, random_shift(usual_box(function, 50), 0.5, 2), {}, 0});
    const Dependences found = find_dependences(objective, usual_box(function, 50));
    EXPECT_EQ(found.separable.size(), 50U) << name_of(function);
    EXPECT_TRUE(found.dependent.empty());
    EXPECT_EQ(found.evaluations, 50U * 51U / 2U + 1U);
  }
}

TEST(Grouping, DifferentialGroupingFindsTheBlocksOfARotation) {
  FunctionSettings settings{Function::rastrigin, 24, {}, random_rotation(4, 3, 7), 4};
  BenchmarkFunction objective(settings);
  const Dependences found = find_dependences(objective, usual_box(Function::rastrigin, 24));
  EXPECT_EQ(found.dependent, (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(found.separable.size(), 12U);
  EXPECT_EQ(found.pairs, 18U);
}

TEST(Grouping, DifferentialGroupingFindsChainsAndProducts) {
  BenchmarkFunction rosenbrock({Function::rosenbrock, 20, {}, {}, 0});
  const Dependences chain = find_dependences(rosenbrock, usual_box(Function::rosenbrock, 20));
  EXPECT_EQ(chain.pairs, 19U);
  EXPECT_EQ(chain.dependent.size(), 1U);
  AnyFunction product(4, [](std::span<const double> x) { return x[0] * x[3] + x[1] + x[2] * x[2]; });
  const Dependences found = find_dependences(product, uniform_box(4, 1.0, 5.0));
  EXPECT_EQ(found.dependent, (Groups{{0, 3}}));
  EXPECT_EQ(found.separable, (Variables{1, 2}));
  EXPECT_EQ(found.evaluations, product.calls);
}

TEST(Grouping, AFixedVariableIsSeparableAndOneVariableIsEnough) {
  AnyFunction product(3, [](std::span<const double> x) { return x[0] * x[1] * x[2]; });
  Box box = uniform_box(3, 1.0, 2.0);
  box.upper[1] = 1.0;
  const Dependences found = find_dependences(product, box);
  EXPECT_EQ(found.dependent, (Groups{{0, 2}}));
  EXPECT_EQ(found.separable, (Variables{1}));
  AnyFunction one(1, sum_of_squares);
  EXPECT_EQ(find_dependences(one, uniform_box(1, -1.0, 1.0)).evaluations, 2U);
}

TEST(Grouping, ValuesThatAreNotFiniteCountAsDependences) {
  AnyFunction holes(3,
                    [](std::span<const double> x) { return x[0] == 0.5 && x[1] == 0.5 ? std::nan("") : x[0] + x[2]; });
  const Dependences found = find_dependences(holes, uniform_box(3, 0.0, 1.0));
  EXPECT_EQ(found.rejected, 1U);
  EXPECT_EQ(found.dependent, (Groups{{0, 1}}));
}

TEST(Grouping, DependentSetsStayWholeAndSeparableVariablesFillUp) {
  const Dependences found{{{0, 1, 2, 3, 4}, {8, 9}}, {5, 6, 7}, 11, 0, 0};
  EXPECT_EQ(group_by_dependences(found, 2), (Groups{{0, 1, 2, 3, 4}, {8, 9, 5, 6, 7}}));
  const Dependences one{{{0, 1, 2, 3}}, {}, 6, 0, 0};
  EXPECT_EQ(group_by_dependences(one, 3), (Groups{{0, 1, 2, 3}})) << "two groups stay empty and are left out";
  const Dependences none{{}, {0, 1, 2, 3, 4}, 0, 0, 0};
  EXPECT_EQ(group_by_dependences(none, 2), group_in_order(5, 2));
}

}  // namespace
