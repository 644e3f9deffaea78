#include "models/interference.hpp"

#include <gtest/gtest.h>

namespace {

using namespace forelap;
using core::ActivityClass;
using models::ActiveCounts;
using models::RateTable;

core::InterferenceRow row(std::initializer_list<std::pair<ActivityClass, double>> rates) {
  core::InterferenceRow result;
  for (const auto& [activity, rate] : rates) {
    result.active = static_cast<core::ActivitySet>(result.active | core::bit(activity));
    result.rates[activity] = {.value = rate};
  }
  return result;
}

ActiveCounts active(std::initializer_list<ActivityClass> classes) {
  ActiveCounts counts;
  for (const ActivityClass c : classes) counts.add(c);
  return counts;
}

TEST(Interference, IsMeasuredDirectionByDirection) {
  const RateTable table(std::vector{row({{ActivityClass::htod, 0.8}, {ActivityClass::dtoh, 0.95}})});
  EXPECT_EQ(table.rate(ActivityClass::htod, active({ActivityClass::htod})), 1);
  EXPECT_EQ(table.rate(ActivityClass::htod, active({ActivityClass::htod, ActivityClass::dtoh})), 0.8);
  EXPECT_EQ(table.rate(ActivityClass::dtoh, active({ActivityClass::htod, ActivityClass::dtoh})), 0.95);
  EXPECT_FALSE(table.is_trivial());
  EXPECT_TRUE(RateTable().is_trivial());
}

TEST(Interference, ASetThatWasNotMeasuredTakesTheSmallestRateOfItsParts) {
  const RateTable table(std::vector{row({{ActivityClass::htod, 0.8}, {ActivityClass::dtoh, 0.95}}),
                                    row({{ActivityClass::htod, 0.7}, {ActivityClass::kernel, 0.9}})});
  const auto all = active({ActivityClass::htod, ActivityClass::dtoh, ActivityClass::kernel});
  EXPECT_EQ(table.rate(ActivityClass::htod, all), 0.7);
  EXPECT_EQ(table.rate(ActivityClass::dtoh, all), 0.95);
  EXPECT_EQ(table.rate(ActivityClass::kernel, all), 0.9);
}

TEST(Interference, AMeasuredSetStandsBeforeItsParts) {
  const RateTable table(
      std::vector{row({{ActivityClass::htod, 0.8}, {ActivityClass::dtoh, 0.95}}),
                  row({{ActivityClass::htod, 0.9}, {ActivityClass::dtoh, 0.9}, {ActivityClass::kernel, 1.2}})});
  const auto all = active({ActivityClass::htod, ActivityClass::dtoh, ActivityClass::kernel});
  EXPECT_EQ(table.rate(ActivityClass::htod, all), 0.9);
  EXPECT_EQ(table.rate(ActivityClass::kernel, all), 1) << "rates above 1 are clamped";
}

TEST(Interference, WhatExceedsTheCapacityIsSharedEvenly) {
  RateTable table;
  table.set_capacity(ActivityClass::host_work, 4);
  ActiveCounts counts;
  for (int i = 0; i < 8; ++i) counts.add(ActivityClass::host_work);
  EXPECT_EQ(table.rate(ActivityClass::host_work, counts), 0.5);
  for (int i = 0; i < 5; ++i) counts.remove(ActivityClass::host_work);
  EXPECT_EQ(table.rate(ActivityClass::host_work, counts), 1);
}

TEST(Interference, KernelsGetWhatEarlierOnesLeave) {
  RateTable table;
  EXPECT_EQ(table.kernel_share(17, 1), 1) << "without a capacity";
  table.set_capacity(ActivityClass::kernel, 1);
  EXPECT_EQ(table.kernel_share(0, 1), 1);
  EXPECT_EQ(table.kernel_share(1, 1), 0) << "behind one that fills the device";
  EXPECT_EQ(table.kernel_share(0.5, 0.5), 1) << "two halves run side by side";
  EXPECT_EQ(table.kernel_share(0.5, 1), 0.5);
  EXPECT_EQ(table.kernel_share(0.75, 0.5), 0.5);
  EXPECT_EQ(table.kernel_share(2.5, 0.5), 0) << "never below zero";
}

TEST(Interference, SeveralKernelsHaveTheRateOfTheirClassBeforeTheirShares) {
  RateTable table(std::vector{row({{ActivityClass::htod, 0.8}, {ActivityClass::kernel, 0.9}})});
  table.set_capacity(ActivityClass::kernel, 1);
  const auto three = active({ActivityClass::kernel, ActivityClass::kernel, ActivityClass::kernel, ActivityClass::htod});
  EXPECT_EQ(table.rate(ActivityClass::kernel, three), 0.9);
}

}  // namespace
