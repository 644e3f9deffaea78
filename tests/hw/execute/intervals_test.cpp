#include "hw/execute/intervals.hpp"

#include <gtest/gtest.h>

#include "tests/hw/support.hpp"

namespace forelap::hw::execute {
namespace {

core::Plan one_lane_plan() {
  core::PlanBuilder builder;
  test::add_lanes(builder);
  return builder.build();
}

std::optional<core::Error> check(LaneStamps& stamps) {
  const core::Plan plan = one_lane_plan();
  const LaneProgram lane;
  return test::error_of([&] { check_stamps(plan, lane, stamps); });
}

TEST(Intervals, StampsThatRunForwardAreLeftAlone) {
  LaneStamps stamps = {{5, 10}, {10, 10}, {20, 40}};
  EXPECT_FALSE(check(stamps));
  EXPECT_EQ(stamps[2].begin, 20);
  EXPECT_EQ(stamps[2].end, 40);
}

TEST(Intervals, AnOverlapWithinTheResolutionOfATimerIsClamped) {
  LaneStamps stamps = {{-100, 10'000'000}, {9'000'000, 9'500'000}};
  EXPECT_FALSE(check(stamps));
  EXPECT_EQ(stamps[0].begin, 0);
  EXPECT_EQ(stamps[1].begin, 10'000'000);
  EXPECT_EQ(stamps[1].end, 10'000'000);
}

TEST(Intervals, AnEndBeforeItsBeginIsAnError) {
  LaneStamps stamps = {{50'000'000, 10'000'000}};
  const auto error = check(stamps);
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("run backwards on lane dev0 htod"), std::string::npos) << error->what();
}

TEST(Intervals, ABeginBeforeTheReleaseIsAnError) {
  LaneStamps stamps = {{-50'000'000, 10'000'000}};
  EXPECT_TRUE(check(stamps));
}

TEST(Intervals, AnEmptyStepEndsWithItsLatestDependency) {
  core::PlanBuilder builder;
  const test::Lanes lanes = test::add_lanes(builder);
  const core::BufferId buffer = test::add_buffer(builder, 64);
  const core::StepId in[] = {test::add_copy(builder, lanes.in, core::Direction::host_to_device, buffer, 64, {}, 0, 2)};
  test::add_synthetic(builder, lanes.kernel, buffer, 0, 1, in);
  const core::Plan plan = builder.build();
  Program program;
  program.lanes.resize(2);
  program.lanes[0] = {lanes.in, 0, nullptr, {LaneStep{}}};
  program.lanes[1] = {lanes.kernel, 0, nullptr, {LaneStep{}}};
  program.lanes[1].steps[0].step = 1;
  class NoQueue : public Queue {
   public:
    void wait_for(const EventPtr&) override {}
    void copy(core::Direction, HostMemory&, DeviceMemory&, std::uint64_t, std::uint64_t) override {}
    void launch(Kernel&, std::span<const ResolvedArgument>, const core::KernelCall&) override {}
    EventPtr record() override { return nullptr; }
    void set_stamping(bool) override {}
    std::vector<Stamp> take_stamps() override { return {}; }
    void flush() override {}
  };
  program.lanes[0].queue = program.lanes[1].queue = std::make_shared<NoQueue>();
  program.lanes[0].steps[0].commands = 2;
  const std::vector<LaneOutcome> outcomes = {{1, {}}, {1, {}}};
  const auto intervals = make_intervals(plan, program, outcomes, {{{5, 10}, {12, 30}}, {}});
  ASSERT_EQ(intervals.size(), 2U);
  EXPECT_EQ(intervals[0].begin, 5);
  EXPECT_EQ(intervals[0].end, 30);
  EXPECT_EQ(intervals[1].begin, 30);
  EXPECT_EQ(intervals[1].end, 30);
  EXPECT_EQ(intervals[1].lane, lanes.kernel);
}

}  // namespace
}  // namespace forelap::hw::execute
