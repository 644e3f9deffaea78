#include "hw/proxy/arrival_order.hpp"

#include <gtest/gtest.h>

namespace forelap::hw::proxy {
namespace {

using Keys = std::vector<core::TaskKey>;

core::OpenTask task(core::TaskKey key) {
  core::OpenTask open;
  open.key = key;
  return open;
}

TEST(ArrivalOrder, GivesGroupsOfAtMostItsSizeInTheOrderOfArrival) {
  ArrivalOrder order(2);
  EXPECT_TRUE(order.next(0, {}).empty());
  for (const core::TaskKey key : {5U, 3U, 9U}) order.arrived(task(key), 0);
  EXPECT_EQ(order.next(0, {}), (Keys{5, 3}));
  EXPECT_EQ(order.next(0, {}), Keys{9});
  EXPECT_TRUE(order.next(0, {}).empty());
}

TEST(ArrivalOrder, ForgetsWhatIsWithdrawn) {
  ArrivalOrder order;
  order.arrived(task(1), 0);
  order.arrived(task(2), 0);
  order.withdrawn(1, 0);
  order.withdrawn(7, 0);
  EXPECT_EQ(order.next(0, {}), Keys{2});
}

}  // namespace
}  // namespace forelap::hw::proxy
