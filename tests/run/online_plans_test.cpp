#include "run/online_plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "run/rows.hpp"
#include "scenarios/lower.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

using Positions = std::vector<std::uint32_t>;

struct Fixture {
  explicit Fixture(std::uint32_t engines = 2) {
    auto& group = std::get<scenarios::TaskGroup>(scenario.body);
    group.engines = engines;
    tuning = make_rows(scenario, testing::modelled_machine(0)).cases[0].tuning;
  }
  scenarios::Scenario scenario = testing::bk50();
  scenarios::TaskGroupTuning tuning;
};

TEST(OnlinePlans, AGroupIsThePlanOfTheSameTasksInThatOrder) {
  for (const std::uint32_t engines : {1U, 2U}) {
    Fixture f(engines);
    const Positions order = {2, 0, 3, 1};
    OnlinePlans plans(f.scenario, f.tuning, order);
    const auto group = plans.group(order);
    core::check_plan(group.plan);
    auto tuning = f.tuning;
    tuning.order = order;
    const auto plan = scenarios::lower(f.scenario, tuning);
    ASSERT_EQ(group.plan.steps.size(), plan.steps.size());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      EXPECT_EQ(group.plan.steps[i].kind, plan.steps[i].kind);
      EXPECT_EQ(group.plan.steps[i].lane, plan.steps[i].lane);
      EXPECT_EQ(group.plan.steps[i].amount, plan.steps[i].amount);
      EXPECT_TRUE(
          std::ranges::equal(group.plan.dependencies_of(group.plan.steps[i]), plan.dependencies_of(plan.steps[i])));
    }
  }
}

TEST(OnlinePlans, StepsKnowTheirTaskAndWhatTheyEnd) {
  for (const std::uint32_t engines : {1U, 2U}) {
    Fixture f(engines);
    const Positions order = {1, 1, 3};
    OnlinePlans plans(f.scenario, f.tuning, order);
    const auto group = plans.group(order);
    std::vector<int> htods(3);
    std::vector<int> ends(3);
    for (std::size_t i = 0; i < group.steps.size(); ++i) {
      const auto& step = group.plan.steps[i];
      const bool copy = step.kind == core::StepKind::copy;
      const bool in = copy && step.direction == core::Direction::host_to_device;
      EXPECT_EQ(group.steps[i].last_htod, in);
      EXPECT_EQ(group.steps[i].last, copy && !in);
      htods[group.steps[i].place] += group.steps[i].last_htod ? 1 : 0;
      ends[group.steps[i].place] += group.steps[i].last ? 1 : 0;
      if (copy) {
        EXPECT_EQ(plans.position_of(step.buffer), order[group.steps[i].place]);
      }
    }
    EXPECT_EQ(htods, (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(ends, (std::vector<int>{1, 1, 1}));
  }
}

TEST(OnlinePlans, FragmentsAreNumberedThroughTheSession) {
  Fixture f;
  const Positions order = {0, 1};
  OnlinePlans plans(f.scenario, f.tuning, Positions{0, 1, 0, 1});
  EXPECT_EQ(plans.group(order).plan.first_id, 0U);
  const auto timer = plans.timer(1000);
  EXPECT_EQ(timer.first_id, 6U);
  ASSERT_EQ(timer.steps.size(), 1U);
  EXPECT_EQ(timer.steps[0].duration, 1000);
  const auto second = plans.group(order);
  EXPECT_EQ(second.plan.first_id, 7U);
  core::check_plan(second.plan);
  EXPECT_EQ(second.plan.lanes.size(), plans.frame().lanes.size());
  EXPECT_EQ(plans.submitted_steps(), 13U);
}

TEST(OnlinePlans, CopiesHaveBuffersOfTheirOwn) {
  Fixture f;
  const Positions order = {0, 0, 0, 1};
  OnlinePlans plans(f.scenario, f.tuning, order);
  const auto group = plans.group(order);
  std::set<core::BufferId> buffers;
  for (const auto& step : group.plan.steps) {
    if (step.kind == core::StepKind::copy) buffers.insert(step.buffer);
  }
  EXPECT_EQ(buffers.size(), 4U);
  for (const auto& call : group.plan.calls) {
    EXPECT_TRUE(buffers.count(std::get<core::BufferId>(group.plan.arguments_of(call)[0])));
  }
}

TEST(OnlinePlans, ATaskWithoutABufferLeftWaitsForTheOneThatHadIt) {
  Fixture f;
  OnlinePlans plans(f.scenario, f.tuning, Positions{0, 1});  // one buffer each
  const Positions order = {0, 1};
  const auto first = plans.group(order);
  const auto second = plans.group(order);
  const auto& step = second.plan.steps[0];
  ASSERT_EQ(second.plan.dependencies_of(step).size(), 1U);
  EXPECT_EQ(index(second.plan.dependencies_of(step)[0]), 2U);  // the transfer back of the first group's first task
  EXPECT_EQ(first.plan.steps[2].buffer, step.buffer);
  core::check_plan(second.plan);
}

TEST(OnlinePlans, ByTypeATaskNeverWaitsForOneOfItsGroup) {
  Fixture f(1);
  OnlinePlans plans(f.scenario, f.tuning, Positions{0});
  const auto group = plans.group(Positions{0, 0});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(group.plan.dependencies_of(group.plan.steps[i]).empty());
  core::check_plan(group.plan);
}

TEST(OnlinePlans, BuffersStayWithinTheMemoryForThem) {
  Fixture f;
  for (auto& task : f.tuning.tasks) task.buffer_bytes = std::uint64_t{200} << 20U;
  OnlinePlans plans(f.scenario, f.tuning, Positions(64, 0));
  std::uint64_t bytes = 0;
  for (const auto& buffer : plans.frame().buffers) bytes += buffer.bytes;
  EXPECT_LE(bytes, OnlinePlans::kMostMemory);
  EXPECT_GT(plans.frame().buffers.size(), 5U);
}

TEST(OnlinePlans, TheTimerSlowsNothing) {
  Fixture f;
  OnlinePlans plans(f.scenario, f.tuning, Positions{0});
  const auto& frame = plans.frame();
  EXPECT_EQ(frame.lanes.back().kind, core::LaneKind::host);
  EXPECT_NE(frame.lanes.back().rank, frame.lanes.front().rank);
}

}  // namespace
}  // namespace forelap::run
