// Timelines worked out by hand. Times are in picoseconds; every step has a given duration unless it says otherwise.
#include "sim/fast/plan_engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/kernel.hpp"
#include "sim/fast/executor.hpp"
#include "tests/sim/naive_simulation.hpp"
#include "tests/sim/random_plan.hpp"

namespace {

using namespace forelap;
using core::ActivityClass;
using core::Direction;
using core::InterferenceMode;
using core::LaneId;
using core::StepId;
using core::Tick;

core::Parameter parameter(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

core::InterferenceRow copy_row(double htod, double dtoh) {
  core::InterferenceRow row;
  row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh);
  row.rates[ActivityClass::htod] = parameter(htod);
  row.rates[ActivityClass::dtoh] = parameter(dtoh);
  return row;
}

core::Machine ideal_machine(std::size_t devices, double htod_rate = 1, double dtoh_rate = 1) {
  core::Machine machine;
  core::DeviceModel device;
  device.interference.push_back(copy_row(htod_rate, dtoh_rate));
  machine.devices.assign(devices, device);
  return machine;
}

/// A builder with the lanes of some devices: htod, dtoh and three kernel lanes each.
class Builder {
 public:
  explicit Builder(std::size_t devices = 1) {
    for (std::uint32_t d = 0; d < devices; ++d) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto kind = lane < 2 ? core::LaneKind::copy : core::LaneKind::kernel;
        plan_.add_lane({kind, core::DeviceId{d}, core::RankId{0}, "lane"});
      }
    }
  }

  StepId htod(Tick duration, std::vector<StepId> after = {}, std::uint32_t device = 0) {
    return copy(Direction::host_to_device, duration, after, device);
  }
  StepId dtoh(Tick duration, std::vector<StepId> after = {}, std::uint32_t device = 0) {
    return copy(Direction::device_to_host, duration, after, device);
  }
  StepId kernel(Tick duration, std::vector<StepId> after = {}, std::uint32_t which = 0, std::uint32_t device = 0,
                const std::string& name = "k", std::uint32_t launches = 1) {
    core::KernelStep step;
    step.count = launches;
    step.lane = LaneId{kLanes * device + 2 + which};
    step.device = core::DeviceId{device};
    step.call.kernel = plan_.kernel(name);
    step.duration = duration;
    return plan_.add(step, {}, after);
  }
  core::Plan build() { return plan_.build(); }

 private:
  StepId copy(Direction direction, Tick duration, const std::vector<StepId>& after, std::uint32_t device) {
    core::CopyStep step;
    step.lane = LaneId{kLanes * device + (direction == Direction::host_to_device ? 0U : 1U)};
    step.device = core::DeviceId{device};
    step.direction = direction;
    step.duration = duration;
    return plan_.add(step, after);
  }
  static constexpr std::uint32_t kLanes = 5;
  core::PlanBuilder plan_;
};

using Times = std::vector<std::pair<Tick, Tick>>;

core::Timeline run(const core::Plan& plan, const core::Machine& machine,
                   InterferenceMode mode = InterferenceMode::partial) {
  return sim::fast::simulate(plan, models::CostModel(machine, plan, mode));
}

Times times_of(const core::Timeline& timeline) {
  Times times;
  for (const core::Interval& interval : timeline.intervals) times.emplace_back(interval.begin, interval.end);
  return times;
}

TEST(PlanEngine, RunsTheWorkedExampleOfTheOrderingPaperStepByStep) {
  constexpr Tick ms = 1'000'000'000;
  const core::Machine machine = ideal_machine(1, 0.375, 0.375);
  Builder b;
  const StepId htod0 = b.htod(100 * ms);
  const StepId kernel0 = b.kernel(107 * ms, {htod0});
  b.htod(110 * ms);
  b.dtoh(8 * ms, {kernel0});
  const core::Timeline without_last = run(b.build(), machine);
  // The dtoh starts at 207 while htod 1 is due at 210; at 3/8 of their rates the htod's 3 ms take 8.
  EXPECT_EQ(times_of(without_last),
            (Times{{0, 100 * ms}, {100 * ms, 207 * ms}, {100 * ms, 215 * ms}, {207 * ms, 220 * ms}}));

  Builder c;
  const StepId again0 = c.htod(100 * ms);
  const StepId kernel_again0 = c.kernel(107 * ms, {again0});
  c.htod(110 * ms);
  c.dtoh(8 * ms, {kernel_again0});
  c.htod(24 * ms / 10);
  const core::Timeline whole = run(c.build(), machine);
  // At 215 htod 2 starts, and the end of the dtoh moves from 220 to 224.
  EXPECT_EQ(times_of(whole), (Times{{0, 100 * ms},
                                    {100 * ms, 207 * ms},
                                    {100 * ms, 215 * ms},
                                    {207 * ms, 224 * ms},
                                    {215 * ms, 2214 * ms / 10}}));
  EXPECT_EQ(whole.makespan, 224 * ms);
}

