#include "sim/fast/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/error.hpp"
#include "tests/sim/random_plan.hpp"

namespace {

using namespace forelap;
using core::InterferenceMode;
using core::LaneId;
using core::StepId;
using core::Tick;

core::Parameter parameter(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

/// One device on which opposite transfers run at half their rates.
std::shared_ptr<core::Machine> half_rate_machine() {
  auto machine = std::make_shared<core::Machine>();
  core::DeviceModel device;
  device.name = "gpu";
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh);
  row.rates[core::ActivityClass::htod] = parameter(0.5);
  row.rates[core::ActivityClass::dtoh] = parameter(0.5);
  device.interference.push_back(row);
  machine->devices.push_back(device);
  return machine;
}

/// Lanes htod and dtoh of one device; numbers steps over all fragments.
class Fragments {
 public:
  core::Plan frame() { return begin().build(); }

  /// A fragment of copies: {lane, duration, dependencies}.
  struct Copy {
    std::uint32_t lane;
    Tick duration;
    std::vector<StepId> after = {};
  };
  core::Plan of(const std::vector<Copy>& copies) {
    core::PlanBuilder builder = begin();
    for (const Copy& copy : copies) {
      core::CopyStep step;
      step.lane = LaneId{copy.lane};
      step.direction = copy.lane == 0 ? core::Direction::host_to_device : core::Direction::device_to_host;
      step.duration = copy.duration;
      builder.add(step, copy.after);
    }
    next_ += static_cast<std::uint32_t>(copies.size());
    return builder.build();
  }

 private:
  core::PlanBuilder begin() const {
    core::PlanBuilder builder(next_);
    for (const char* name : {"htod", "dtoh"}) {
      builder.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, name});
    }
    return builder;
  }
  std::uint32_t next_ = 0;
};

void expect_event(const std::optional<core::StepEvent>& event, std::uint32_t step, Tick begin, Tick end) {
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->step, StepId{step});
  EXPECT_EQ(event->begin, begin);
  EXPECT_EQ(event->end, end);
}

TEST(FastExecutor, RunsAPreparedPlanAnyNumberOfTimes) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::partial);
  EXPECT_EQ(executor->name(), "fast");
  Fragments fragments;
  const core::Plan plan = fragments.of({{0, 100}, {1, 10}});
  const core::Bindings bindings;
  const auto prepared = executor->prepare(plan, bindings);
  EXPECT_EQ(prepared->run({}).makespan, 110);
  EXPECT_EQ(prepared->run({}).makespan, 110);
  EXPECT_TRUE(prepared->host_memory(core::BufferId{0}).empty());
}

TEST(FastExecutor, SaysWhichModelIsMissing) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::partial);
  Fragments fragments;
  const core::Plan plan = fragments.of({{0, core::kModelled}});
  EXPECT_THROW(executor->prepare(plan, {}), core::Error);
}

TEST(FastExecutor, RefusesAPlanThatTakesLongerThanATimelineHolds) {
  // Ten times a million seconds is 1e19 ps, more than a tick holds.
  core::PlanBuilder builder;
  core::CopyStep step;
  step.lane = builder.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "htod"});
  step.duration = core::ticks_from_seconds(core::kLongestSeconds);
  step.count = 10;
  builder.add(step);
  const core::Plan plan = builder.build();
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::partial);
  EXPECT_THROW(executor->run(plan, {}, {}), core::Error);
}

TEST(FastSession, TellsOfEachStepAsItEnds) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::partial);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  EXPECT_EQ(session->now(), 0);
  EXPECT_EQ(session->next_event(), std::nullopt);
  session->submit(fragments.of({{0, 100}, {1, 10}}));
  expect_event(session->next_event(), 1, 0, 20);
  EXPECT_EQ(session->now(), 20);
  expect_event(session->next_event(), 0, 0, 110);
  EXPECT_EQ(session->now(), 110);
  EXPECT_EQ(session->next_event(), std::nullopt);
}

TEST(FastSession, StartsWhatIsSubmittedLaterThenAndSlowsWhatIsUnderWay) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::partial);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  session->submit(fragments.of({{0, 100}, {1, 10}}));
  expect_event(session->next_event(), 1, 0, 20);
  // At 20 the htod has 90 left. With another dtoh of 30 beside it: 60 at half rate, then 60 alone.
  session->submit(fragments.of({{1, 30}}));
  expect_event(session->next_event(), 2, 20, 80);
  expect_event(session->next_event(), 0, 0, 140);
}

