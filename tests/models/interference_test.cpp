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
  for (const ActivityClass c : classes) counts.add(c, 1);
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
  table.set_capacity(ActivityClass::kernel, 1);
  ActiveCounts counts;
  for (int i = 0; i < 8; ++i) counts.add(ActivityClass::host_work, 1);
  EXPECT_EQ(table.rate(ActivityClass::host_work, counts), 0.5);
  counts = {};
  counts.add(ActivityClass::kernel, 0.4);
  counts.add(ActivityClass::kernel, 0.4);
  EXPECT_EQ(table.rate(ActivityClass::kernel, counts), 1);
  counts.add(ActivityClass::kernel, 0.4);
  EXPECT_NEAR(table.rate(ActivityClass::kernel, counts), 1 / 1.2, 1e-12);
  for (int i = 0; i < 3; ++i) counts.remove(ActivityClass::kernel, 0.4);
  EXPECT_EQ(counts.kernel_fill, 0) << "sums return to an exact zero";
}

}  // namespace
