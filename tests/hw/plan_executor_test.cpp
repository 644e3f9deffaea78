#include "hw/plan_executor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>

#include "tests/hw/fake_backend.hpp"
#include "tests/hw/partition_support.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

using core::Direction;

struct Fake {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::unique_ptr<core::Executor> executor = make_plan_executor({std::make_shared<FakeDevice>(script)});
};

// Queues of task_plan are made in the order of the first step of each lane: q0 in, q1 kernel, q2 out.

TEST(PlanExecutor, OpensTheGateAfterEverythingIsSubmittedAndThenFinishes) {
  Fake fake;
  const core::Plan plan = task_plan(3, 16, 1);
  const core::Bindings bindings;
  const auto prepared = fake.executor->prepare(plan, bindings);
  const auto timeline = prepared->run({});
  const auto lines = fake.script->lines();
  const std::size_t opens = fake.script->position("gate opens");
  ASSERT_LT(opens, lines.size());
  for (std::size_t i = opens; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].find("copies"), std::string::npos) << lines[i];
    EXPECT_EQ(lines[i].find("launches"), std::string::npos) << lines[i];
  }
  EXPECT_EQ(fake.script->count("gate holds"), 3U);
  EXPECT_GT(fake.script->position("gate finishes"), opens);
  EXPECT_EQ(timeline.makespan, 1000);
  EXPECT_TRUE(timeline.complete);
  EXPECT_TRUE(timeline.intervals.empty());
}

TEST(PlanExecutor, SubmitsInTheOrderOfThePlanWhereTheDeviceKeepsTheOrderOfCalls) {
  const auto script = std::make_shared<Script>();
  const auto device = std::make_shared<FakeDevice>(script);
  device->keep_call_order();
  const auto executor = make_plan_executor({device});
  constexpr int kTasks = 20;
  const core::Plan plan = task_plan(kTasks, 16, 1);
  const core::Bindings bindings;
  const auto prepared = executor->prepare(plan, bindings);
  const std::size_t before = script->lines().size();
  prepared->run({});
  std::string commands;
  const auto lines = script->lines();
  for (std::size_t i = before; i < lines.size(); ++i) {
    if (lines[i].find("copies in") != std::string::npos) commands += 'i';
    if (lines[i].find("launches") != std::string::npos) commands += 'k';
    if (lines[i].find("copies out") != std::string::npos) commands += 'o';
  }
  std::string by_task;
  for (int i = 0; i < kTasks; ++i) by_task += "iko";
  EXPECT_EQ(commands, by_task);
  EXPECT_EQ(script->count("gate expects 60 commands"), 1U);
  EXPECT_LT(script->position("gate expects"), script->position("gate holds"));
}

TEST(PlanExecutor, RecordsAnEventOnlyWhereAnotherLaneWaitsForIt) {
  Fake fake;
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::BufferId buffer = add_buffer(builder, 64);
  const std::array first = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 64)};
  const std::array second = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 32, first)};
  // Waits for both copies of the other lane: the later one covers the earlier.
  const std::array both = {first[0], second[0]};
  add_synthetic(builder, lanes.kernel, buffer, 16, 1, both);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto prepared = fake.executor->prepare(plan, bindings);
  const std::size_t before = fake.script->count("fake q0 records");
  prepared->run({});
  EXPECT_EQ(fake.script->count("fake q0 records") - before, 1U);
  EXPECT_EQ(fake.script->count("fake q1 records"), 0U);
  EXPECT_EQ(fake.script->count("fake q1 waits for"), 1U);
  EXPECT_LT(fake.script->position("fake q0 copies in 32"), fake.script->position("fake q1 waits for fake q0#2"));
  EXPECT_LT(fake.script->position("fake q1 waits for"), fake.script->position("fake q1 launches 16 items with 4"));
}

