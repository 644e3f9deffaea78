#include "core/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace forelap::core;

struct Fixture {
  PlanBuilder builder;
  LaneId copy = builder.add_lane({LaneKind::copy, DeviceId{0}, RankId{0}, "copy"});
  LaneId kernel = builder.add_lane({LaneKind::kernel, DeviceId{0}, RankId{0}, "kernel"});
  BufferId buffer = builder.add_buffer({.bytes = 100});
};

TEST(Plan, AStepTakes56Bytes) {
  EXPECT_EQ(sizeof(Step), 56U);
}

TEST(Plan, KeepsWhatItsAuthorWrites) {
  Fixture f;
  const StepId in = f.builder.add(CopyStep{.lane = f.copy, .buffer = f.buffer, .bytes = 100});
  KernelStep k{.lane = f.kernel, .work = 500, .items = 25};
  k.call.kernel = f.builder.kernel("synthetic");
  EXPECT_EQ(f.builder.kernel("synthetic"), k.call.kernel);
  const std::array<Argument, 2> arguments = {Argument{f.buffer}, Argument{std::int32_t{7}}};
  const StepId run = f.builder.add(k, arguments, std::array{in});
  f.builder.add(CopyStep{.lane = f.copy, .direction = Direction::device_to_host, .buffer = f.buffer, .bytes = 40},
                std::array{run});
  const Plan plan = f.builder.build();
  check_plan(plan);
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_EQ(plan.steps[0].amount, 100);
  EXPECT_EQ(plan.dependencies_of(plan.steps[1])[0], in);
  EXPECT_EQ(std::get<std::int32_t>(plan.arguments_of(plan.call_of(plan.steps[1]))[1]), 7);
  EXPECT_EQ(plan.buffers[0].first_use, StepId{0});
  EXPECT_EQ(plan.buffers[0].last_use, StepId{2});
  EXPECT_EQ(plan.device_count, 1U);
}

TEST(Plan, RefusesWhatIsNoPlan) {
  Fixture f;
  EXPECT_THROW(f.builder.add(CopyStep{.lane = LaneId{9}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.device = DeviceId{3}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{}, std::array{StepId{0}}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.count = 0}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.duration = -5}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(ReceiveStep{}, {}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(CopyStep{.buffer = BufferId{0}, .bytes = 101}), std::invalid_argument);
  EXPECT_THROW(Fixture{}.builder.add(KernelStep{.work = std::nan("")}, {}), std::invalid_argument);
}

TEST(Plan, AFragmentMayDependOnEarlierStepsOfItsSession) {
  PlanBuilder builder(10);
  builder.add_lane({LaneKind::kernel, DeviceId{0}, RankId{0}, "kernel"});
  KernelStep k;
  k.call.kernel = builder.kernel("a");
  EXPECT_EQ(builder.add(k, {}, std::array{StepId{9}}), StepId{10});
  EXPECT_THROW(builder.add(k, {}, std::array{StepId{11}}), std::invalid_argument);
}

}  // namespace
