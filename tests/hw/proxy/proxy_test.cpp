// The proxy on real devices and on a scripted one: results, groups, order, queue, shutdown.

#include "hw/proxy/proxy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "tests/hw/proxy/support.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::proxy {
namespace {

using namespace std::chrono_literals;

class OnDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string reason;
    if (test::try_open(GetParam(), reason)) return;
    if (test::is_required(GetParam())) FAIL() << reason;
    GTEST_SKIP() << reason;
  }
  static std::unique_ptr<Proxy> open(const Options& options = {}) {
    return std::make_unique<Proxy>(options, [] { return open_device(GetParam()).device; });
  }
};

TEST_P(OnDevice, ResultsReachTheWorkersOwnMemoryInGet) {
  const auto proxy = open();
  std::vector<std::int32_t> values = numbers(1000);
  Future future = proxy->submit(triple(values, 1000));
  const Outcome outcome = future.get();
  EXPECT_EQ(values, tripled(1000));
  EXPECT_LE(outcome.arrived, outcome.submitted);
  EXPECT_LE(outcome.submitted, outcome.finished);
  EXPECT_FALSE(future.valid());
}

TEST_P(OnDevice, PinnedMemoryOfTheProxyHoldsTheResults) {
  const auto proxy = open();
  const HostBuffer buffer = proxy->allocate(4000);
  const auto input = numbers(1000);
  std::copy(input.begin(), input.end(), buffer.as<std::int32_t>().begin());
  proxy->submit(triple(buffer, 1000)).get();
  const auto result = buffer.as<std::int32_t>();
  EXPECT_EQ(std::vector(result.begin(), result.end()), tripled(1000));
}

TEST_P(OnDevice, StagesMayBeMissing) {
  const auto proxy = open();
  const std::vector<std::int32_t> from = numbers(100);
  std::vector<std::int32_t> to(100);
  EXPECT_NO_THROW(proxy->submit({}).get());
  EXPECT_NO_THROW(proxy->submit({.arguments = {in(from)}}).get());
  EXPECT_NO_THROW(proxy->submit({.arguments = {out(to)}}).get());
  EXPECT_NO_THROW(proxy->submit({.kernel = "synthetic", .arguments = {scratch(400), 100, 1, 3}, .items = 100}).get());
  proxy->submit({.arguments = {inout(from, to)}}).get();
  EXPECT_EQ(to, from);
  EXPECT_NO_THROW(proxy->submit({.kernel = "synthetic", .arguments = {scratch(0), 0, 1, 3}, .items = 0}).get());
  EXPECT_EQ(proxy->statistics().finished, 6U);
}

TEST_P(OnDevice, AResultMayBeAPartOfItsBuffer) {
  const auto proxy = open();
  std::vector<float> both(200, 1.5F);
  std::vector<float> all(300);
  proxy->submit({.kernel = "vector_add", .arguments = {inout(both, all), 100, 1}, .items = 100}).get();
  EXPECT_EQ(all[0], 1.5F);
  EXPECT_EQ(all[200], 3.0F);
  EXPECT_EQ(all[299], 3.0F);
}

void work(Proxy& proxy, std::size_t worker, std::size_t tasks) {
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::size_t n = 1 + (worker * 997 + i * 131) % 5000;
    std::vector<std::int32_t> values = numbers(n);
    std::vector<std::int32_t> second = numbers(n + 7);
    Future one = proxy.submit(triple(values, n));
    Future two = proxy.submit(triple(second, n + 7));
    one.get();
    two.get();
    EXPECT_EQ(values, tripled(n));
    EXPECT_EQ(second, tripled(n + 7));
  }
}

