#include "evolve/gp/fitness.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "evolve/gp/direction.hpp"
#include "support.hpp"

namespace forelap::evolve::gp {
namespace {

std::vector<std::uint32_t> words(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

double of(const FitnessRule& rule, const std::vector<float>& results, const std::vector<float>& expected) {
  return Fitness(rule, Type::float32).of(words(results), words(expected));
}

TEST(Fitness, ErrorsAreMeasuredByName) {
  EXPECT_DOUBLE_EQ(of({"rmse", {}, "sum"}, {1, 2, 3, 4}, {1, 2, 6, 8}), 2.5) << "sqrt((9 + 16) / 4)";
  EXPECT_DOUBLE_EQ(of({"mean_error", {}, "sum"}, {1, 2, 3, 4}, {1, 2, 6, 0}), 1.75);
  EXPECT_DOUBLE_EQ(of({"largest_error", {}, "sum"}, {1, 2, 3, 4}, {1, 2, 6, 0}), 4);
  EXPECT_DOUBLE_EQ(of({"correct", {}, "sum"}, {1, 2, 3, 0}, {1, 2, 6, -0.0F}), 3);
}

TEST(Fitness, WrongBitsAreCounted) {
  const Fitness fitness({"wrong_bits", {}, "sum"}, Type::int32);
  const std::vector<std::uint32_t> results = {0b1010, 7, 0};
  const std::vector<std::uint32_t> expected = {0b0101, 7, 1};
  EXPECT_EQ(fitness.of(results, expected), 5);
}

TEST(Fitness, WholeNumbersHaveSigns) {
  const std::vector<std::uint32_t> results = {0xffffffffU};
  const std::vector<std::uint32_t> expected = {1};
  EXPECT_EQ(Fitness({"mean_error", {}, "sum"}, Type::int32).of(results, expected), 2);
}

TEST(Fitness, ExpressionsAreCombined) {
  const std::vector<float> results = {1, 2, 5};
  const std::vector<float> expected = {1, 4, 1};
  const std::string distance = "fabsf(result - expected)";
  EXPECT_DOUBLE_EQ(of({"expression", distance, "sum"}, results, expected), 6);
  EXPECT_DOUBLE_EQ(of({"expression", distance, "mean"}, results, expected), 2);
  EXPECT_DOUBLE_EQ(of({"expression", distance, "largest"}, results, expected), 4);
  EXPECT_DOUBLE_EQ(of({"expression", distance + " * 3", "root_mean"}, results, expected), std::sqrt(6.0));
}

TEST(Fitness, NotANumberStaysVisibleAndRanksLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* name : {"rmse", "mean_error", "largest_error"}) {
    const double value = of({name, {}, "sum"}, {1, nan, 3}, {1, 2, 9});
    EXPECT_TRUE(std::isnan(value)) << name;
    EXPECT_TRUE(std::isinf(ranked_fitness(value, Direction::minimise)));
    EXPECT_FALSE(is_better(value, 1e30, Direction::minimise));
    EXPECT_TRUE(is_better(-1e30, value, Direction::maximise));
  }
  EXPECT_EQ(of({"correct", {}, "sum"}, {1, nan, 3}, {1, 2, 9}), 1);
}

TEST(Fitness, UnknownNamesAndBadExpressionsAreRefused) {
  const auto refused = [](const FitnessRule& rule) {
    return refusal_of([&] { const Fitness fitness(rule, Type::float32); });
  };
  EXPECT_THAT(refused({"best", {}, "sum"}), testing::HasSubstr("unknown fitness 'best'; known are rmse"));
  EXPECT_THAT(refused({"rmse", "result", "sum"}), testing::HasSubstr("takes no expression"));
  EXPECT_THAT(refused({"expression", "result - target", "sum"}), testing::HasSubstr("'target' is no variable"));
  EXPECT_THAT(refused({"expression", "result", "median"}), testing::HasSubstr("cannot be combined by 'median'"));
}

}  // namespace
}  // namespace forelap::evolve::gp
