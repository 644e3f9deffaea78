#include "run/arrivals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace forelap::run {
namespace {

using ::testing::ElementsAre;

scenarios::Online pattern(scenarios::Arrivals arrivals, std::uint32_t tasks) {
  scenarios::Online online;
  online.arrivals = arrivals;
  online.tasks = tasks;
  return online;
}

std::vector<core::Tick> times_of(ArrivalSequence sequence) {
  std::vector<core::Tick> times;
  while (sequence.next_time()) times.push_back(sequence.take().wished);
  return times;
}

TEST(Arrivals, AtOnceIsTheStart) {
  ArrivalSequence sequence(pattern(scenarios::Arrivals::at_once, 0), 3, 1);
  EXPECT_EQ(sequence.total(), 3U);
  EXPECT_THAT(sequence.positions(), ElementsAre(0, 1, 2));
  EXPECT_THAT(times_of(sequence), ElementsAre(0, 0, 0));
}

TEST(Arrivals, TasksAreTakenInTurn) {
  const ArrivalSequence sequence(pattern(scenarios::Arrivals::at_once, 5), 3, 1);
  EXPECT_THAT(sequence.positions(), ElementsAre(0, 1, 2, 0, 1));
}

TEST(Arrivals, EveryIntervalOneComes) {
  auto online = pattern(scenarios::Arrivals::every, 3);
  online.interval = 2e-3;
  EXPECT_THAT(times_of({online, 1, 1}), ElementsAre(0, 2'000'000'000, 4'000'000'000));
}

TEST(Arrivals, PoissonIntervalsHaveTheirMeanAndFollowTheSeed) {
  auto online = pattern(scenarios::Arrivals::poisson, 4001);
  online.interval = 1e-3;
  const auto times = times_of({online, 1, 7});
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  // The sum of 4,000 intervals of mean and deviation 1 ms: 4 s with a deviation of 63 ms.
  EXPECT_NEAR(core::seconds_from_ticks(times.back()), 4.0, 0.2);
  EXPECT_EQ(times, times_of({online, 1, 7}));
  EXPECT_NE(times, times_of({online, 1, 8}));
}

TEST(Arrivals, RandomTasksFollowTheSeedAndAreAllDrawn) {
  auto online = pattern(scenarios::Arrivals::at_once, 60);
  online.draw = scenarios::Draw::random;
  const ArrivalSequence a(online, 4, 3);
  std::vector<int> count(4);
  for (const auto position : a.positions()) ++count.at(position);
  for (const int n : count) EXPECT_GT(n, 4);
  EXPECT_EQ(a.positions(), ArrivalSequence(online, 4, 3).positions());
  EXPECT_NE(a.positions(), ArrivalSequence(online, 4, 4).positions());
}

TEST(Arrivals, AClosedWorkerSendsItsNextTaskAfterTheLastHasEndedAndItHasThought) {
  auto online = pattern(scenarios::Arrivals::closed, 2);
  online.workers = 3;
  online.think = 1e-12 * 5;
  ArrivalSequence sequence(online, 3, 1);
  EXPECT_EQ(sequence.total(), 6U);
  std::vector<Coming> first;
  while (sequence.next_time()) first.push_back(sequence.take());
  ASSERT_EQ(first.size(), 3U);
  sequence.ended(1, 100);
  ASSERT_EQ(sequence.next_time(), core::Tick{105});
  const Coming next = sequence.take();
  EXPECT_EQ(next.worker, 1U);
  EXPECT_EQ(next.number, 4U);
  EXPECT_EQ(next.position, first[1].position);
  sequence.ended(1, 200);
  EXPECT_FALSE(sequence.next_time());
}

TEST(Arrivals, AClosedWorkerThatDiesSendsNoMore) {
  auto online = pattern(scenarios::Arrivals::closed, 2);
  online.workers = 2;
  ArrivalSequence sequence(online, 2, 1);
  sequence.take();
  sequence.take();
  sequence.ended(0, 10);
  EXPECT_EQ(sequence.take().worker, 0U);
  EXPECT_FALSE(sequence.next_time());
}

}  // namespace
}  // namespace forelap::run
