// Plans through the executor on a real device: what the commands of the program do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/kernels/library.hpp"
#include "hw/plan_executor.hpp"
#include "tests/hw/support.hpp"
#include "tests/hw_cuda/cuda_test.hpp"

namespace forelap::hw::cuda {
namespace {

using core::Tick;

constexpr int kItems = 100'003;
constexpr int kRepeat = 8;

class CudaPlanTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    executor_ = make_plan_executor({device});
    bindings_.fill = [](core::BufferId id, std::span<std::byte> buffer) {
      kernels::find_builtin("synthetic")->fill(buffer, core::index(id));
    };
  }

  /// What a task leaves in buffer `i` when it has run `runs` times.
  static std::vector<std::byte> expected(std::size_t i, int runs) {
    std::vector<std::byte> buffer(std::size_t{4} * kItems);
    const kernels::BuiltinKernel* kernel = kernels::find_builtin("synthetic");
    kernel->fill(buffer, i);
    const std::vector<core::Argument> arguments = {core::make_id<core::BufferId>(i), kItems, kRepeat, 3};
    for (int r = 0; r < runs; ++r) kernel->reference(buffer, arguments);
    return buffer;
  }

  std::unique_ptr<core::Executor> executor_;
  core::Bindings bindings_;
};

TEST_F(CudaPlanTest, TasksComputeWhatTheReferenceDoes) {
  const core::Plan plan = test::task_plan(8, kItems, kRepeat);
  const auto prepared = executor_->prepare(plan, bindings_);
  for (int run = 1; run <= 3; ++run) {
    const core::Timeline timeline = prepared->run({});
    EXPECT_TRUE(timeline.complete);
    EXPECT_GT(timeline.makespan, 0);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_TRUE(same_bytes(prepared->host_memory(core::make_id<core::BufferId>(i)), expected(i, run)))
          << "buffer " << i << ", run " << run;
    }
  }
}

TEST_F(CudaPlanTest, IntervalsKeepTheOrderOfLanesAndDependencies) {
  const core::Plan plan = test::task_plan(6, kItems, kRepeat);
  core::RunOptions options;
  options.intervals = true;
  const core::Timeline timeline = executor_->run(plan, bindings_, options);
  ASSERT_EQ(timeline.intervals.size(), plan.steps.size());
  constexpr Tick kSlack = 2'000'000;  // 2 us: the device's stamps step by up to one
  std::vector<Tick> lane_end(plan.lanes.size(), 0);
  std::vector<Tick> step_end(plan.steps.size(), 0);
  for (const core::Interval& interval : timeline.intervals) step_end[core::index(interval.step)] = interval.end;
  for (const core::Interval& interval : timeline.intervals) {
    const std::size_t lane = core::index(interval.lane);
    EXPECT_GE(interval.begin, lane_end[lane] - kSlack);
    EXPECT_LE(interval.begin, interval.end);
    EXPECT_LE(interval.end, timeline.makespan + kSlack);
    lane_end[lane] = interval.end;
    for (const core::StepId before : plan.dependencies_of(plan.steps[core::index(interval.step)])) {
      EXPECT_GE(interval.begin, step_end[core::index(before)] - kSlack);
    }
  }
}

TEST_F(CudaPlanTest, PageableMemoryWorksThoughItsCopiesBlock) {
  core::PlanBuilder builder;
  const test::Lanes lanes = test::add_lanes(builder);
  for (int i = 0; i < 3; ++i) {
    test::add_task(builder, lanes, test::add_buffer(builder, std::uint64_t{4} * kItems, core::MemoryKind::pageable),
                   kItems, kRepeat);
  }
  const core::Plan plan = builder.build();
  const auto prepared = executor_->prepare(plan, bindings_);
  EXPECT_GT(prepared->run({}).makespan, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bytes(prepared->host_memory(core::make_id<core::BufferId>(i)), expected(i, 1))) << i;
  }
}

TEST_F(CudaPlanTest, HostWorkRunsBetweenStepsOfTheDevice) {
  core::PlanBuilder builder;
  const test::Lanes lanes = test::add_lanes(builder);
  const core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  const core::BufferId buffer = test::add_buffer(builder, std::uint64_t{4} * kItems);
  const std::vector<core::StepId> first = {test::add_task(builder, lanes, buffer, kItems, kRepeat)};
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("look");
  const std::vector<core::StepId> looked = {builder.add(work, first)};
  test::add_copy(builder, lanes.in, core::Direction::host_to_device, buffer, std::uint64_t{4} * kItems, looked);
  const core::Plan plan = builder.build();
  std::span<const std::byte> memory;
  bool came_back = false;
  bindings_.host_work = [&](const core::Step&) { came_back = same_bytes(memory, expected(0, 1)); };
  const auto prepared = executor_->prepare(plan, bindings_);
  memory = prepared->host_memory(buffer);
  EXPECT_TRUE(prepared->run({}).complete);
  EXPECT_TRUE(came_back);
}

TEST_F(CudaPlanTest, AFaultOfAUsersKernelEndsTheRunAndNothingHangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [&] {
    core::PlanBuilder builder;
    const test::Lanes lanes = test::add_lanes(builder);
    const core::BufferId buffer = test::add_buffer(builder, 4096);
    core::KernelStep step;
    step.lane = lanes.kernel;
    step.device = core::DeviceId{0};
    step.call.kernel = builder.kernel("mine");
    step.call.global_size = {1, 1, 1};
    const std::vector<core::Argument> arguments = {buffer};
    const std::vector<core::StepId> after = {builder.add(step, arguments)};
    test::add_copy(builder, lanes.out, core::Direction::device_to_host, buffer, 4096, after);
    const core::Plan plan = builder.build();
    bindings_.kernels["mine"] = {kWildKernel, "f", "user.cu", ""};
    try {
      executor_->run(plan, bindings_, {});
    } catch (const core::Error& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(error.kind() == core::ErrorKind::device_failed ? 4 : 1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(fault(), testing::ExitedWithCode(4), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace forelap::hw::cuda
