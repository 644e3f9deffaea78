#include "tune/running.hpp"

#include <gtest/gtest.h>

namespace forelap::tune {
namespace {

KnownTask known(core::TaskKey key, double htod) {
  KnownTask task;
  task.key = key;
  task.cost = sim::fast::TaskCost{};
  task.cost->htod = {true, 0, htod};
  return task;
}

TEST(RunningGroups, NothingIsAheadWhereNothingRuns) {
  RunningGroups running;
  EXPECT_FALSE(running.transferring());
  EXPECT_TRUE(running.ahead(64, 5).empty());
  running.submitted({known(1, 10)}, 0);
  running.transferred(1, 10);
  running.finished(1, 12);
  EXPECT_TRUE(running.ahead(64, 20).empty());
}

TEST(RunningGroups, AGroupStaysAheadUntilItsLastTaskHasEnded) {
  RunningGroups running;
  running.submitted({known(1, 10), known(2, 20)}, 0);
  running.transferred(1, 10);
  running.finished(1, 12);
  EXPECT_TRUE(running.transferring());
  ASSERT_EQ(running.ahead(64, std::nullopt).size(), 2U);
  EXPECT_EQ(running.ahead(64, std::nullopt)[1].htod.work, 20);
}

TEST(RunningGroups, PausesBetweenGroupsAreTimeWithoutTransfers) {
  RunningGroups running;
  running.submitted({known(1, 10)}, 0);
  running.transferred(1, 10);
  running.submitted({known(2, 20)}, 13);
  running.transferred(2, 33);
  const auto ahead = running.ahead(64, 40);
  ASSERT_EQ(ahead.size(), 4U);
  EXPECT_EQ(ahead[1].htod.fixed, 3);
  EXPECT_EQ(ahead[1].htod.work, 0);
  EXPECT_EQ(ahead[2].htod.work, 20);
  EXPECT_EQ(ahead[3].htod.fixed, 7);
}

TEST(RunningGroups, OnlyTheLastTasksAreTakenWhereThereIsLittleRoom) {
  RunningGroups running;
  running.submitted({known(1, 10), known(2, 20), known(3, 30)}, 0);
  const auto ahead = running.ahead(2, std::nullopt);
  ASSERT_EQ(ahead.size(), 2U);
  EXPECT_EQ(ahead[0].htod.work, 20);
  EXPECT_TRUE(running.ahead(0, std::nullopt).empty());
}

TEST(RunningGroups, ATaskThatFailsCountsAsTransferred) {
  RunningGroups running;
  running.submitted({known(1, 10)}, 0);
  running.finished(1, 4);
  EXPECT_FALSE(running.transferring());
}

}  // namespace
}  // namespace forelap::tune