TEST(PlanExecutor, RepeatsAStepAsOftenAsItsCountSaysAndLeavesEmptyOnesOut) {
  Fake fake;
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::BufferId buffer = add_buffer(builder, 64);
  add_copy(builder, lanes.in, Direction::host_to_device, buffer, 48, {}, 0, 5);
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 0);
  add_synthetic(builder, lanes.kernel, buffer, 0, 1);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  core::RunOptions options;
  options.intervals = true;
  const auto timeline = fake.executor->run(plan, bindings, options);
  EXPECT_EQ(fake.script->count("fake q0 copies in 48"), 5U);
  EXPECT_EQ(fake.script->count("fake q1 copies out"), 0U);
  EXPECT_EQ(fake.script->count("fake q2 launches"), 0U);
  ASSERT_EQ(timeline.intervals.size(), 3U);
  EXPECT_EQ(timeline.intervals[0].begin, 0);
  EXPECT_EQ(timeline.intervals[0].end, 500);
  EXPECT_EQ(timeline.intervals[1].begin, timeline.intervals[1].end);
}

TEST(PlanExecutor, KeepsMemoryQueuesAndKernelsBetweenPlans) {
  Fake fake;
  const core::Plan small = task_plan(2, 16, 1);
  const core::Plan other = task_plan(2, 8, 2);
  const core::Plan large = task_plan(2, 64, 1);
  const core::Bindings bindings;
  const auto first = fake.executor->prepare(small, bindings);
  const auto second = fake.executor->prepare(other, bindings);
  EXPECT_EQ(fake.script->count("allocates"), 4U);
  const auto third = fake.executor->prepare(large, bindings);
  EXPECT_EQ(fake.script->count("allocates"), 8U);
  EXPECT_EQ(fake.script->count("builds synthetic"), 1U);
  EXPECT_EQ(fake.script->count("makes fake q"), 3U);
  first->run({});
  third->run({});
  second->run({});
}

TEST(PlanExecutor, FillsEachBufferOnceAndUploadsItBeforeTheFirstRun) {
  Fake fake;
  const core::Plan plan = task_plan(2, 16, 1);
  core::Bindings bindings;
  std::vector<std::size_t> filled;
  bindings.fill = [&](core::BufferId id, std::span<std::byte> bytes) {
    filled.push_back(core::index(id));
    EXPECT_EQ(bytes.size(), 64U);
    std::fill(bytes.begin(), bytes.end(), std::byte{7});
  };
  const auto prepared = fake.executor->prepare(plan, bindings);
  EXPECT_EQ(filled, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(fake.script->count("fake q0 copies in 64"), 2U);
  EXPECT_EQ(fake.script->count("makes a gate"), 0U);
  prepared->run({});
  prepared->run({});
  EXPECT_EQ(filled.size(), 2U);
  EXPECT_EQ(prepared->host_memory(core::make_id<core::BufferId>(1))[63], std::byte{7});
  EXPECT_TRUE(prepared->host_memory(core::make_id<core::BufferId>(2)).empty());
}

TEST(PlanExecutor, OpensTheGateWhenSubmissionWaitsForTheDevice) {
  Fake fake;
  fake.script->blocking_copies = true;
  const core::Plan plan = task_plan(2, 16, 1);
  const core::Bindings bindings;
  EXPECT_TRUE(fake.executor->run(plan, bindings, {}).complete);
  EXPECT_EQ(fake.script->count("fake q2 copies out"), 2U);
}

TEST(PlanExecutor, RunsHostWorkOnItsLaneAfterWhatItWaitsFor) {
  Fake fake;
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  const core::BufferId buffer = add_buffer(builder, 64);
  const std::array in = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 64)};
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("check");
  work.count = 2;
  const std::array checked = {builder.add(work, in)};
  add_synthetic(builder, lanes.kernel, buffer, 16, 1, checked);
  const core::Plan plan = builder.build();
  core::Bindings bindings;
  bindings.host_work = [&](const core::Step&) { fake.script->note("host work", "host work"); };
  core::RunOptions options;
  options.intervals = true;
  const auto timeline = fake.executor->run(plan, bindings, options);
  EXPECT_EQ(fake.script->count("host work"), 2U);
  EXPECT_LT(fake.script->position("gate opens"), fake.script->position("host work"));
  EXPECT_LT(fake.script->position("event wait fake q0"), fake.script->position("host work"));
  EXPECT_LT(fake.script->position("host work"), fake.script->position("fake q1 launches"));
  ASSERT_EQ(timeline.intervals.size(), 3U);
  EXPECT_GE(timeline.makespan, timeline.intervals[1].end);
}

