// Errors reach the future of their task and no other; a lost device fails what is on it, and the rest goes on.

#include <gtest/gtest.h>

#include <thread>

#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

using core::ErrorKind;

/// Three tasks that wait behind one that is held, so that they form a group.
class Group : public testing::Test {
 protected:
  void submit_all() {
    stage.hold();
    first = proxy->submit(triple(values[0], 10, "first"));
    await_in_flight(*proxy, 1);
    for (std::size_t i = 1; i < 4; ++i) {
      futures.push_back(proxy->submit(triple(values[i], 10, "task " + std::to_string(i))));
    }
    await_waiting(*proxy, 3);
  }

  test::Stage stage;
  std::unique_ptr<Proxy> proxy = scripted(stage);
  std::vector<std::vector<std::int32_t>> values = std::vector<std::vector<std::int32_t>>(4, numbers(10));
  Future first;
  std::vector<Future> futures;
};

struct Fault {
  const char* call;
  const char* words;
};

class GroupWithAFault : public Group, public testing::WithParamInterface<Fault> {};

TEST_P(GroupWithAFault, FailsOneTaskWhileOthersWait) {
  submit_all();
  stage.script->fail(GetParam().call, 2);  // of the second task in the group
  stage.release();
  first.get();
  futures[0].get();
  const core::Error error = error_of(futures[1]);
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_TRUE(holds(error, "task task 2")) << error.what();
  EXPECT_TRUE(holds(error, GetParam().words)) << error.what();
  EXPECT_TRUE(holds(error, "injected failure")) << error.what();
  futures[2].get();
  EXPECT_EQ(values[0], tripled(10));
  EXPECT_EQ(values[1], tripled(10));
  EXPECT_EQ(values[2], numbers(10));
  EXPECT_EQ(values[3], tripled(10));
  proxy->shutdown(Shutdown::drain);
  const Statistics statistics = proxy->statistics();
  EXPECT_EQ(statistics.failed, 1U);
  EXPECT_EQ(statistics.finished, 3U);
  EXPECT_EQ(statistics.faults, 0U);
}

INSTANTIATE_TEST_SUITE_P(Each, GroupWithAFault,
                         testing::Values(Fault{"copy in", "copying to the device"},
                                         Fault{"launch", "launching its kernel"},
                                         Fault{"copy out", "copying from the device"}));

TEST_F(Group, WrongArgumentsReachTheFutureOfTheirTask) {
  stage.hold();
  first = proxy->submit(triple(values[0], 10));
  Future few = proxy->submit({.kernel = "synthetic", .arguments = {inout(values[1])}, .items = 10, .name = "few"});
  Future unknown = proxy->submit({.kernel = "nonsense", .arguments = {inout(values[2])}, .items = 10});
  BufferArgument small = in(values[3]);
  small.bytes = 8;
  Future narrow = proxy->submit({.kernel = "synthetic", .arguments = {small, 10, 1, 3}, .items = 10});
  stage.release();
  const core::Error error = error_of(few);
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_TRUE(holds(error, "task few")) << error.what();
  EXPECT_TRUE(holds(error, "takes 4 arguments")) << error.what();
  EXPECT_TRUE(holds(error_of(unknown), "no built-in kernel \"nonsense\""));
  EXPECT_TRUE(holds(error_of(narrow), "holds 8 bytes, but more are to be copied (40 in"));
  first.get();
  EXPECT_EQ(values[0], tripled(10));
}

