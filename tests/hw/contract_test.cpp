// What every executor of real devices must do, against each that is here.

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "hw/kernels/library.hpp"
#include "hw/plan_executor.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

using core::BufferId;
using core::Direction;

class Contract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = try_open(GetParam(), reason);
    if (device_) return;
    ASSERT_FALSE(is_required(GetParam())) << reason;
    GTEST_SKIP() << reason;
  }
  [[nodiscard]] std::unique_ptr<core::Executor> executor() const { return make_plan_executor({device_}); }

  std::shared_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Each, Contract, testing::Values("cpu", "cpu:0", "opencl:0", "cuda:0"), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name) c = c == ':' ? '_' : c;
  return name;
});

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST_P(Contract, CopiesMoveThePartOfTheBufferThatTheyName) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 4000);
  core::CopyStep in{.lane = lanes.in, .buffer = buffer, .bytes = 1000, .offset = 2000};
  const std::array sent = {builder.add(in)};
  const std::array twice = {add_synthetic(builder, lanes.kernel, buffer, 1000, 1, sent)};
  core::CopyStep out{.lane = lanes.out, .buffer = buffer, .bytes = 400, .offset = 2400};
  out.direction = Direction::device_to_host;
  builder.add(out, twice);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  const auto input = copy_of(prepared->host_memory(buffer));
  auto expected = input;
  kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[0]));
  std::copy(input.begin(), input.begin() + 2400, expected.begin());
  std::copy(input.begin() + 2800, input.end(), expected.begin() + 2800);
  prepared->run({});
  EXPECT_EQ(copy_of(prepared->host_memory(buffer)), expected);
  // Once more: [2000, 3000) is sent again, and only there does the device begin anew.
  auto second = expected;
  kernels::find_builtin("synthetic")->reference(second, plan.arguments_of(plan.calls[0]));
  std::copy(expected.begin(), expected.begin() + 2400, second.begin());
  std::copy(expected.begin() + 2800, expected.end(), second.begin() + 2800);
  prepared->run({});
  EXPECT_EQ(copy_of(prepared->host_memory(buffer)), second);
}

TEST_P(Contract, AKernelBeforeAnyCopyReadsTheFilledData) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 4000);
  const std::array kernel = {add_synthetic(builder, lanes.kernel, buffer, 1000, 2)};
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 4000, kernel);
  const core::Plan plan = builder.build();
  core::Bindings bindings;
  bindings.fill = [](BufferId, std::span<std::byte> bytes) { std::fill(bytes.begin(), bytes.end(), std::byte{1}); };
  const auto prepared = executor()->prepare(plan, bindings);
  prepared->run({});
  std::int32_t value = 0;
  std::memcpy(&value, prepared->host_memory(buffer).data() + 3996, 4);
  EXPECT_EQ(value, 0x01010101 * 9);
}

void expect_in_order(const core::Plan& plan, const core::Timeline& timeline) {
  ASSERT_EQ(timeline.intervals.size(), plan.steps.size());
  std::vector<core::Tick> lane_end(plan.lanes.size(), 0);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const core::Interval& interval = timeline.intervals[i];
    EXPECT_EQ(core::index(interval.step), i);
    EXPECT_EQ(interval.lane, plan.steps[i].lane);
    EXPECT_LE(interval.begin, interval.end);
    EXPECT_GE(interval.begin, lane_end[core::index(interval.lane)]) << "step " << i << " before its lane's last";
    lane_end[core::index(interval.lane)] = interval.end;
    for (const core::StepId dependency : plan.dependencies_of(plan.steps[i])) {
      // Timers of different queues agree to a microsecond.
      EXPECT_GE(interval.begin + 1'000'000, timeline.intervals[core::index(dependency)].end) << "step " << i;
    }
  }
}

