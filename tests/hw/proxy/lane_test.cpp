#include "hw/proxy/lane.hpp"

#include <gtest/gtest.h>

#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

class FailingEvent : public Event {
 public:
  void wait() override { core::throw_device_failed("gone"); }
};

class Sink : public WatchSink {
 public:
  void passed(std::vector<Watch> watches) override {
    const std::lock_guard lock(mutex_);
    ++calls;
    for (const Watch& watch : watches) {
      ++events;
      ends += watch.mark == Mark::group_end ? 1 : 0;
    }
    changed_.notify_all();
  }
  void lost(const std::string& words) override {
    const std::lock_guard lock(mutex_);
    cause = words;
    changed_.notify_all();
  }
  template <class Condition>
  void await(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return condition(*this); });
  }
  std::size_t calls = 0, events = 0, ends = 0;
  std::string cause;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

EventPtr event_of(const std::shared_ptr<test::Latch>& latch) {
  return std::make_shared<test::LatchEvent>(latch);
}

TEST(Lane, TellsOfEveryEventOnce) {
  Sink sink;
  {
    Lane lane(sink);
    const auto latch = std::make_shared<test::Latch>();
    for (int i = 0; i < 50; ++i) lane.watch({event_of(latch), nullptr, i % 10 == 9 ? Mark::group_end : Mark::none});
    latch->open();
    sink.await([](const Sink& s) { return s.events == 50; });
  }
  EXPECT_EQ(sink.ends, 5U);
  EXPECT_GE(sink.calls, 5U);  // one wait never covers the end of a group and what follows
}

TEST(Lane, OneWaitCoversEventsThatFollowEachOtherClosely) {
  Sink sink;
  Lane lane(sink);
  const auto latch = std::make_shared<test::Latch>();
  latch->open();
  for (int i = 0; i < 20'000; ++i) lane.watch({event_of(latch), nullptr});
  sink.await([](const Sink& s) { return s.events == 20'000; });
  EXPECT_LT(sink.calls, 20'000U);
}

TEST(Lane, ALossIsToldOnceAndWhatWasWatchedIsHandedBack) {
  Sink sink;
  Lane lane(sink);
  const auto latch = std::make_shared<test::Latch>();
  latch->open();
  lane.watch({std::make_shared<FailingEvent>(), nullptr});
  sink.await([](const Sink& s) { return !s.cause.empty(); });
  lane.watch({event_of(latch), std::make_unique<Job>()});
  EXPECT_EQ(sink.cause, "gone");
  const std::vector<Watch> left = lane.abandon();
  EXPECT_EQ(left.size(), 2U);
  EXPECT_EQ(sink.events, 0U);
  lane.watch({event_of(latch), nullptr});
  sink.await([](const Sink& s) { return s.events == 1; });
}

}  // namespace
}  // namespace forelap::hw::proxy
