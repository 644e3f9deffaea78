#include "tune/group_evaluator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "scenarios/lower.hpp"
#include "sim/fast/executor.hpp"
#include "tests/tune/random_group.hpp"
#include "tune/group_search.hpp"

namespace forelap::tune {
namespace {

using testing::random_group;
using testing::RandomGroupOptions;

core::Timeline simulated(const testing::RandomGroup& g, const Arrangement& arrangement) {
  const auto plan = scenarios::lower(g.scenario, tuning_with(g.tuning, arrangement));
  const models::CostModel cost(g.machine, plan, g.scenario.interference);
  return sim::fast::simulate(plan, cost);
}

Arrangement random_arrangement(const GroupEvaluator& evaluator, core::Random& random) {
  Arrangement a;
  a.order = Precedence(evaluator.specs()).random_order(random);
  for (std::size_t t = 0; t < evaluator.task_count(); ++t) {
    a.device.push_back(static_cast<std::uint32_t>(random.below(evaluator.device_count())));
  }
  a.kernel_lanes = 1 + static_cast<std::uint32_t>(random.below(3));
  return a;
}

RandomGroupOptions any_options(core::Random& random) {
  RandomGroupOptions options;
  options.tasks = 1 + random.below(7);
  options.devices = 1 + static_cast<std::uint32_t>(random.below(3));
  options.memory = random.below(2) == 0;
  options.after = random.below(2) == 0;
  options.fills = random.below(2) == 0;
  options.host = random.below(2) == 0;
  return options;
}

scenarios::Submission any_submission(core::Random& random) {
  constexpr std::array<scenarios::Submission, 3> kAll = {
      scenarios::Submission::automatic, scenarios::Submission::by_task, scenarios::Submission::by_type};
  return kAll[random.below(3)];
}

TEST(GroupEvaluator, AgreesWithTheSimulatedPlanToTheTick) {
  core::Random random(1);
  for (int i = 0; i < 500; ++i) {
    auto g = random_group(random, any_options(random));
    g.tuning.submission = any_submission(random);
    g.scenario.interference = random.below(4) == 0 ? core::InterferenceMode::full : core::InterferenceMode::partial;
    GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
    for (int k = 0; k < 4; ++k) {
      const Arrangement a = random_arrangement(evaluator, random);
      ASSERT_EQ(core::round_to_tick(evaluator.evaluate(a)), simulated(g, a).makespan) << "group " << i;
    }
  }
}

/// The most bytes of buffers in use on any device at any time.
std::uint64_t most_in_use(const core::Plan& plan, const core::Timeline& timeline, std::uint32_t device) {
  struct Life {
    core::Tick begin = core::Tick{1} << 62;
    core::Tick end = 0;
  };
  std::map<std::size_t, Life> lives;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const core::Step& step = plan.steps[i];
    std::size_t buffer = index(step.buffer);
    // Kernels of given durations have no arguments; the buffer is that of the task, whose name tells nothing here.
    if (step.buffer == core::none<core::BufferId>()) continue;
    Life& life = lives[buffer];
    life.begin = std::min(life.begin, timeline.intervals[i].begin);
    life.end = std::max(life.end, timeline.intervals[i].end);
  }
  std::map<core::Tick, std::int64_t> changes;
  for (const auto& [buffer, life] : lives) {
    if (index(plan.buffers[buffer].device) != device) continue;
    changes[life.begin] += static_cast<std::int64_t>(plan.buffers[buffer].bytes);
    changes[life.end] -= static_cast<std::int64_t>(plan.buffers[buffer].bytes);
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& change : changes) {
    now += change.second;
    most = std::max(most, now);
  }
  return static_cast<std::uint64_t>(most);
}

TEST(MemoryLimit, IsNeverExceededInSimulatedTimelines) {
  core::Random random(2);
  std::size_t waited = 0;
  for (int i = 0; i < 500; ++i) {
    auto options = any_options(random);
    options.memory = true;
    auto g = random_group(random, options);
    g.tuning.submission = any_submission(random);
    // Every task begins and ends with a transfer, so that its steps tell when its buffer is in use; some begin with
    // their kernel in the test above.
    for (auto& task : g.tuning.tasks) {
      if (task.htod.empty()) task.htod = {{4, core::kModelled}};
      if (task.dtoh.empty()) task.dtoh = {{4, core::kModelled}};
    }
    const GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
    const Arrangement a = random_arrangement(evaluator, random);
    const auto plan = scenarios::lower(g.scenario, tuning_with(g.tuning, a));
    const auto timeline = simulated(g, a);
    for (std::uint32_t d = 0; d < options.devices; ++d) {
      ASSERT_LE(most_in_use(plan, timeline, d), g.group().device_memory) << "group " << i;
    }
    auto unlimited = g;
    unlimited.group().device_memory = 0;
    const auto free_plan = scenarios::lower(unlimited.scenario, tuning_with(g.tuning, a));
    const auto free_timeline = simulated(unlimited, a);
    for (std::uint32_t d = 0; d < options.devices; ++d) {
      waited += most_in_use(free_plan, free_timeline, d) > g.group().device_memory ? 1U : 0U;
    }
  }
  EXPECT_GT(waited, 100U) << "without the limit many would exceed it";
}

TEST(MemoryLimit, HoldsForTasksThatBeginOrEndWithTheirKernel) {
  core::Random random(3);
  for (int i = 0; i < 300; ++i) {
    auto options = any_options(random);
    options.memory = true;
    auto g = random_group(random, options);
    for (auto& task : g.tuning.tasks) {
      // By repeat, so that kernels name their buffer.
      for (auto& kernel : task.kernels) kernel = {"synthetic", 1 + random.below(50), 0, core::kModelled};
      if (random.below(3) == 0 && !task.kernels.empty()) task.htod.clear();
      if (random.below(3) == 0 && !task.kernels.empty()) task.dtoh.clear();
    }
    const GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
    const Arrangement a = random_arrangement(evaluator, random);
    auto plan = scenarios::lower(g.scenario, tuning_with(g.tuning, a));
    const auto timeline = simulated(g, a);
    for (core::Step& step : plan.steps) {
      if (step.kind == core::StepKind::kernel) {
        step.buffer = std::get<core::BufferId>(plan.arguments_of(plan.call_of(step))[0]);
      }
    }
    for (std::uint32_t d = 0; d < options.devices; ++d) {
      ASSERT_LE(most_in_use(plan, timeline, d), g.group().device_memory) << "group " << i;
    }
  }
}

TEST(GroupEvaluator, KnowsWhatADeviceCannotRun) {
  core::Random random(4);
  RandomGroupOptions options;
  options.devices = 2;
  options.odd = false;
  auto g = random_group(random, options);
  for (auto& d : g.tuning.device) d = 0;
  for (auto& task : g.tuning.tasks) task.kernels[0] = {"synthetic", 3, 0, core::kModelled};
  g.machine.devices[1].kernels.clear();
  const GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  EXPECT_TRUE(evaluator.can_run(0, 0));
  EXPECT_FALSE(evaluator.can_run(0, 1));
  g.tuning.device[2] = 1;
  EXPECT_THROW(GroupEvaluator(g.scenario, g.tuning, g.machine), core::Error);
}

TEST(GroupEvaluator, ScalesOneKindOfSteps) {
  core::Random random(5);
  RandomGroupOptions options;
  options.tasks = 1;
  options.odd = false;
  const auto g = random_group(random, options);
  GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  const Arrangement a{{0}, {0}, 1};
  const double saved = evaluator.evaluate(a) - evaluator.evaluate_scaled(a, StageKind::kernel, 0.5);
  EXPECT_NEAR(saved, evaluator.stage(0, 0, StageKind::kernel).alone() / 2, 1);
}

TEST(GroupEvaluator, SaysHowLongLanesAreAtWork) {
  core::Random random(6);
  RandomGroupOptions options;
  options.odd = false;
  auto g = random_group(random, options);
  g.tuning.engines = {2};
  GroupEvaluator evaluator(g.scenario, g.tuning, g.machine);
  const auto lanes = evaluator.lane_use({{3, 1, 0, 2}, g.tuning.device, 2});
  ASSERT_EQ(lanes.size(), 4U);
  EXPECT_EQ(lanes[0].name, "htod");
  EXPECT_EQ(lanes[3].name, "kernel 1");
  for (const auto& lane : lanes) EXPECT_GT(lane.busy, 0);
}

}  // namespace
}  // namespace forelap::tune
