#include "sim/simgrid/executor.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "tests/sim_simgrid/require_simgrid.hpp"

namespace forelap::tests {
namespace {

using core::ActivityClass;
using core::Direction;
using models::InterferenceMode;

constexpr double kPicosecond = 1e-12;

core::Parameter parameter(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

/// One device with two copy engines and two kernel lanes, whose steps are given by their durations in ticks.
class SimGridExecutor : public NeedsSimGrid {
 protected:
  void SetUp() override {
    NeedsSimGrid::SetUp();
    machine_.devices.resize(1);
    const core::DeviceId device{0};
    htod_ = builder_.add_lane({core::LaneKind::copy, device, {}, "htod"});
    dtoh_ = builder_.add_lane({core::LaneKind::copy, device, {}, "dtoh"});
    kernel_ = builder_.add_lane({core::LaneKind::kernel, device, {}, "kernel"});
    other_kernel_ = builder_.add_lane({core::LaneKind::kernel, device, {}, "other kernel"});
  }

  core::StepId copy(Direction direction, core::Tick duration, std::vector<core::StepId> after = {}) {
    core::CopyStep step;
    step.lane = direction == Direction::host_to_device ? htod_ : dtoh_;
    step.direction = direction;
    step.duration = duration;
    return builder_.add(step, after);
  }
  core::StepId kernel(core::LaneId lane, core::Tick duration, std::vector<core::StepId> after = {}) {
    core::KernelStep step;
    step.lane = lane;
    step.call.kernel = builder_.kernel("k");
    step.duration = duration;
    return builder_.add(step, {}, after);
  }
  void interfere(double htod_rate, double dtoh_rate) {
    core::InterferenceRow row;
    row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh);
    row.rates[ActivityClass::htod] = parameter(htod_rate);
    row.rates[ActivityClass::dtoh] = parameter(dtoh_rate);
    machine_.devices[0].interference.push_back(row);
  }

  core::Timeline run(InterferenceMode mode = InterferenceMode::partial) {
    core::Plan plan = builder_.build();
    plan.device_count = 1;
    return sim::simgrid::make_executor(std::make_shared<core::Machine>(machine_), mode)->run(plan, {}, {});
  }

  core::Machine machine_;
  core::PlanBuilder builder_;
  core::LaneId htod_{}, dtoh_{}, kernel_{}, other_kernel_{};
};

std::vector<std::pair<core::Tick, core::Tick>> times(const core::Timeline& timeline) {
  std::vector<std::pair<core::Tick, core::Tick>> result;
  for (const core::Interval& i : timeline.intervals) result.emplace_back(i.begin, i.end);
  return result;
}

using Times = std::vector<std::pair<core::Tick, core::Tick>>;

TEST_F(SimGridExecutor, SlowsTwoTransfersWhileAndOnlyWhileTheyOverlap) {
  interfere(0.8, 0.5);
  copy(Direction::host_to_device, 1000);
  const core::StepId delay = kernel(kernel_, 400);
  copy(Direction::device_to_host, 1000, {delay});
  // 400 alone, then 600 left at 0.8: 400 + 750 = 1150. By then the other has done 750 * 0.5 = 375; 625 are left alone.
  EXPECT_EQ(times(run()), (Times{{0, 1150}, {0, 400}, {400, 1775}}));
}

TEST_F(SimGridExecutor, SlowsNothingInTheModeWithoutInterference) {
  interfere(0.8, 0.5);
  copy(Direction::host_to_device, 1000);
  copy(Direction::device_to_host, 1000);
  EXPECT_EQ(times(run(InterferenceMode::none)), (Times{{0, 1000}, {0, 1000}}));
}

TEST_F(SimGridExecutor, GivesALaterKernelWhatTheEarlierOneLeaves) {
  core::KernelModel model;
  model.kernel = "k";
  model.fill = parameter(0.6);
  machine_.devices[0].kernels.push_back(model);
  kernel(other_kernel_, 1000);
  kernel(kernel_, 500);
  // 0.4 of the 0.6 that the second asks for: two thirds of its rate.
  EXPECT_EQ(times(run()), (Times{{0, 1000}, {0, 750}}));
}

TEST_F(SimGridExecutor, LetsAKernelStandStillUntilOneThatFillsTheDeviceHasEnded) {
  kernel(other_kernel_, 1000);
  kernel(kernel_, 500);
  copy(Direction::host_to_device, 100);
  kernel(kernel_, 10);
  EXPECT_EQ(times(run()), (Times{{0, 1000}, {0, 1500}, {0, 100}, {1500, 1510}}));
}

TEST_F(SimGridExecutor, NeitherSlowsAFixedPartNorIsSlowedByIt) {
  interfere(0.5, 0.5);
  core::TransferModel model;
  model.pieces.push_back({0, 1e12, parameter(100 * kPicosecond), parameter(1 * kPicosecond)});
  machine_.devices[0].transfers.push_back(model);
  core::CopyStep step;
  step.lane = htod_;
  step.bytes = 1000;
  builder_.add(step);
  copy(Direction::device_to_host, 300);
  // The copy from the device runs alone for 100, then 200 left at 0.5 end at 500; the other has then done 200 of 1000.
  EXPECT_EQ(times(run()), (Times{{0, 1300}, {0, 500}}));
}

TEST_F(SimGridExecutor, WaitsForHopsAndForTheSubmittingThread) {
  machine_.devices[0].hop = parameter(30 * kPicosecond);
  machine_.devices[0].submit = parameter(70 * kPicosecond);
  machine_.devices[0].run_overhead = parameter(1000 * kPicosecond);
  const core::StepId first = copy(Direction::host_to_device, 10);
  const core::StepId second = copy(Direction::host_to_device, 100, {first});
  kernel(kernel_, 5, {first, second});
  // The second copy has its turn at 70 and no hop, as it waits on its own lane; the kernel hops from 170.
  const core::Timeline timeline = run();
  EXPECT_EQ(times(timeline), (Times{{0, 10}, {70, 170}, {200, 205}}));
  EXPECT_EQ(timeline.makespan, 1205);
  EXPECT_TRUE(timeline.complete);
}

TEST_F(SimGridExecutor, PassesThroughStepsWithoutLength) {
  const core::StepId first = copy(Direction::host_to_device, 0);
  const core::StepId second = kernel(kernel_, 0, {first});
  copy(Direction::device_to_host, 0, {second, first, first});
  EXPECT_EQ(times(run()), (Times{{0, 0}, {0, 0}, {0, 0}}));
}

TEST_F(SimGridExecutor, GivesAnEmptyTimelineOfAnEmptyPlan) {
  const core::Timeline timeline = run();
  EXPECT_TRUE(timeline.intervals.empty());
  EXPECT_EQ(timeline.makespan, 0);
}

TEST_F(SimGridExecutor, KeepsTicksApartInPlansOfManySeconds) {
  constexpr core::Tick kHundredSeconds = 100'000'000'000'000;
  interfere(0.5, 0.5);
  copy(Direction::host_to_device, kHundredSeconds);
  copy(Direction::device_to_host, 1);
  EXPECT_EQ(times(run()), (Times{{0, kHundredSeconds + 1}, {0, 2}}));
}

TEST_F(SimGridExecutor, AnswersPlansFarLargerThanTheBuffersBetweenTheProcesses) {
  constexpr int kRounds = 10000;
  core::StepId last = copy(Direction::host_to_device, 0);
  for (int i = 0; i < kRounds; ++i) last = kernel(kernel_, 1, {copy(Direction::host_to_device, 1, {last})});
  const core::Timeline timeline = run();
  EXPECT_EQ(timeline.intervals.size(), 2U * kRounds + 1);
  EXPECT_EQ(timeline.makespan, 2 * kRounds);
}

TEST_F(SimGridExecutor, GivesTheSameTimelineAgain) {
  interfere(0.7, 0.6);
  copy(Direction::host_to_device, 1'000'003);
  copy(Direction::device_to_host, 700'001);
  core::Plan plan = builder_.build();
  plan.device_count = 1;
  const auto executor =
      sim::simgrid::make_executor(std::make_shared<core::Machine>(machine_), InterferenceMode::partial);
  const auto prepared = executor->prepare(plan, {});
  const auto first = times(prepared->run({}));
  EXPECT_EQ(times(prepared->run({})), first);
  EXPECT_EQ(times(executor->run(plan, {}, {})), first);
}

TEST_F(SimGridExecutor, SaysWhatItDoesNotOffer) {
  const auto machine = std::make_shared<core::Machine>(machine_);
  const core::Plan plan = builder_.build();
  const auto full = sim::simgrid::make_executor(machine, InterferenceMode::full);
  EXPECT_THROW(full->prepare(plan, {}), core::Error);
  EXPECT_THROW(full->open_session(plan, {}), core::Error);
}

TEST_F(SimGridExecutor, RefusesAPlanTooLongForATimeline) {
  for (int i = 0; i < 10; ++i) {
    core::CopyStep step;
    step.lane = htod_;
    step.duration = 1'000'000'000'000'000'000;
    step.count = 2;
    builder_.add(step);
  }
  try {
    run();
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
  }
}

TEST_F(SimGridExecutor, CarriesTheVersionOfSimGridInItsName) {
  const auto executor =
      sim::simgrid::make_executor(std::make_shared<core::Machine>(machine_), InterferenceMode::partial);
  EXPECT_EQ(executor->name().rfind("SimGrid 3.", 0), 0U) << executor->name();
}

}  // namespace
}  // namespace forelap::tests
