#include "hw/controller/shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tests/hw/support.hpp"

namespace forelap::hw::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::int64_t> split(std::int64_t total, const std::vector<double>& weights) {
  return split_by_weights(total, weights);
}

std::string complaint(const std::vector<double>& weights, std::size_t devices) {
  const auto error = hw::test::error_of([&] { check_weights(weights, devices, "tile \"a\""); });
  return error ? error->what() : "";
}

TEST(Shares, FollowTheWeights) {
  EXPECT_THAT(split(100, {0.9, 0.1}), ElementsAre(90, 10));
  EXPECT_THAT(split(100, {3, 1}), ElementsAre(75, 25));
}

TEST(Shares, GiveWhatIsLeftToTheLargestRemainders) {
  // 3.5, 2.33, 1.17: the first has the largest remainder.
  EXPECT_THAT(split(7, {3, 2, 1}), ElementsAre(4, 2, 1));
  EXPECT_THAT(split(1, {1, 1, 1}), ElementsAre(1, 0, 0));
}

TEST(Shares, OfNothingAreNothing) {
  EXPECT_THAT(split(0, {0.5, 0.5}), ElementsAre(0, 0));
}

TEST(Shares, GiveNothingToAWeightOfZero) {
  EXPECT_THAT(split(5, {0, 1, 0}), ElementsAre(0, 5, 0));
  EXPECT_THAT(split(3, {0, 1, 1}), ElementsAre(0, 2, 1));
}

TEST(Shares, MindNeitherTinyNorHugeWeights) {
  EXPECT_THAT(split(100, {1e-300, 1e-300}), ElementsAre(50, 50));
  EXPECT_THAT(split(100, {1e308, 1e308}), ElementsAre(50, 50));
  EXPECT_THAT(split(100, {1, 1e-300}), ElementsAre(100, 0));
  EXPECT_THAT(split(10, {5e-324, 0}), ElementsAre(10, 0));
}

TEST(Shares, AlwaysSumToTheTotal) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> weight(0, 1);
  for (const std::int64_t total : {0L, 1L, 2L, 3L, 7L, 97L, 1009L, 1000003L, 4000000000000000037L}) {
    for (std::size_t devices = 1; devices <= 9; ++devices) {
      std::vector<double> weights(devices);
      for (double& one : weights) one = weight(random);
      const std::vector<std::int64_t> parts = split(total, weights);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), total);
      for (const std::int64_t part : parts) EXPECT_GE(part, 0);
    }
  }
}

TEST(Weights, MustBeOneForEachDevice) {
  EXPECT_THAT(complaint({0.5}, 2), HasSubstr("the weights of tile \"a\" are 1 numbers for 2 devices"));
  EXPECT_THAT(complaint({0.5, 0.5, 0}, 2), HasSubstr("3 numbers for 2 devices"));
}

TEST(Weights, MustBeNumbersFromZeroOn) {
  EXPECT_THAT(complaint({1, -0.5}, 2), HasSubstr("weight 2 of tile \"a\" is -0.5"));
  EXPECT_THAT(complaint({std::nan(""), 1}, 2), HasSubstr("weight 1 of tile \"a\" is not a number"));
  EXPECT_THAT(complaint({1, std::numeric_limits<double>::infinity()}, 2), HasSubstr("is infinite"));
}

TEST(Weights, MustNotAllBeZero) {
  EXPECT_THAT(complaint({0, 0}, 2), HasSubstr("are all 0"));
}

TEST(Weights, NeedNotSumToOne) {
  EXPECT_EQ(complaint({3, 5}, 2), "");
  EXPECT_EQ(complaint({0, 1e-300}, 2), "");
}

}  // namespace
}  // namespace forelap::hw::controller