TEST(PlanEngine, SlowsEachDirectionByItsOwnRateWhileBothAreActive) {
  Builder b;
  b.htod(100);
  b.dtoh(10);
  // At 1/2 the dtoh takes 20; the htod does 5 of its 100 meanwhile at 1/4.
  EXPECT_EQ(times_of(run(b.build(), ideal_machine(1, 0.25, 0.5))), (Times{{0, 115}, {0, 20}}));
}

TEST(PlanEngine, ModeNoneLeavesTransfersAlone) {
  Builder b;
  b.htod(100);
  b.dtoh(10);
  EXPECT_EQ(times_of(run(b.build(), ideal_machine(1, 0.25, 0.5), InterferenceMode::none)), (Times{{0, 100}, {0, 10}}));
}

TEST(PlanEngine, ModeFullSlowsOverTheWholeLength) {
  Builder b;
  const StepId first = b.htod(100);
  b.dtoh(10, {b.kernel(90)});
  b.htod(7, {first});
  // The dtoh meets the htod at 90: 400 long, it keeps the dtoh company to its end at 110; the next htod meets nothing.
  EXPECT_EQ(times_of(run(b.build(), ideal_machine(1, 0.25, 0.5), InterferenceMode::full)),
            (Times{{0, 400}, {0, 90}, {90, 110}, {400, 407}}));
}

TEST(PlanEngine, StepsThatOnlyTouchInTimeDoNotMeet) {
  Builder b;
  const StepId first = b.htod(100);
  const StepId zero = b.kernel(0, {first});
  b.dtoh(50, {zero});
  for (const auto mode : {InterferenceMode::partial, InterferenceMode::full}) {
    EXPECT_EQ(times_of(run(Builder(b).build(), ideal_machine(1, 0.25, 0.5), mode)),
              (Times{{0, 100}, {100, 100}, {100, 150}}));
  }
}

TEST(PlanEngine, ZeroLengthStepsEndWhereTheyBeginAndSlowNothing) {
  Builder b;
  b.htod(100);
  for (int i = 0; i < 5; ++i) b.dtoh(0);
  const StepId kernel = b.kernel(30);
  b.dtoh(0, {kernel});
  EXPECT_EQ(times_of(run(b.build(), ideal_machine(1, 0.5, 0.5))),
            (Times{{0, 100}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 30}, {30, 30}}));
}

/// With kernels that occupy 0.75, 0.5 and 0.25 of the device; "k" occupies all of it.
core::Machine machine_of_partial_kernels() {
  core::Machine machine = ideal_machine(1);
  for (const auto& [name, fill] :
       {std::pair{"wide", 0.75}, std::pair{"narrow", 0.5}, std::pair{"tiny", 0.25}, std::pair{"k", 1.0}}) {
    core::KernelModel model;
    model.kernel = name;
    model.fill = parameter(fill);
    machine.devices[0].kernels.push_back(model);
  }
  return machine;
}

TEST(PlanEngine, KernelsThatFitRunSideBySideAndALaterOneGetsWhatIsLeft) {
  const core::Machine machine = machine_of_partial_kernels();
  Builder fits;
  fits.kernel(100, {}, 0, 0, "wide");
  fits.kernel(100, {}, 1, 0, "tiny");
  EXPECT_EQ(times_of(run(fits.build(), machine)), (Times{{0, 100}, {0, 100}}));
  Builder crowds;
  crowds.kernel(100, {}, 0, 0, "wide");
  crowds.kernel(40, {}, 1, 0, "narrow");
  crowds.kernel(100, {}, 2, 0, "tiny");
  // The second has 0.25 of the 0.5 it asks for; the third has nothing until the second ends, then all it asks for.
  EXPECT_EQ(times_of(run(crowds.build(), machine)), (Times{{0, 100}, {0, 80}, {0, 180}}));
  Builder grows;
  grows.kernel(100, {}, 0, 0, "wide");
  grows.kernel(90, {}, 1, 0, "narrow");
  // Half of the second is over at 90; at 100, with 40 left, it gets the whole rate.
  EXPECT_EQ(times_of(run(grows.build(), machine)), (Times{{0, 100}, {0, 140}}));
}

TEST(PlanEngine, KernelsThatFillTheDeviceRunOneAfterTheOtherWithoutAHop) {
  core::Machine machine = machine_of_partial_kernels();
  machine.devices[0].hop = parameter(7e-12);
  Builder b;
  // The lane does not matter where two begin together: the smaller step id is first.
  b.kernel(100, {}, 1);
  b.kernel(50, {}, 0);
  b.kernel(20, {}, 2);
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 100}, {0, 150}, {0, 170}}));
  Builder late;
  const StepId first = late.htod(10);
  late.kernel(50, {first}, 0);
  late.kernel(100, {}, 1);
  // The one that began first goes first, whatever its id.
  EXPECT_EQ(times_of(run(late.build(), machine)), (Times{{0, 10}, {17, 150}, {0, 100}}));
}