TEST(FastSession, FragmentsMayWaitForStepsOfEarlierOnesRunningOrFinished) {
  auto machine = half_rate_machine();
  machine->devices[0].hop = parameter(7e-12);
  const auto executor = sim::fast::make_executor(machine, InterferenceMode::none);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  session->submit(fragments.of({{0, 10}, {0, 50}}));
  expect_event(session->next_event(), 0, 0, 10);
  // The hop of 7 after the finished step is still to come; the running one ends at 60.
  session->submit(fragments.of({{1, 5, {StepId{0}}}, {1, 5, {StepId{1}}}}));
  expect_event(session->next_event(), 2, 17, 22);
  expect_event(session->next_event(), 1, 10, 60);
  expect_event(session->next_event(), 3, 67, 72);
  session->submit(fragments.of({{0, 5, {StepId{2}}}}));
  expect_event(session->next_event(), 4, 72, 77);
}

TEST(FastSession, CountsTurnsOnTheSubmittingThreadFromTheSubmission) {
  auto machine = half_rate_machine();
  machine->devices[0].submit = parameter(10e-12);
  const auto executor = sim::fast::make_executor(machine, InterferenceMode::none);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  session->submit(fragments.of({{0, 1}, {0, 1}, {0, 1}}));
  expect_event(session->next_event(), 0, 0, 1);
  // The thread is busy with the first three until 30.
  session->submit(fragments.of({{0, 1}}));
  expect_event(session->next_event(), 1, 10, 11);
  expect_event(session->next_event(), 2, 20, 21);
  expect_event(session->next_event(), 3, 30, 31);
  EXPECT_EQ(session->now(), 31);
  // It is free from 40 on, but a step handed over at 31 to a lane at rest begins behind what was handed over before.
  session->submit(fragments.of({{0, 100}, {0, 1}}));
  expect_event(session->next_event(), 4, 40, 140);
  expect_event(session->next_event(), 5, 140, 141);
  session->submit(fragments.of({{0, 1}, {0, 1}}));
  expect_event(session->next_event(), 6, 141, 142);
  expect_event(session->next_event(), 7, 151, 152);
}

TEST(FastSession, OrdersEndsOfOneTickByStep) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::none);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  session->submit(fragments.of({{1, 10}, {0, 10}, {0, 0}, {1, 0}, {1, 0, {StepId{2}}}}));
  for (std::uint32_t step = 0; step < 5; ++step) expect_event(session->next_event(), step, step < 2 ? 0 : 10, 10);
  EXPECT_EQ(session->next_event(), std::nullopt);
}

TEST(FastSession, RefusesFragmentsThatDoNotFit) {
  const auto executor = sim::fast::make_executor(half_rate_machine(), InterferenceMode::none);
  Fragments fragments;
  const auto session = executor->open_session(fragments.frame(), {});
  const core::Plan first = fragments.of({{0, 1}});
  session->submit(first);
  EXPECT_THROW(session->submit(first), std::invalid_argument);
  core::PlanBuilder other(1);
  other.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "only"});
  EXPECT_THROW(session->submit(other.build()), std::invalid_argument);
  EXPECT_THROW(session->submit(fragments.of({{0, core::kModelled}})), core::Error);
  // A refused fragment leaves the session as it was.
  expect_event(session->next_event(), 0, 0, 1);
  EXPECT_EQ(session->next_event(), std::nullopt);
}

/// Cuts a plan into fragments of a few steps.
std::vector<core::Plan> pieces(const core::Plan& plan, std::size_t size) {
  std::vector<core::Plan> result;
  for (std::size_t from = 0; from < plan.steps.size(); from += size) {
    core::Plan piece = plan;
    piece.first_id = static_cast<std::uint32_t>(from);
    piece.steps.assign(plan.steps.begin() + static_cast<std::ptrdiff_t>(from),
                       plan.steps.begin() + static_cast<std::ptrdiff_t>(std::min(from + size, plan.steps.size())));
    result.push_back(piece);
  }
  return result;
}

TEST(FastSession, OfAPlanInPiecesIsThePlansTimeline) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const tests::RandomCase c = tests::random_case(seed, 80);
    const auto executor =
        sim::fast::make_executor(std::make_shared<core::Machine>(c.machine), InterferenceMode::partial);
    const core::Timeline whole = executor->run(c.plan, {}, {});
    const auto session = executor->open_session(c.plan, {});
    for (const core::Plan& piece : pieces(c.plan, 1 + seed % 7)) session->submit(piece);
    std::size_t events = 0;
    Tick last = 0;
    while (const auto event = session->next_event()) {
      ASSERT_EQ(event->begin, whole.intervals[index(event->step)].begin) << "seed " << seed;
      ASSERT_EQ(event->end, whole.intervals[index(event->step)].end) << "seed " << seed;
      ASSERT_GE(event->end, last);
      last = event->end;
      ++events;
    }
    EXPECT_EQ(events, c.plan.steps.size());
  }
}

}  // namespace
