#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

using namespace forelap::core;
using Samples = std::vector<double>;

TEST(Statistics, MedianAndQuantilesInterpolate) {
  EXPECT_EQ(median(Samples{3, 1, 2}), 2);
  EXPECT_EQ(median(Samples{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile(Samples{0, 10}, 0.9), 9);
  EXPECT_EQ(quantile(Samples{5}, 0.9), 5);
  EXPECT_THROW(median(Samples{}), std::invalid_argument);
}

TEST(Statistics, DeviationsAgreeOnNormalSamplesAndOneIgnoresOutliers) {
  Random random(1);
  Samples samples;
  for (int i = 0; i < 20'000; ++i) samples.push_back(10 + 2 * random.normal());
  EXPECT_NEAR(mean(samples), 10, 0.05);
  EXPECT_NEAR(standard_deviation(samples), 2, 0.05);
  EXPECT_NEAR(robust_deviation(samples), 2, 0.05);
  samples[0] = 1e9;
  EXPECT_NEAR(robust_deviation(samples), 2, 0.05);
  EXPECT_GT(standard_deviation(samples), 1000);
  EXPECT_EQ(standard_deviation(Samples{1}), 0);
}

TEST(Statistics, GeometricMeanOfTheOrders) {
  EXPECT_NEAR(geometric_mean(Samples{1, 4}), 2, 1e-12);
}

TEST(Statistics, MedianIntervalCoversTheMedianNineTimesOfTen) {
  // Fifteen runs: [s3, s11] is the narrowest pair of order statistics that covers with at least 90 % (it covers 96.5
  // %).
  Samples fifteen;
  for (int i = 0; i < 15; ++i) fifteen.push_back(i);
  EXPECT_EQ(median_interval(fifteen).low, 3);
  EXPECT_EQ(median_interval(fifteen).high, 11);
  Random random(3);
  int covered = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Samples samples;
    for (int i = 0; i < 15; ++i) samples.push_back(random.normal());
    const Interval90 interval = median_interval(samples);
    covered += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  EXPECT_GT(covered, 3600);
  EXPECT_EQ(median_interval(Samples{2}).low, 2);
  EXPECT_EQ(median_interval(Samples{1, 2}).high, 2);
}

TEST(Statistics, KendallsTauCountsPairsThatNoiseDoesNotExplain) {
  EXPECT_EQ(kendall_tau(Samples{1, 2, 3}, Samples{10, 20, 30}, 0), 1);
  EXPECT_EQ(kendall_tau(Samples{3, 2, 1}, Samples{10, 20, 30}, 0), -1);
  EXPECT_NEAR(*kendall_tau(Samples{1, 3, 2}, Samples{10, 20, 30}, 0), 1.0 / 3, 1e-12);
  // 20 and 21 are one to a noise of 2: the swap there says nothing.
  EXPECT_EQ(kendall_tau(Samples{1, 3, 2}, Samples{10, 20, 21}, 2), 1);
  // A predicted tie is neither right nor wrong.
  EXPECT_NEAR(*kendall_tau(Samples{1, 2, 2}, Samples{10, 20, 30}, 0), 2.0 / 3, 1e-12);
  EXPECT_FALSE(kendall_tau(Samples{5}, Samples{5}, 0));
  EXPECT_FALSE(kendall_tau(Samples{1, 2}, Samples{10, 11}, 2)) << "noise explains every pair";
  EXPECT_THROW(kendall_tau(Samples{1}, Samples{}, 0), std::invalid_argument);
}

TEST(Random, GivesTheSameNumbersOnEveryPlatform) {
  Random random(42);
  EXPECT_EQ(random.next(), 13679457532755275413U);
  EXPECT_EQ(random.next(), 2949826092126892291U);
}

TEST(Random, IsUniformBelowABound) {
  Random random(5);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

}  // namespace
