// What must hold of every timeline, on random plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "sim/fast/executor.hpp"
#include "tests/sim/random_plan.hpp"

namespace {

using namespace forelap;
using core::InterferenceMode;
using core::Tick;

core::Timeline run(const core::Machine& machine, const core::Plan& plan, InterferenceMode mode) {
  return sim::fast::simulate(plan, models::CostModel(machine, plan, mode));
}

void for_each_case(const std::function<void(const tests::RandomCase&)>& check) {
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(tests::random_case(seed, 1 + seed % 200));
    if (testing::Test::HasFatalFailure()) return;
  }
}

void expect_equal(const core::Timeline& a, const core::Timeline& b) {
  ASSERT_EQ(a.makespan, b.makespan);
  ASSERT_EQ(a.intervals.size(), b.intervals.size());
  for (std::size_t i = 0; i < a.intervals.size(); ++i) {
    ASSERT_EQ(a.intervals[i].begin, b.intervals[i].begin) << "step " << i;
    ASSERT_EQ(a.intervals[i].end, b.intervals[i].end) << "step " << i;
  }
}

TEST(Timelines, AreTheSameEveryTime) {
  for_each_case([](const tests::RandomCase& c) {
    expect_equal(run(c.machine, c.plan, InterferenceMode::partial), run(c.machine, c.plan, InterferenceMode::partial));
  });
}

TEST(Timelines, KeepLanesInOrderAndDependencies) {
  for_each_case([](const tests::RandomCase& c) {
    const models::CostModel cost(c.machine, c.plan, InterferenceMode::partial);
    const core::Timeline timeline = sim::fast::simulate(c.plan, cost);
    std::vector<Tick> free(c.plan.lanes.size());
    for (std::size_t i = 0; i < c.plan.steps.size(); ++i) {
      const core::Step& step = c.plan.steps[i];
      const core::Interval& interval = timeline.intervals[i];
      ASSERT_EQ(interval.lane, step.lane);
      ASSERT_GE(interval.begin, free[index(step.lane)]);
      free[index(step.lane)] = interval.end;
      for (const core::StepId id : c.plan.dependencies_of(step)) {
        const core::Interval& before = timeline.intervals[index(id)];
        const Tick hop = before.lane == step.lane ? 0 : core::round_to_tick(cost.hop(step.lane));
        ASSERT_GE(interval.begin + 1, before.end + hop);
      }
    }
  });
}

TEST(Timelines, TakeAtLeastTheSumOfEveryLaneAndEachStepAtLeastItsSoloTime) {
  for_each_case([](const tests::RandomCase& c) {
    const models::CostModel cost(c.machine, c.plan, InterferenceMode::partial);
    const core::Timeline timeline = sim::fast::simulate(c.plan, cost);
    std::vector<double> sums(c.plan.lanes.size());
    for (std::size_t i = 0; i < c.plan.steps.size(); ++i) {
      const models::StepCost price = cost.cost(c.plan.steps[i]);
      sums[index(c.plan.steps[i].lane)] += price.fixed + price.work;
      const auto length = static_cast<double>(timeline.intervals[i].end - timeline.intervals[i].begin);
      ASSERT_GE(length + 1, price.fixed + price.work);
    }
    for (const double sum : sums) ASSERT_GE(static_cast<double>(timeline.makespan) * (1 + 1e-12) + 1, sum);
  });
}

TEST(Timelines, DoNotDependOnTheNumberingOfLanes) {
  for_each_case([](const tests::RandomCase& c) {
    core::Plan reversed = c.plan;
    std::reverse(reversed.lanes.begin(), reversed.lanes.end());
    for (core::Step& step : reversed.steps) {
      step.lane = core::make_id<core::LaneId>(reversed.lanes.size() - 1 - index(step.lane));
    }
    expect_equal(run(c.machine, c.plan, InterferenceMode::partial),
                 run(c.machine, reversed, InterferenceMode::partial));
  });
}

TEST(Timelines, DoNotDependOnHowIndependentLanesAreInterleavedInThePlan) {
  const core::Machine machine = tests::random_case(7, 1).machine;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    core::Random random(seed);
    std::vector<core::Step> steps;
    for (std::size_t i = 0; i < 60; ++i) {
      core::Step step;
      step.kind = core::StepKind::copy;
      step.direction = i % 2 == 0 ? core::Direction::host_to_device : core::Direction::device_to_host;
      step.lane = core::make_id<core::LaneId>(i % 2);
      step.device = core::DeviceId{0};
      step.duration = static_cast<Tick>(random.below(1000));
      steps.push_back(step);
    }
    core::Plan plan;
    plan.device_count = 1;
    plan.lanes.assign(2, {core::LaneKind::copy, core::DeviceId{0}, core::RankId{0}, "copy"});
    plan.steps = steps;
    const core::Timeline mixed = run(machine, plan, InterferenceMode::partial);
    std::stable_sort(plan.steps.begin(), plan.steps.end(),
                     [](const core::Step& a, const core::Step& b) { return a.lane < b.lane; });
    const core::Timeline apart = run(machine, plan, InterferenceMode::partial);
    EXPECT_EQ(mixed.makespan, apart.makespan);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(mixed.intervals[i].end, apart.intervals[(i % 2) * 30 + i / 2].end);
    }
  }
}