TEST(PlanEngine, LaunchesOfOneKernelQueueUpAnewBehindWhatWaits) {
  Builder b;
  b.kernel(10, {}, 0, 0, "k", 3);
  b.kernel(100, {}, 1);
  b.kernel(20, {}, 2, 0, "k", 2);
  // In turn: the first of the three, the one of 100 that waited, the first of the two, and then one of each.
  EXPECT_EQ(times_of(run(b.build(), machine_of_partial_kernels())), (Times{{0, 170}, {0, 110}, {0, 160}}));
}

TEST(PlanEngine, EqualKernelsSideBySideTakeAsMuchLongerAsCalibrationAssumes) {
  core::Machine machine = machine_of_partial_kernels();
  for (const double fill : {0.05, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.95, 1.0}) {
    machine.devices[0].kernels[0].fill = parameter(fill);
    for (std::uint32_t count = 1; count <= 3; ++count) {
      Builder b;
      for (std::uint32_t lane = 0; lane < count; ++lane) b.kernel(1'000'000, {}, lane, 0, "wide");
      const double expected = 1e6 * models::side_by_side_stretch(fill, count);
      EXPECT_NEAR(static_cast<double>(run(b.build(), machine).makespan), expected, 1) << count << " of " << fill;
    }
  }
}

TEST(PlanEngine, AKernelThatStandsStillLeavesTheRatesOfItsClassAsTheyAre) {
  core::Machine machine = machine_of_partial_kernels();
  core::InterferenceRow row;
  row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::kernel);
  row.rates[ActivityClass::htod] = parameter(0.5);
  row.rates[ActivityClass::kernel] = parameter(0.5);
  machine.devices[0].interference.push_back(row);
  Builder b;
  b.htod(100);
  b.kernel(20, {}, 0);
  b.kernel(10, {}, 1);
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 130}, {0, 40}, {0, 60}}));
  Builder whole;
  whole.htod(10);
  whole.kernel(20, {}, 0);
  whole.kernel(10, {}, 1);
  // The second kernel met the transfer while it stood still: its whole length, from 40 on, is at half the rate.
  EXPECT_EQ(times_of(run(whole.build(), machine, InterferenceMode::full)), (Times{{0, 20}, {0, 40}, {0, 60}}));
}

TEST(PlanEngine, TheSmallerRateOfTwoDomainsHolds) {
  core::Machine machine = ideal_machine(2, 0.5, 0.8);
  machine.host.interference.push_back(copy_row(0.25, 1));
  Builder b(2);
  b.htod(10, {}, 0);
  b.dtoh(100, {}, 0);
  b.dtoh(200, {}, 1);
  // The htod: 1/2 by its device, 1/4 by the host, so 40 long. Its device's dtoh does 32 of its 100 meanwhile; the other
  // device's dtoh only shares the host, where dtohs are not slowed.
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 40}, {0, 108}, {0, 200}}));
}

TEST(PlanEngine, HostWorkSharesTheCores) {
  core::Machine machine;
  machine.host.cores = 2;
  core::PlanBuilder b;
  for (int i = 0; i < 3; ++i) {
    const LaneId lane = b.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), core::RankId{0}, "host"});
    core::HostWorkStep step;
    step.lane = lane;
    step.work = b.host_work("w");
    step.duration = 60 * (i + 1);
    b.add(step);
  }
  // Three at 2/3 until the first has done its 60 at 90; then two at full rate.
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 90}, {0, 150}, {0, 210}}));
}

TEST(PlanEngine, AHopIsPaidBetweenLanesOnly) {
  core::Machine machine = ideal_machine(1);
  machine.devices[0].hop = parameter(7e-12);
  Builder b;
  const StepId first = b.htod(10);
  const StepId kernel = b.kernel(20, {first});
  const StepId second = b.htod(5, {first});
  b.dtoh(1, {kernel, second});
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 10}, {17, 37}, {10, 15}, {44, 45}}));
}

TEST(PlanEngine, StepsWaitForTheirTurnOnTheSubmittingThread) {
  core::Machine machine = ideal_machine(1);
  machine.devices[0].submit = parameter(10e-12);
  Builder b;
  for (const Tick duration : {1, 25, 1, 1}) b.htod(duration);
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 1}, {10, 35}, {35, 36}, {36, 37}}));
}