TEST(PlanExecutor, WaitsOnTheHostBetweenDevicesOfDifferentBackends) {
  const auto script = std::make_shared<Script>();
  const auto executor =
      make_plan_executor({std::make_shared<FakeDevice>(script, "one"), std::make_shared<FakeDevice>(script, "two")});
  core::PlanBuilder builder;
  const Lanes first = add_lanes(builder, 0);
  const Lanes second = add_lanes(builder, 1);
  const core::BufferId a = add_buffer(builder, 64);
  const core::BufferId b = add_buffer(builder, 64, core::MemoryKind::pinned, 1);
  const std::array out = {add_copy(builder, first.out, Direction::device_to_host, a, 64)};
  add_copy(builder, second.in, Direction::host_to_device, b, 32, out, 1);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto timeline = executor->run(plan, bindings, {});
  EXPECT_EQ(script->count("two q0 waits for"), 0U);
  EXPECT_LT(script->position("event wait one q0"), script->position("two q0 copies in 32"));
  EXPECT_EQ(script->count("gate opens"), 2U);
  ASSERT_EQ(timeline.clocks.size(), 2U);
}

TEST(PlanExecutor, KeepsHostMemoryThatIsSharedAndGrowsDeviceMemoryForTheWholeSweep) {
  Fake fake;
  const PartitionCase work = add_case(100, 1);
  const core::Plan half = partition_plan(work, {{.rows = 50}});
  const core::Plan whole = partition_plan(work, {{.rows = 100}});
  const core::Bindings bindings;
  const auto first = fake.executor->prepare(half, bindings);
  EXPECT_EQ(fake.script->count("allocates 400 host bytes"), 3U);
  EXPECT_EQ(fake.script->count("allocates 200 device bytes"), 3U);
  EXPECT_EQ(fake.script->count("fake q0 copies"), 0U) << "parts are not uploaded when they are filled";
  const auto second = fake.executor->prepare(whole, bindings);
  EXPECT_EQ(fake.script->count("allocates 400 device bytes"), 3U);
  const auto third = fake.executor->prepare(half, bindings);
  EXPECT_EQ(first->host_memory(core::BufferId{1}).data(), third->host_memory(core::BufferId{1}).data());
  first->run({});
  second->run({});
  third->run({});
  EXPECT_EQ(fake.script->count("allocates"), 9U);
  EXPECT_EQ(first->host_memory(core::BufferId{3}).size(), 200U) << "a part sees its stretch";
}