TEST_P(Contract, IntervalsKeepTheOrderOfLanesAndDependencies) {
  const core::Plan plan = task_plan(4, 50'000, 3);
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  core::RunOptions options;
  for (int repeat = 0; repeat < 3; ++repeat) {
    options.intervals = repeat != 1;
    const auto timeline = prepared->run(options);
    EXPECT_GT(timeline.makespan, 0);
    if (options.intervals) {
      expect_in_order(plan, timeline);
    } else {
      EXPECT_TRUE(timeline.intervals.empty());
    }
  }
  // Three runs: factor 3, three times a launch, over data that went in and out each time.
  std::vector<std::byte> expected(200'000);
  const kernels::BuiltinKernel& kernel = *kernels::find_builtin("synthetic");
  kernel.fill(expected, 2);
  for (int repeat = 0; repeat < 3; ++repeat) kernel.reference(expected, plan.arguments_of(plan.calls[2]));
  EXPECT_EQ(copy_of(prepared->host_memory(core::make_id<BufferId>(2))), expected);
}

TEST_P(Contract, ThreeThousandStepsOnALane) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 64);
  core::StepId last = add_copy(builder, lanes.in, Direction::host_to_device, buffer, 64);
  for (int i = 0; i < 3000; ++i) {
    const std::array after = {last};
    const core::StepId kernel = add_synthetic(builder, lanes.kernel, buffer, 16, 1, after);
    if (i % 10 == 0) {
      // Copies of the first half, so that the other lane has much to do beside.
      add_copy(builder, lanes.in, Direction::host_to_device, add_buffer(builder, 32), 32);
    }
    last = kernel;
  }
  const std::array after = {last};
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 64, after);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  auto expected = copy_of(prepared->host_memory(buffer));
  for (int i = 0; i < 3000; ++i) {
    kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[0]));
  }
  EXPECT_TRUE(prepared->run({}).complete);
  EXPECT_EQ(copy_of(prepared->host_memory(buffer)), expected);
}

TEST_P(Contract, LanesThatWaitForEachOtherManyTimes) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 256);
  std::vector<core::StepId> after;
  for (int i = 0; i < 300; ++i) {
    after = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 256, after)};
    after = {add_synthetic(builder, lanes.kernel, buffer, 64, 1, after)};
    after = {add_copy(builder, lanes.out, Direction::device_to_host, buffer, 256, after)};
  }
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  auto expected = copy_of(prepared->host_memory(buffer));
  for (int i = 0; i < 300; ++i) {
    kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[0]));
  }
  core::RunOptions options;
  options.intervals = true;
  expect_in_order(plan, prepared->run(options));
  EXPECT_EQ(copy_of(prepared->host_memory(buffer)), expected);
}

TEST_P(Contract, RepeatedStepsAndEmptyOnes) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 4000);
  const BufferId nothing = add_buffer(builder, 0);
  const std::array in = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 4000, {}, 0, 3)};
  const std::array empty = {add_copy(builder, lanes.in, Direction::host_to_device, nothing, 0, in)};
  const std::array kernel = {add_synthetic(builder, lanes.kernel, buffer, 1000, 1, empty, 0, 4)};
  const std::array none = {add_synthetic(builder, lanes.kernel, nothing, 0, 1, kernel)};
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 4000, none);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  auto expected = copy_of(prepared->host_memory(buffer));
  for (int i = 0; i < 4; ++i) {
    kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[0]));
  }
  core::RunOptions options;
  options.intervals = true;
  expect_in_order(plan, prepared->run(options));
  EXPECT_EQ(copy_of(prepared->host_memory(buffer)), expected);
  EXPECT_TRUE(prepared->host_memory(nothing).empty());
}

TEST_P(Contract, HostWorkStandsBetweenCopiesAndKernels) {
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const core::LaneId host = builder.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), {}, "host"});
  const BufferId buffer = add_buffer(builder, 4000);
  core::HostWorkStep work;
  work.lane = host;
  work.work = builder.host_work("look");
  const core::StepId task = add_task(builder, lanes, buffer, 1000, 1);
  const std::array first = {task};
  const std::array looked = {builder.add(work, first)};
  const std::array again = {add_copy(builder, lanes.in, Direction::host_to_device, buffer, 4000, looked)};
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 4000, again);
  const core::Plan plan = builder.build();
  core::Bindings bindings;
  std::vector<std::byte> seen;
  std::span<const std::byte> memory;
  bindings.host_work = [&](const core::Step&) { seen = copy_of(memory); };
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  memory = prepared->host_memory(buffer);
  auto expected = copy_of(memory);
  kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[0]));
  core::RunOptions options;
  options.intervals = true;
  const auto timeline = prepared->run(options);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(timeline.intervals.size(), plan.steps.size());
}

