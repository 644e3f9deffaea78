#include "tune/open_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/statistics.hpp"

namespace forelap::tune {
namespace {

using sim::fast::TaskCost;

TaskCost task(double htod, double kernel, double dtoh) {
  return {{true, 0, htod}, {true, 0, kernel}, {true, 0, dtoh}};
}

std::vector<TaskCost> random_tasks(core::Random& random, std::size_t n) {
  std::vector<TaskCost> tasks;
  const auto length = [&] { return static_cast<double>(random.below(1000) + 1); };
  for (std::size_t i = 0; i < n; ++i) tasks.push_back(task(length(), length(), length()));
  return tasks;
}

TEST(OpenOrder, JudgesOrdersBehindWhatWentBefore) {
  OpenOrder open({}, {task(10, 50, 5)}, {task(20, 10, 5), task(5, 10, 5)});
  // Kernels end at 60, 70, 80; the last transfer back takes 5.
  EXPECT_EQ(open.makespan(order::Order{0, 1}), 85);
  EXPECT_EQ(open.makespan(order::Order{1, 0}), 85);
  EXPECT_EQ(open.makespan(order::Order{}), 65);
}

TEST(OpenOrder, InsertsWhereItCostsLeast) {
  core::Random random(2);
  for (int i = 0; i < 50; ++i) {
    OpenOrder open({}, random_tasks(random, 2), random_tasks(random, 5));
    order::Order order = {3, 1, 0, 2};
    double least = 1e300;
    for (std::size_t place = 0; place <= order.size(); ++place) {
      order::Order tried = order;
      tried.insert(tried.begin() + static_cast<std::ptrdiff_t>(place), 4);
      least = std::min(least, open.makespan(tried));
    }
    open.insert(order, 4);
    EXPECT_EQ(open.makespan(order), least);
    order.erase(std::find(order.begin(), order.end(), 4U));
    EXPECT_EQ(order, (order::Order{3, 1, 0, 2}));
  }
}

TEST(OpenOrder, OfEqualPlacesTheLastIsTaken) {
  OpenOrder open({}, {}, {task(1, 1, 1), task(1, 1, 1), task(1, 1, 1)});
  order::Order order = {0, 1};
  open.insert(order, 2);
  EXPECT_EQ(order, (order::Order{0, 1, 2}));
}

TEST(OpenOrder, ImprovingEndsWhereNoMoveGains) {
  core::Random random(4);
  std::size_t gained = 0;
  for (int i = 0; i < 50; ++i) {
    OpenOrder open({}, random_tasks(random, 2), random_tasks(random, 6));
    order::Order order = {0, 1, 2, 3, 4, 5};
    const double before = open.makespan(order);
    const bool better = open.improve(order, 100'000, {});
    EXPECT_EQ(better, open.makespan(order) < before);
    gained += better ? 1 : 0;
    EXPECT_FALSE(open.improve(order, 100'000, {}));
    order::Order sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (order::Order{0, 1, 2, 3, 4, 5}));
  }
  EXPECT_GT(gained, 10U);
}

TEST(OpenOrder, ImprovingStopsInAHurryAndOnItsBudget) {
  core::Random random(4);
  const auto tasks = random_tasks(random, 8);
  OpenOrder open({}, {}, tasks);
  order::Order order = {7, 6, 5, 4, 3, 2, 1, 0};
  const order::Order given = order;
  core::StopSource source;
  source.request_stop();
  EXPECT_FALSE(open.improve(order, 100'000, source.token()));
  EXPECT_FALSE(open.improve(order, 0, {}));
  EXPECT_EQ(order, given);
}

}  // namespace
}  // namespace forelap::tune