TEST(PlanExecutor, GivesBackWhatOneDeviceGotForAPlanThatAnotherRefuses) {
  const auto script = std::make_shared<Script>();
  const auto executor =
      make_plan_executor({std::make_shared<FakeDevice>(script, "one"), std::make_shared<FakeDevice>(script, "two")});
  const PartitionCase work = add_case(100, 1);
  const core::Plan plan = partition_plan(work, {{.rows = 60}, {.rows = 40}});
  const core::Bindings bindings;
  script->fail("allocate", 5);
  script->refuse_after_failure = true;
  const auto error = error_of([&] { executor->prepare(plan, bindings); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::device_failed);
  EXPECT_EQ(script->live_memory, 0) << "of either side of either device";
  script->refuse_after_failure = false;
  EXPECT_TRUE(executor->run(plan, bindings, {}).complete);
}

TEST(PlanExecutor, ReleasesDevicesOnTheHostsCoresLast) {
  struct Cores : FakeDevice {
    explicit Cores(const std::shared_ptr<Script>& script) : FakeDevice(script, "cpu") {
      own = FakeDevice::info();
      own.shares_host_cores = true;
    }
    [[nodiscard]] const DeviceInfo& info() const override { return own; }
    DeviceInfo own;
  };
  const auto script = std::make_shared<Script>();
  const auto other = std::make_shared<Script>();
  const auto executor = make_plan_executor({std::make_shared<Cores>(script), std::make_shared<FakeDevice>(other)});
  const core::Plan plan = partition_plan(add_case(10, 1), {{.rows = 5}, {.rows = 5}});
  const core::Bindings bindings;
  const core::Timeline timeline = executor->run(plan, bindings, {});
  ASSERT_EQ(timeline.clocks.size(), 2U);
  EXPECT_EQ(timeline.clocks[1].offset, 0) << "the timeline begins with the release of the device that is none of cores";
  EXPECT_GE(timeline.clocks[0].offset, 0);
  EXPECT_EQ(script->count("gate is among others"), 1U);
  EXPECT_EQ(other->count("gate is among others"), 1U);
}

TEST(PlanExecutor, AGroupOfCoresMayNotHaveACoreOfAnother) {
  struct Cores : FakeDevice {
    Cores(std::vector<unsigned> cores) : FakeDevice(std::make_shared<Script>(), "cpu") {
      own = FakeDevice::info();
      own.host_cores = std::move(cores);
    }
    [[nodiscard]] const DeviceInfo& info() const override { return own; }
    DeviceInfo own;
  };
  const auto open = [](std::vector<unsigned> a, std::vector<unsigned> b) {
    make_plan_executor({std::make_shared<Cores>(std::move(a)), std::make_shared<Cores>(std::move(b))});
  };
  EXPECT_NO_THROW(open({0, 1}, {2, 3}));
  const auto error = error_of([&] { open({0, 1, 2}, {2, 3}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  EXPECT_NE(std::string(error->what()).find("(cpu:0-2)"), std::string::npos) << error->what();
  EXPECT_NE(std::string(error->what()).find("both have core 2"), std::string::npos) << error->what();
}

TEST(PlanExecutor, ASourceForOneDeviceGoesBeforeTheOneForAll) {
  const auto script = std::make_shared<Script>();
  const auto executor =
      make_plan_executor({std::make_shared<FakeDevice>(script, "one"), std::make_shared<FakeDevice>(script, "two")});
  const core::Plan plan = partition_plan(add_case(10, 1), {{.rows = 5}, {.rows = 5}});
  core::Bindings bindings;
  bindings.kernels["matrix_add"].text = "for all";
  bindings.device_kernels[{core::DeviceId{1}, "matrix_add"}].text = "for the second";
  executor->prepare(plan, bindings);
  EXPECT_EQ(script->count("builds matrix_add from for all"), 1U);
  EXPECT_EQ(script->count("builds matrix_add from for the second"), 1U);
}

TEST(PlanExecutor, ADeviceThatCannotWorkInPlaceSaysSo) {
  Fake fake;
  const core::Plan plan = partition_plan(add_case(10, 1), {{.rows = 10, .in_place = true}});
  const core::Bindings bindings;
  const auto error = error_of([&] { fake.executor->prepare(plan, bindings); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  EXPECT_NE(std::string(error->what()).find("cannot work in host memory"), std::string::npos) << error->what();
}

TEST(PlanExecutor, StopsBetweenStepsWhenItIsAskedToAndSaysSo) {
  Fake fake;
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  const core::BufferId buffer = add_buffer(builder, 64);
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("stop");
  const std::array stop = {builder.add(work)};
  add_copy(builder, lanes.in, Direction::host_to_device, buffer, 32, stop);
  builder.add(work, stop);
  const core::Plan plan = builder.build();
  core::StopSource source;
  core::Bindings bindings;
  int calls = 0;
  bindings.host_work = [&](const core::Step&) {
    ++calls;
    source.request_stop();
  };
  core::RunOptions options;
  options.stop = source.token();
  options.intervals = true;
  const auto timeline = fake.executor->run(plan, bindings, options);
  EXPECT_FALSE(timeline.complete);
  EXPECT_EQ(calls, 1);
  EXPECT_LT(timeline.intervals.size(), 3U);
}

TEST(PlanExecutor, StoppedBeforeItBeginsSubmitsNothing) {
  Fake fake;
  const core::Plan plan = task_plan(4, 16, 1);
  const core::Bindings bindings;
  core::StopSource source;
  source.request_stop();
  core::RunOptions options;
  options.stop = source.token();
  EXPECT_FALSE(fake.executor->run(plan, bindings, options).complete);
  EXPECT_EQ(fake.script->count("fake q1 launches"), 0U);
}

TEST(PlanExecutor, RunsAPlanWithoutSteps) {
  Fake fake;
  const core::Plan plan;
  const core::Bindings bindings;
  const auto timeline = fake.executor->run(plan, bindings, {});
  EXPECT_TRUE(timeline.complete);
  EXPECT_EQ(timeline.makespan, 0);
}

}  // namespace
}  // namespace forelap::hw::test