TEST_P(Contract, TwoDevicesRunAPlanTogether) {
  std::string reason;
  const std::string first_spec = GetParam();
  // Groups of cores have cores of their own: beside core 0, core 1.
  if (first_spec == "cpu") GTEST_SKIP() << "a second group would share its cores";
  const auto second = try_open(first_spec == "cuda:0" ? "cuda:0" : first_spec == "cpu:0" ? "cpu:1" : "cpu", reason);
  if (!second) GTEST_SKIP() << reason;
  const auto runs = make_plan_executor({device_, second});
  core::PlanBuilder builder;
  const Lanes a = add_lanes(builder, 0);
  const Lanes b = add_lanes(builder, 1);
  const BufferId first = add_buffer(builder, 4000);
  const BufferId other = add_buffer(builder, 4000, core::MemoryKind::pinned, 1);
  const std::array done = {add_task(builder, a, first, 1000, 2)};
  const std::array in = {add_copy(builder, b.in, Direction::host_to_device, other, 4000, done, 1)};
  const std::array kernel = {add_synthetic(builder, b.kernel, other, 1000, 1, in, 1)};
  add_copy(builder, b.out, Direction::device_to_host, other, 4000, kernel, 1);
  const core::Plan plan = builder.build();
  const core::Bindings bindings;
  const auto prepared = runs->prepare(plan, bindings);
  auto expected = copy_of(prepared->host_memory(other));
  kernels::find_builtin("synthetic")->reference(expected, plan.arguments_of(plan.calls[1]));
  core::RunOptions options;
  options.intervals = true;
  const auto timeline = prepared->run(options);
  EXPECT_EQ(timeline.intervals.size(), plan.steps.size());
  EXPECT_EQ(timeline.clocks.size(), 2U);
  EXPECT_EQ(copy_of(prepared->host_memory(other)), expected);
}

TEST_P(Contract, AStopTokenEndsARunEarly) {
  const core::Plan plan = task_plan(50, 100, 1);
  const core::Bindings bindings;
  core::StopSource source;
  core::RunOptions options;
  options.stop = source.token();
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  EXPECT_TRUE(prepared->run(options).complete);
  source.request_stop();
  EXPECT_FALSE(prepared->run(options).complete);
  EXPECT_TRUE(prepared->run({}).complete);
}

TEST_P(Contract, AUsersKernelRunsWithValuesOfEveryTypeOverTwoDimensions) {
  const std::string backend = device_->info().identity.backend;
  if (backend == "cpu") GTEST_SKIP() << "the pool of CPU threads runs built-in kernels only";
  const bool cuda = backend == "cuda";
  core::KernelSource source;
  source.text = std::string(cuda ? "extern \"C\" __global__ void mine(float* out, "
                                 : "__kernel void mine(__global float* out, ") +
                "int width, long" + (cuda ? " long" : "") + " height, float a, double b) {\n" +
                (cuda ? "size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                      : "size_t x = get_global_id(0), y = get_global_id(1);\n") +
                "if (x < width && y < height) out[y * width + x] = a * x + (float)b * y + SHIFT;\n}\n";
  source.entry = "mine";
  source.origin = "mine";
  source.options = "-DSHIFT=100";
  core::PlanBuilder builder;
  const Lanes lanes = add_lanes(builder);
  const BufferId buffer = add_buffer(builder, 4 * 13 * 5);
  core::KernelStep step;
  step.lane = lanes.kernel;
  step.call.kernel = builder.kernel("users");
  step.call.global_size = {13, 5, 1};
  step.call.group_size = {8, 2, 1};
  const std::array<core::Argument, 5> arguments = {buffer, std::int32_t{13}, std::int64_t{5}, 2.0F, 10.0};
  const std::array done = {builder.add(step, arguments)};
  add_copy(builder, lanes.out, Direction::device_to_host, buffer, 4 * 13 * 5, done);
  const core::Plan plan = builder.build();
  core::Bindings bindings;
  bindings.kernels["users"] = source;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  prepared->run({});
  std::array<float, 65> result{};
  std::memcpy(result.data(), prepared->host_memory(buffer).data(), sizeof(result));
  for (std::size_t i = 0; i < 65; ++i) {
    EXPECT_EQ(result[i], 2.0F * static_cast<float>(i % 13) + 10.0F * static_cast<float>(i / 13) + 100.0F) << i;
  }
}

TEST_P(Contract, AnUnknownKernelIsBadInputThatNamesTheStepAndTheKernelsThereAre) {
  const core::Plan plan = kernel_plan("missing", 64, 16, {1}, core::MemoryKind::pinned);
  const core::Bindings bindings;
  const auto runs = executor();
  const auto error = error_of([&] { runs->prepare(plan, bindings); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  const std::string words = error->what();
  EXPECT_NE(words.find("step 1 (kernel missing"), std::string::npos) << words;
  EXPECT_NE(words.find("matrix_multiply"), std::string::npos) << words;
}

TEST_P(Contract, AKernelWithTheWrongArgumentsIsBadInputThatNamesTheStep) {
  const core::Plan plan = kernel_plan("synthetic", 64, 16, {1}, core::MemoryKind::pinned);
  const core::Bindings bindings;
  const auto runs = executor();
  const auto error = error_of([&] { runs->run(plan, bindings, {}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input) << error->what();
  EXPECT_NE(std::string(error->what()).find("step 1 (kernel synthetic"), std::string::npos) << error->what();
}

}  // namespace
}  // namespace forelap::hw::test