/// Rates only slow; without capacities to share, no step then ends later where nothing slows it.
TEST(Timelines, WithoutInterferenceAreNeverLonger) {
  for_each_case([](const tests::RandomCase& c) {
    core::Machine machine = c.machine;
    machine.host.cores = 0;
    core::Plan plan = c.plan;
    // One kernel lane a device, so that the device's capacity is never shared.
    for (core::Step& step : plan.steps) {
      if (step.kind != core::StepKind::kernel) continue;
      for (std::size_t lane = 0; lane < plan.lanes.size(); ++lane) {
        if (plan.lanes[lane].kind == core::LaneKind::kernel && plan.lanes[lane].device == step.device) {
          step.lane = core::make_id<core::LaneId>(lane);
        }
      }
    }
    const core::Timeline none = run(machine, plan, InterferenceMode::none);
    for (const auto mode : {InterferenceMode::partial, InterferenceMode::full}) {
      const core::Timeline slowed = run(machine, plan, mode);
      for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        ASSERT_LE(none.intervals[i].end, slowed.intervals[i].end + 1 + slowed.makespan / 1'000'000'000'000);
      }
    }
  });
}

TEST(Timelines, OfTwoOverlappingTransfersGrowFromNoneToPartialToFull) {
  core::Machine machine;
  machine.devices.emplace_back();
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh);
  row.rates[core::ActivityClass::htod].value = 0.6;
  row.rates[core::ActivityClass::dtoh].value = 0.8;
  machine.devices[0].interference.push_back(row);
  for (Tick delay = 1; delay < 1000; delay += 37) {
    core::PlanBuilder b;
    std::vector<core::LaneId> lanes;
    for (const auto kind : {core::LaneKind::copy, core::LaneKind::copy, core::LaneKind::kernel}) {
      lanes.push_back(b.add_lane({kind, core::DeviceId{0}, core::RankId{0}, "lane"}));
    }
    core::CopyStep in;
    in.lane = lanes[0];
    in.duration = 1000;
    b.add(in);
    core::KernelStep kernel;
    kernel.lane = lanes[2];
    kernel.call.kernel = b.kernel("k");
    kernel.duration = delay;
    const std::vector<core::StepId> after = {b.add(kernel, {})};
    core::CopyStep out;
    out.lane = lanes[1];
    out.direction = core::Direction::device_to_host;
    out.duration = 1000;
    b.add(out, after);
    const core::Plan plan = b.build();
    const Tick none = run(machine, plan, InterferenceMode::none).makespan;
    const Tick partial = run(machine, plan, InterferenceMode::partial).makespan;
    const Tick full = run(machine, plan, InterferenceMode::full).makespan;
    EXPECT_LT(none, partial);
    EXPECT_LT(partial, full);
  }
}

void scale(core::Parameter& p, double factor) {
  p.value *= factor;
}

/// A machine on which everything takes `factor` times as long.
core::Machine slower(core::Machine machine, double factor) {
  for (core::DeviceModel& device : machine.devices) {
    for (core::TransferModel& model : device.transfers) {
      for (core::TransferPiece& piece : model.pieces) {
        scale(piece.fixed, factor);
        scale(piece.per_byte, factor);
      }
    }
    for (core::KernelModel& model : device.kernels) {
      for (core::KernelPiece& piece : model.pieces) {
        scale(piece.launch, factor);
        scale(piece.per_work, factor);
        scale(piece.per_item, factor);
      }
    }
    for (core::Parameter* p : {&device.hop, &device.submit, &device.run_overhead}) scale(*p, factor);
  }
  for (core::HostWorkModel& model : machine.host.work) {
    scale(model.fixed, factor);
    scale(model.per_unit, factor);
  }
  core::NetworkModel& network = machine.network;
  for (core::Parameter* p : {&network.send_overhead, &network.receive_overhead, &network.per_byte}) scale(*p, factor);
  return machine;
}

TEST(Timelines, ScaleWithTheMachineAndTheDurations) {
  for_each_case([](const tests::RandomCase& c) {
    core::Plan plan = c.plan;
    for (core::Step& step : plan.steps) {
      if (step.duration != core::kModelled) step.duration *= 4;
    }
    const core::Timeline once = run(c.machine, c.plan, InterferenceMode::partial);
    const core::Timeline fourfold = run(slower(c.machine, 4), plan, InterferenceMode::partial);
    // A power of two scales doubles exactly, so that only the rounding to ticks differs.
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      ASSERT_LE(std::abs(fourfold.intervals[i].end - 4 * once.intervals[i].end), 2);
    }
  });
}

}  // namespace