TEST_F(Group, RefusedMemoryReachesTheFutureOfItsTask) {
  stage.refuse_above = 100'000;
  std::vector<std::int32_t> large = numbers(100'000);
  Future future = proxy->submit(triple(large, 100'000, "large"));
  const core::Error error = error_of(future);
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_TRUE(holds(error, "task large: no memory for")) << error.what();
  proxy->submit(triple(values[0], 10)).get();
  EXPECT_EQ(values[0], tripled(10));
  EXPECT_EQ(proxy->statistics().faults, 0U);
}

TEST_F(Group, ALostDeviceFailsWhatIsOnItAndTheRestGoesOn) {
  submit_all();
  stage.lose();
  stage.release();
  const core::Error error = error_of(first);
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_TRUE(holds(error, "task first was on the cpu device")) << error.what();
  EXPECT_TRUE(holds(error, "fell off the bus")) << error.what();
  for (auto& future : futures) future.get();
  EXPECT_EQ(values[0], numbers(10));
  EXPECT_EQ(values[1], tripled(10));
  EXPECT_EQ(values[3], tripled(10));
  EXPECT_EQ(proxy->statistics().faults, 1U);
  EXPECT_EQ(stage.script->count("opens"), 2U);
  EXPECT_EQ(stage.script->count("builds synthetic"), 2U);
}

TEST_F(Group, EveryTaskOnALostDeviceFails) {
  stage.hold();
  std::vector<std::vector<std::int32_t>> many(20, numbers(10));
  for (auto& v : many) futures.push_back(proxy->submit(triple(v, 10)));
  await_in_flight(*proxy, 1);
  stage.lose();
  stage.release();
  std::size_t failed = 0;
  for (std::size_t i = 0; i < many.size(); ++i) {
    try {
      futures[i].get();
      EXPECT_EQ(many[i], tripled(10));
    } catch (const core::Error& error) {
      ++failed;
      EXPECT_EQ(error.kind(), ErrorKind::device_failed);
      EXPECT_EQ(many[i], numbers(10));
    }
  }
  EXPECT_GE(failed, 1U);
  EXPECT_EQ(proxy->statistics().failed, failed);
  proxy->submit(triple(values[0], 10)).get();
  EXPECT_EQ(values[0], tripled(10));
}

TEST_F(Group, ARefusedCommandOfALostDeviceIsFollowedUp) {
  stage.script->fail("copy in", 1);
  stage.script->fail("record", 1);  // the question whether the device lives
  Future future = proxy->submit(triple(values[0], 10));
  EXPECT_EQ(error_of(future).kind(), ErrorKind::device_failed);
  proxy->submit(triple(values[1], 10)).get();
  EXPECT_EQ(values[1], tripled(10));
  EXPECT_EQ(proxy->statistics().faults, 1U);
}

TEST(Recovery, ADeviceThatDoesNotOpenAgainFailsWhatWaitsAndRefusesMore) {
  test::Stage stage;
  std::atomic<bool> gone{false};
  Options options;
  options.reopen_attempts = 2;
  Proxy proxy(options, [&]() -> std::shared_ptr<Device> {
    if (gone) core::throw_unavailable("it is not there");
    return std::make_shared<test::ScriptedDevice>(stage);
  });
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(2, numbers(10));
  Future running = proxy.submit(triple(values[0], 10));
  await_in_flight(proxy, 1);
  Future waiting = proxy.submit(triple(values[1], 10));
  gone = true;
  stage.lose();
  stage.release();
  EXPECT_EQ(error_of(running).kind(), ErrorKind::device_failed);
  const core::Error pending = error_of(waiting);
  EXPECT_EQ(pending.kind(), ErrorKind::unavailable);
  EXPECT_TRUE(holds(pending, "it is not there")) << pending.what();
  const core::Error refused = error_of([&] { proxy.submit(triple(values[0], 10)); });
  EXPECT_EQ(refused.kind(), ErrorKind::unavailable);
  EXPECT_TRUE(holds(refused, "does not open again: it is not there")) << refused.what();
  proxy.shutdown(Shutdown::drain);
}

TEST(Recovery, ADeviceThatFailsItsTrialIsTriedAgain) {
  test::Stage stage;
  const auto proxy = scripted(stage);
  std::vector<std::int32_t> values = numbers(10);
  stage.hold();
  Future running = proxy->submit(triple(values, 10));
  await_in_flight(*proxy, 1);
  stage.lose();
  stage.script->fail("allocate", 1);
  stage.release();
  EXPECT_EQ(error_of(running).kind(), ErrorKind::device_failed);
  proxy->submit(triple(values, 10)).get();
  EXPECT_EQ(values, tripled(10));
  EXPECT_EQ(stage.script->count("opens"), 3U);
}

TEST(Recovery, ADeviceThatDoesNotOpenAtFirstIsAnErrorOfTheConstructor) {
  const auto open = [] { Proxy({}, []() -> std::shared_ptr<Device> { core::throw_unavailable("no device"); }); };
  EXPECT_EQ(error_of(open).kind(), ErrorKind::unavailable);
  const auto null = [] { Proxy({}, [] { return std::shared_ptr<Device>(); }); };
  EXPECT_EQ(error_of(null).kind(), ErrorKind::unavailable);
}

TEST(Recovery, ShuttingDownDoesNotWaitForADeviceThatIsGone) {
  test::Stage stage;
  std::atomic<int> opened{0};
  Options options;
  options.reopen_attempts = 1000;
  auto proxy = std::make_unique<Proxy>(options, [&]() -> std::shared_ptr<Device> {
    if (opened++ > 0) core::throw_unavailable("it is gone");
    return std::make_shared<test::ScriptedDevice>(stage);
  });
  std::vector<std::int32_t> values = numbers(10);
  stage.lose();
  Future future = proxy->submit(triple(values, 10));
  EXPECT_EQ(error_of(future).kind(), ErrorKind::device_failed);
  proxy.reset();
}

}  // namespace
}  // namespace forelap::hw::proxy
