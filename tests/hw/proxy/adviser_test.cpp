#include "hw/proxy/adviser.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

core::OpenTask task(core::TaskKey key) {
  core::OpenTask open;
  open.key = key;
  return open;
}

using Keys = std::vector<core::TaskKey>;

/// Answers what it is given.
class Scripted : public ArrivalOrder {
 public:
  std::function<Keys(const core::StopToken&)> answer;
  std::vector<core::Tick> times;
  Keys next(core::Tick now, const core::StopToken& hurry) override {
    times.push_back(now);
    return answer(hurry);
  }
};

TEST(Adviser, LeavesOutWhatAPolicyNamesTwiceOrDoesNotKnow) {
  auto policy = std::make_unique<Scripted>();
  policy->answer = [](const core::StopToken&) { return Keys{2, 9, 2, 1}; };
  Adviser adviser(std::move(policy), {});
  adviser.arrived(task(1), 0);
  adviser.arrived(task(2), 0);
  EXPECT_EQ(adviser.next(0), (Keys{2, 1}));
  EXPECT_EQ(adviser.waiting(), 0U);
}

TEST(Adviser, GoesOnInTheOrderOfArrivalWhereThePolicyThrows) {
  auto policy = std::make_unique<Scripted>();
  policy->answer = [](const core::StopToken&) -> Keys { throw std::runtime_error("no model of this kernel"); };
  Adviser adviser(std::move(policy), {});
  for (core::TaskKey key = 1; key <= 3; ++key) adviser.arrived(task(key), 0);
  adviser.tell({Notice::Kind::withdrawn, 2, 0});
  EXPECT_EQ(adviser.next(0), (Keys{1, 3}));
  EXPECT_EQ(adviser.error(), "no model of this kernel");
  adviser.arrived(task(4), 0);
  EXPECT_EQ(adviser.next(0), Keys{4});
}

TEST(Adviser, AsksForAnAnswerAtOnceWhereThereIsNoTimeToThink) {
  auto policy = std::make_unique<Scripted>();
  bool hurried = false;
  policy->answer = [&](const core::StopToken& hurry) {
    hurried = hurry.stop_requested();
    return Keys{};
  };
  Adviser adviser(std::move(policy), {});
  EXPECT_TRUE(adviser.next(0).empty());
  EXPECT_TRUE(hurried);
}

TEST(Adviser, StopsThoughtWhenItsTimeIsOver) {
  auto policy = std::make_unique<Scripted>();
  policy->answer = [](const core::StopToken& hurry) {
    while (!hurry.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Keys{1};
  };
  Adviser adviser(std::move(policy), std::chrono::milliseconds(3));
  adviser.arrived(task(1), 0);
  EXPECT_EQ(adviser.next(0), Keys{1});
}

TEST(Adviser, TimesNeverRunBackwards) {
  auto policy = std::make_unique<Scripted>();
  Scripted* told = policy.get();
  policy->answer = [](const core::StopToken&) { return Keys{}; };
  Adviser adviser(std::move(policy), {});
  adviser.next(10);
  adviser.tell({Notice::Kind::finished, 1, 20});
  adviser.next(15);
  EXPECT_EQ(told->times, (std::vector<core::Tick>{10, 20}));
}

TEST(Adviser, TakesTheRestWhereThePolicyWouldWaitForEver) {
  auto policy = std::make_unique<Scripted>();
  policy->answer = [](const core::StopToken&) { return Keys{}; };
  Adviser adviser(std::move(policy), {});
  adviser.arrived(task(1), 0);
  adviser.arrived(task(2), 0);
  EXPECT_TRUE(adviser.next(0).empty());
  EXPECT_EQ(adviser.rest(0), (Keys{1, 2}));
  EXPECT_NE(adviser.error().find("gave no order"), std::string::npos);
}

TEST(Adviser, AProxyGoesOnWithoutAPolicyThatThrows) {
  class Throwing : public ArrivalOrder {
   public:
    void arrived(const core::OpenTask&, core::Tick) override { throw std::runtime_error("cannot think"); }
  };
  test::Stage stage;
  const auto proxy = scripted(stage, {}, std::make_unique<Throwing>());
  std::vector<std::int32_t> values = numbers(10);
  proxy->submit(triple(values, 10)).get();
  EXPECT_EQ(values, tripled(10));
  EXPECT_EQ(proxy->statistics().policy_error, "cannot think");
}

TEST(Adviser, AProxyThatDrainsDoesNotWaitForAPolicyThatWaits) {
  class Waiting : public ArrivalOrder {
   public:
    Keys next(core::Tick, const core::StopToken&) override { return {}; }
  };
  test::Stage stage;
  const auto proxy = scripted(stage, {}, std::make_unique<Waiting>());
  std::vector<std::int32_t> values = numbers(10);
  Future future = proxy->submit(triple(values, 10));
  EXPECT_FALSE(future.wait_for(std::chrono::milliseconds(5)));
  proxy->shutdown(Shutdown::drain);
  future.get();
  EXPECT_EQ(values, tripled(10));
}

}  // namespace
}  // namespace forelap::hw::proxy