TEST(PlanEngine, FixedPartsAreSpentFirstAndInterfereWithNothing) {
  core::Machine machine = ideal_machine(1, 0.5, 0.5);
  for (const auto direction : {Direction::host_to_device, Direction::device_to_host}) {
    core::TransferModel model;
    model.direction = direction;
    model.pieces.push_back({0, 1e9, parameter(10e-12), parameter(1e-12)});
    machine.devices[0].transfers.push_back(model);
  }
  core::PlanBuilder b;
  for (const auto direction : {Direction::host_to_device, Direction::device_to_host}) {
    const LaneId lane = b.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "copy"});
    core::CopyStep step;
    step.lane = lane;
    step.direction = direction;
    step.bytes = 20;
    step.count = direction == Direction::host_to_device ? 1 : 2;
    b.add(step);
  }
  // htod: fixed to 10, then 20 of work. dtoh, twice in one step: fixed to 20, then 40 of work. Alone from 10 to 20, the
  // htod has 10 left, which take to 40; the dtoh has 30 left then.
  EXPECT_EQ(times_of(run(b.build(), machine)), (Times{{0, 40}, {0, 70}}));
}

TEST(PlanEngine, TheMakespanHoldsTheRunOverheadAndAnEmptyPlanTakesNoTime) {
  core::Machine machine = ideal_machine(1);
  machine.devices[0].run_overhead = parameter(5e-12);
  EXPECT_EQ(run(Builder().build(), machine).makespan, 0);
  EXPECT_TRUE(run(Builder().build(), machine).intervals.empty());
  Builder b;
  b.htod(10);
  EXPECT_EQ(run(b.build(), machine).makespan, 15);
}

TEST(PlanEngine, NumbersStepsFromThePlansFirst) {
  core::PlanBuilder b(100);
  const LaneId lane = b.add_lane({core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "copy"});
  core::CopyStep step;
  step.lane = lane;
  step.duration = 4;
  const std::array<StepId, 1> earlier = {StepId{3}};
  b.add(step, earlier);
  const core::Timeline timeline = run(b.build(), ideal_machine(1));
  EXPECT_EQ(timeline.intervals.at(0).step, StepId{100});
  EXPECT_EQ(times_of(timeline), (Times{{0, 4}}));
}

TEST(PlanEngine, EndsAtOneInstantComeByStepIdAndReleaseTogether) {
  Builder b(2);
  std::vector<StepId> all;
  for (std::uint32_t d = 0; d < 2; ++d) {
    all.push_back(b.htod(50, {}, d));
    all.push_back(b.kernel(50, {}, 0, d));
    all.push_back(b.kernel(50, {}, 1, d));
  }
  b.dtoh(1, all, 1);
  core::Machine machine = ideal_machine(2);
  core::KernelModel model;
  model.kernel = "k";
  model.fill = parameter(0.5);
  for (auto& device : machine.devices) device.kernels.push_back(model);
  const Times times = times_of(run(b.build(), machine));
  EXPECT_EQ(times.back(), (std::pair<Tick, Tick>{50, 51}));
}

void expect_equal_to_reference(std::uint64_t seed, std::size_t steps, InterferenceMode mode) {
  const tests::RandomCase random = tests::random_case(seed, steps);
  const models::CostModel cost(random.machine, random.plan, mode);
  const core::Timeline fast = sim::fast::simulate(random.plan, cost);
  const core::Timeline naive = tests::naive_simulation(random.plan, cost);
  // Rounding of doubles: 1e-12 of the makespan, a tick at least.
  const Tick tolerance = 1 + fast.makespan / 1'000'000'000'000;
  ASSERT_LE(std::abs(fast.makespan - naive.makespan), tolerance) << "seed " << seed;
  for (std::size_t i = 0; i < fast.intervals.size(); ++i) {
    ASSERT_LE(std::abs(fast.intervals[i].begin - naive.intervals[i].begin), tolerance) << "seed " << seed;
    ASSERT_LE(std::abs(fast.intervals[i].end - naive.intervals[i].end), tolerance) << "seed " << seed;
  }
}

TEST(PlanEngine, EqualsAPlainReferenceOnRandomPlans) {
  for (const auto mode : {InterferenceMode::none, InterferenceMode::partial, InterferenceMode::full}) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) expect_equal_to_reference(seed, 1 + seed % 60, mode);
  }
}

/// Here steps without work stand first on lanes: what they let begin belongs to the instant of the release, and no step
/// meets the activities that would be there without it.
TEST(PlanEngine, EstimatesRatesAtTheReleaseBehindStepsThatTakeNoTime) {
  for (const std::uint64_t seed : {11736U, 11813U, 12106U}) {
    expect_equal_to_reference(seed, 1 + seed % 60, InterferenceMode::full);
  }
  for (const std::uint64_t seed : {11044U, 11141U, 11888U, 12106U, 12937U}) {
    expect_equal_to_reference(seed, 1 + seed % 200, InterferenceMode::full);
  }
}

}  // namespace
