#include "core/timeline.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.hpp"

namespace {

using namespace forelap;

TEST(Timeline, TimesAreRoundedToTheNearestTickUpToTheLongest) {
  EXPECT_EQ(core::timeline_tick(0), 0);
  EXPECT_EQ(core::timeline_tick(1.5), 2);
  EXPECT_EQ(core::timeline_tick(core::kLongestTimeline), 9'000'000'000'000'000'000);
}

TEST(Timeline, TimesThatDoNotFitATickAreRefused) {
  EXPECT_THROW(core::timeline_tick(1e19), core::Error);
  EXPECT_THROW(core::timeline_tick(std::numeric_limits<double>::infinity()), core::Error);
  EXPECT_THROW(core::timeline_tick(std::numeric_limits<double>::quiet_NaN()), core::Error);
}

}  // namespace