TEST_P(OnDevice, ManyThreadsGetTheirOwnResults) {
  for (const unsigned engines : {1U, 2U}) {
    Options options;
    options.copy_engines = engines;
    const auto proxy = open(options);
    std::vector<std::thread> workers;
    for (std::size_t w = 0; w < 4; ++w) workers.emplace_back([&, w] { work(*proxy, w, 20); });
    for (auto& worker : workers) worker.join();
    const Statistics statistics = proxy->statistics();
    EXPECT_EQ(statistics.finished, 160U);
    EXPECT_EQ(statistics.in_flight, 0U);
    EXPECT_GE(statistics.groups, 1U);
    EXPECT_GT(statistics.busy_seconds, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, OnDevice, testing::Values("cpu", "opencl", "cuda"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(Proxy, RunsKernelsOfOnesOwn) {
  std::string reason;
  if (!test::try_open("opencl", reason)) GTEST_SKIP() << reason;
  Proxy proxy({}, [] { return open_device("opencl").device; });
  core::KernelSource source;
  source.text =
      "__kernel void add(__global const int* a, __global const int* b, __global int* c, int n) {"
      "  int i = get_global_id(0); if (i < n) c[i] = a[i] + b[i]; }";
  source.entry = "add";
  proxy.define("my add", source);
  const std::vector<std::int32_t> a = numbers(300);
  const std::vector<std::int32_t> b(300, 7);
  std::vector<std::int32_t> c(300);
  proxy.submit({.kernel = "my add", .arguments = {in(a), in(b), out(c), 300}, .items = 300}).get();
  EXPECT_EQ(c[0], 8);
  EXPECT_EQ(c[299], 307);
}

TEST(Proxy, AThousandSubmittersGetTheirResults) {
  test::Stage stage;
  Options options;
  options.queue_capacity = 100;
  const auto proxy = scripted(stage, options);
  std::vector<std::thread> workers;
  std::atomic<int> right{0};
  for (int w = 0; w < 1000; ++w) {
    workers.emplace_back([&] {
      std::vector<std::int32_t> values = numbers(50);
      proxy->submit(triple(values, 50)).get();
      if (values == tripled(50)) ++right;
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(right, 1000);
  EXPECT_EQ(proxy->statistics().finished, 1000U);
}

TEST(Proxy, TakesWhatWaitsAsAGroupInThePolicysOrder) {
  test::Stage stage;
  const auto record = std::make_shared<Record>();
  const auto proxy = scripted(stage, {}, std::make_unique<Backwards>(record));
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(4, numbers(10));
  std::vector<Future> futures;
  futures.push_back(proxy->submit(triple(values[0], 10)));
  await_in_flight(*proxy, 1);
  for (std::size_t i = 1; i < 4; ++i) futures.push_back(proxy->submit(triple(values[i], 10)));
  while (record->position("prepare") == record->lines().size()) std::this_thread::sleep_for(1ms);
  stage.release();
  for (auto& future : futures) future.get();
  proxy->shutdown(Shutdown::drain);
  EXPECT_LT(record->position("group 1"), record->position("group 4 3 2"));
  EXPECT_LT(record->position("arrived 2"), record->position("transferred 1"));
  EXPECT_LT(record->position("transferred 1"), record->position("finished 1"));
  EXPECT_EQ(record->position("time runs backwards"), record->lines().size());
  const Statistics statistics = proxy->statistics();
  EXPECT_EQ(statistics.groups, 2U);
  EXPECT_EQ(statistics.largest_group, 3U);
  EXPECT_EQ(statistics.policy, "backwards");
}

TEST(Proxy, WithOneEngineCommandsGoByType) {
  test::Stage stage;
  Options options;
  options.copy_engines = 1;
  const auto proxy = scripted(stage, options);
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(3, numbers(10));
  std::vector<Future> futures;
  futures.push_back(proxy->submit(triple(values[0], 10)));
  await_in_flight(*proxy, 1);
  futures.push_back(proxy->submit(triple(values[1], 10)));
  futures.push_back(proxy->submit(triple(values[2], 10)));
  await_waiting(*proxy, 2);
  stage.release();
  for (auto& future : futures) future.get();
  EXPECT_EQ(values[2], tripled(10));
  std::vector<std::string> commands;
  for (const auto& line : stage.script->lines()) {
    if (line == "copies in 40" || line == "launches 10" || line == "copies out 40") commands.push_back(line);
  }
  const std::vector<std::string> expected = {"copies in 40", "launches 10",   "copies out 40",
                                             "copies in 40", "copies in 40",  "launches 10",
                                             "launches 10",  "copies out 40", "copies out 40"};
  EXPECT_EQ(commands, expected);
}

TEST(Proxy, AFullQueueMakesWorkersWait) {
  test::Stage stage;
  Options options;
  options.queue_capacity = 2;
  const auto proxy = scripted(stage, options);
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(5, numbers(10));
  std::vector<Future> futures;
  futures.push_back(proxy->submit(triple(values[0], 10)));
  await_in_flight(*proxy, 1);
  for (std::size_t i = 1; i < 3; ++i) futures.push_back(*proxy->try_submit(triple(values[i], 10)));
  EXPECT_FALSE(proxy->try_submit(triple(values[3], 10)).has_value());
  EXPECT_FALSE(proxy->submit_within(triple(values[3], 10), 5ms).has_value());
  std::thread worker([&] { proxy->submit(triple(values[4], 10)).get(); });
  stage.release();
  worker.join();
  for (auto& future : futures) future.get();
  EXPECT_EQ(values[3], numbers(10));
  EXPECT_EQ(values[4], tripled(10));
}

TEST(Proxy, CancelsWhatIsNotSubmitted) {
  test::Stage stage;
  const auto record = std::make_shared<Record>();
  const auto proxy = scripted(stage, {}, std::make_unique<Backwards>(record));
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(3, numbers(10));
  Future running = proxy->submit(triple(values[0], 10));
  await_in_flight(*proxy, 1);
  Future waiting = proxy->submit(triple(values[1], 10, "the second"));
  Future other = proxy->submit(triple(values[2], 10));
  EXPECT_FALSE(running.cancel());
  EXPECT_TRUE(waiting.cancel());
  EXPECT_FALSE(waiting.cancel());
  EXPECT_TRUE(waiting.ready());
  EXPECT_THROW(waiting.get(), Cancelled);
  stage.release();
  running.get();
  other.get();
  EXPECT_EQ(values[1], numbers(10));
  EXPECT_EQ(values[2], tripled(10));
  const Statistics statistics = proxy->statistics();
  EXPECT_EQ(statistics.cancelled, 1U);
  EXPECT_EQ(statistics.finished, 2U);
}

TEST(Proxy, ATaskCancelledWhileItsGroupIsOrderedEndsForThePolicyToo) {
  test::Stage stage;
  const auto record = std::make_shared<Record>();
  auto policy = std::make_unique<Backwards>(record);
  std::atomic<Future*> doomed = nullptr;
  std::atomic<bool> cancelled = false;
  policy->while_asked = [&] {
    Future* const future = doomed.exchange(nullptr);
    if (future == nullptr) return;
    EXPECT_TRUE(future->cancel());
    cancelled = true;
  };
  const auto proxy = scripted(stage, {}, std::move(policy));
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(2, numbers(10));
  Future running = proxy->submit(triple(values[0], 10));
  await_in_flight(*proxy, 1);
  Future waiting = proxy->submit(triple(values[1], 10));
  doomed = &waiting;
  stage.release();
  while (!cancelled) std::this_thread::sleep_for(1ms);
  EXPECT_THROW(waiting.get(), Cancelled);
  running.get();
  std::vector<std::int32_t> more = numbers(10);
  proxy->submit(triple(more, 10)).get();
  // Told at the latest when another task has come.
  const auto lines = record->lines();
  std::vector<std::string> groups;
  for (const std::string& line : lines) {
    if (line.starts_with("group ")) groups.push_back(line.substr(line.find(' ') + 1));
  }
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_NE(record->position("finished " + groups[1]), lines.size()) << "for the policy it is still under way";
}

TEST(Proxy, DrainsBeforeItShutsDown) {
  test::Stage stage;
  const auto proxy = scripted(stage);
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(5, numbers(10));
  std::vector<Future> futures;
  for (auto& v : values) futures.push_back(proxy->submit(triple(v, 10)));
  await_in_flight(*proxy, 1);
  std::thread closer([&] { proxy->shutdown(Shutdown::drain); });
  stage.release();
  closer.join();
  for (auto& future : futures) {
    EXPECT_TRUE(future.ready());
    future.get();
  }
  for (const auto& v : values) EXPECT_EQ(v, tripled(10));
  EXPECT_EQ(error_of([&] { proxy->submit({}); }).kind(), core::ErrorKind::unavailable);
  proxy->shutdown(Shutdown::cancel);
}

TEST(Proxy, ShutDownWithTasksInFlightEndsThemAndWithdrawsTheRest) {
  test::Stage stage;
  Options options;
  options.queue_capacity = 1;
  auto proxy = scripted(stage, options);
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(3, numbers(10));
  Future running = proxy->submit(triple(values[0], 10));
  await_in_flight(*proxy, 1);
  Future waiting = proxy->submit(triple(values[1], 10));
  std::thread blocked(
      [&] { EXPECT_EQ(error_of([&] { proxy->submit(triple(values[2], 10)); }).kind(), core::ErrorKind::unavailable); });
  std::thread closer([&] { proxy->shutdown(Shutdown::cancel); });
  waiting.wait();
  blocked.join();
  stage.release();
  closer.join();
  proxy.reset();
  EXPECT_THROW(waiting.get(), Cancelled);
  running.get();  // outlives the proxy
  EXPECT_EQ(values[0], tripled(10));
}

TEST(Proxy, AWorkerThatDiesHarmsNobody) {
  test::Stage stage;
  const auto proxy = scripted(stage);
  stage.hold();
  Future other;
  std::vector<std::int32_t> values = numbers(100);
  std::thread worker([&] {
    std::vector<std::int32_t> its_own = numbers(100);
    (void)proxy->submit(triple(its_own, 100));
  });
  worker.join();
  other = proxy->submit(triple(values, 100));
  stage.release();
  other.get();
  EXPECT_EQ(values, tripled(100));
  proxy->shutdown(Shutdown::drain);
  EXPECT_EQ(proxy->statistics().finished, 2U);
}

TEST(Proxy, RefusesOptionsOutOfRange) {
  test::Stage stage;
  Options options;
  options.queue_capacity = 0;
  EXPECT_EQ(error_of([&] { scripted(stage, options); }).kind(), core::ErrorKind::bad_input);
  options.queue_capacity = 1;
  options.copy_engines = 3;
  EXPECT_TRUE(holds(error_of([&] { scripted(stage, options); }), "1 or 2 copy engines, not 3"));
}

TEST(Proxy, WaitsForMemoryThatOtherTasksHold) {
  test::Stage stage;
  Options options;
  options.memory_limit = 2 * 4096;
  const auto proxy = scripted(stage, options);
  stage.hold();
  std::vector<std::vector<std::int32_t>> values(6, numbers(1024));
  std::vector<Future> futures;
  for (auto& v : values) futures.push_back(proxy->submit(triple(v, 1024)));
  await_waiting(*proxy, 5);
  stage.release();
  for (auto& future : futures) future.get();
  for (const auto& v : values) EXPECT_EQ(v, tripled(1024));
  EXPECT_LE(proxy->statistics().device_bytes, 2 * 4096U);
  EXPECT_LE(stage.script->count("allocates 4096 device bytes"), 2U);
}

TEST(Proxy, ATaskLargerThanTheMemoryLimitIsRefusedByName) {
  test::Stage stage;
  Options options;
  options.memory_limit = 4096;
  const auto proxy = scripted(stage, options);
  std::vector<std::int32_t> values = numbers(1025);
  Future future = proxy->submit(triple(values, 1025, "the large one"));
  const core::Error error = error_of(future);
  EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  EXPECT_TRUE(holds(error, "task the large one")) << error.what();
  EXPECT_TRUE(holds(error, "needs 4100 bytes")) << error.what();
  EXPECT_TRUE(holds(error, "limit is 4096")) << error.what();
  Future overflow = proxy->submit({.arguments = {scratch(UINT64_MAX), scratch(UINT64_MAX)}});
  EXPECT_EQ(error_of(overflow).kind(), core::ErrorKind::bad_input);
  std::vector<std::int32_t> fits = numbers(1024);
  proxy->submit(triple(fits, 1024)).get();
  EXPECT_EQ(fits, tripled(1024));
}

}  // namespace
}  // namespace forelap::hw::proxy
