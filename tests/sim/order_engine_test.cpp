#include "sim/fast/order_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "core/statistics.hpp"
#include "sim/fast/executor.hpp"
#include "tests/sim/group_plan.hpp"

namespace {

using namespace forelap;
using core::ActivityClass;
using core::Random;
using core::Tick;
using sim::fast::OrderEngine;
using tests::GroupTask;

core::Parameter parameter(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

bool chance(Random& random, double probability) {
  return random.uniform() < probability;
}

core::InterferenceRow row(std::initializer_list<std::pair<ActivityClass, double>> rates) {
  core::InterferenceRow r;
  for (const auto& [c, rate] : rates) {
    r.active = static_cast<core::ActivitySet>(r.active | core::bit(c));
    r.rates[c] = parameter(rate);
  }
  return r;
}

core::Machine ideal_machine(double copy_rate) {
  core::Machine machine;
  core::DeviceModel device;
  device.name = "ideal";
  if (copy_rate < 1) {
    device.interference.push_back(row({{ActivityClass::htod, copy_rate}, {ActivityClass::dtoh, copy_rate}}));
  }
  machine.devices.push_back(device);
  return machine;
}

// ---- the synthetic benchmarks of the ordering paper, in its unit ----

constexpr Tick kUnit = 10'000'000'000;  // 10 ms

constexpr std::array<std::array<int, 3>, 8> kTenths = {
    {{1, 8, 1}, {2, 7, 1}, {3, 6, 1}, {1, 7, 2}, {6, 2, 2}, {2, 2, 6}, {4, 2, 4}, {8, 1, 1}}};

std::vector<GroupTask> benchmark_tasks(std::array<std::size_t, 4> names) {
  std::vector<GroupTask> tasks;
  for (const std::size_t i : names) {
    tasks.push_back(
        tests::timed_task(kTenths[i][0] * kUnit / 10, kTenths[i][1] * kUnit / 10, kTenths[i][2] * kUnit / 10));
  }
  return tasks;
}

struct Makespans {
  double best = 0, geometric_mean = 0, worst = 0;  // units
};

/// Over all 24 orders, by both engines, which must agree to the tick.
Makespans search(const std::vector<GroupTask>& tasks, bool two_engines, double copy_rate) {
  const core::Machine machine = ideal_machine(copy_rate);
  std::vector<std::uint32_t> order = {0, 1, 2, 3};
  std::vector<double> units;
  do {
    const core::Plan plan = tests::group_plan(tasks, order, two_engines);
    const models::CostModel cost(machine, plan, models::InterferenceMode::partial);
    OrderEngine engine = tests::group_engine(tasks, two_engines, plan, cost);
    const Tick simulated = sim::fast::simulate(plan, cost).makespan;
    EXPECT_EQ(core::round_to_tick(engine.evaluate(order)), simulated);
    units.push_back(static_cast<double>(simulated) / static_cast<double>(kUnit));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(units.size(), 24U);
  return {*std::min_element(units.begin(), units.end()), core::geometric_mean(units),
          *std::max_element(units.begin(), units.end())};
}

void expect_makespans(const Makespans& found, const Makespans& published) {
  EXPECT_DOUBLE_EQ(found.best, published.best);
  EXPECT_NEAR(found.geometric_mean, published.geometric_mean, 0.0005);
  EXPECT_DOUBLE_EQ(found.worst, published.worst);
}

const std::array<std::size_t, 4> kBk0 = {6, 7, 4, 5};
const std::array<std::size_t, 4> kBk25 = {0, 4, 6, 7};
const std::array<std::size_t, 4> kBk50 = {0, 1, 4, 5};
const std::array<std::size_t, 4> kBk75 = {0, 1, 2, 4};
const std::array<std::size_t, 4> kBk100 = {0, 1, 2, 3};

TEST(SyntheticBenchmarks, HaveThePublishedMakespansOnTwoEnginesWithoutSlowdown) {
  expect_makespans(search(benchmark_tasks(kBk0), true, 1), {2.20, 2.533, 3.00});
  expect_makespans(search(benchmark_tasks(kBk25), true, 1), {2.10, 2.508, 3.00});
  expect_makespans(search(benchmark_tasks(kBk50), true, 1), {2.10, 2.477, 3.10});
  expect_makespans(search(benchmark_tasks(kBk75), true, 1), {2.50, 2.727, 3.10});
  expect_makespans(search(benchmark_tasks(kBk100), true, 1), {3.00, 3.098, 3.30});
}

TEST(SyntheticBenchmarks, HaveThePublishedMakespansWithASymmetricSlowdownOfTwo) {
  expect_makespans(search(benchmark_tasks(kBk0), true, 0.5), {3.30, 3.395, 3.50});
  expect_makespans(search(benchmark_tasks(kBk25), true, 0.5), {2.70, 2.984, 3.40});
  expect_makespans(search(benchmark_tasks(kBk50), true, 0.5), {2.10, 2.560, 3.20});
}

TEST(SyntheticBenchmarks, HaveThePublishedMakespansOnOneEngine) {
  expect_makespans(search(benchmark_tasks(kBk0), false, 1), {3.30, 3.300, 3.30});
  expect_makespans(search(benchmark_tasks(kBk25), false, 1), {2.70, 2.761, 3.00});
  expect_makespans(search(benchmark_tasks(kBk50), false, 1), {2.10, 2.477, 3.10});
  expect_makespans(search(benchmark_tasks(kBk75), false, 1), {2.50, 2.727, 3.10});
  expect_makespans(search(benchmark_tasks(kBk100), false, 1), {3.00, 3.098, 3.30});
}

// ---- random groups ----

struct RandomGroup {
  core::Machine machine;
  std::vector<GroupTask> tasks;
  bool two_engines = true;
};

core::Machine random_machine(Random& random) {
  using enum ActivityClass;
  core::Machine machine;
  core::DeviceModel device;
  device.name = "device";
  const auto rate = [&random] { return chance(random, 0.2) ? 1.0 : 0.3 + 0.7 * random.uniform(); };
  for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
    core::TransferModel model;
    model.direction = direction;
    model.pieces.push_back({0, std::numeric_limits<double>::max(),
                            parameter(chance(random, 0.3) ? 0 : 2e-5 * random.uniform()),
                            parameter(1e-11 * (1 + random.uniform()))});
    device.transfers.push_back(model);
  }
  core::KernelModel model;
  model.kernel = "k";
  model.fill = parameter(1);
  core::KernelPiece piece;
  piece.to_items = std::numeric_limits<double>::max();
  piece.launch = parameter(chance(random, 0.3) ? 0 : 1e-5 * random.uniform());
  piece.per_work = parameter(1e-9);
  model.pieces.push_back(piece);
  device.kernels.push_back(model);
  if (chance(random, 0.8)) device.interference.push_back(row({{htod, rate()}, {dtoh, rate()}}));
  if (chance(random, 0.5)) {
    device.interference.push_back(row({{htod, rate()}, {kernel, rate()}}));
    device.interference.push_back(row({{dtoh, rate()}, {kernel, rate()}}));
    device.interference.push_back(row({{htod, rate()}, {dtoh, rate()}, {kernel, rate()}}));
  }
  if (chance(random, 0.3)) machine.host.interference.push_back(row({{htod, rate()}, {dtoh, rate()}}));
  device.hop = parameter(chance(random, 0.5) ? 0 : 2e-5 * random.uniform());
  device.submit = parameter(chance(random, 0.5) ? 0 : 1e-5 * random.uniform());
  device.run_overhead = parameter(chance(random, 0.5) ? 0 : 1e-5 * random.uniform());
  machine.devices.push_back(device);
  return machine;
}

RandomGroup random_group(Random& random) {
  constexpr std::array<double, 7> kDecades = {1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
  RandomGroup group;
  group.machine = random_machine(random);
  group.two_engines = chance(random, 0.6);
  group.tasks.resize(1 + random.below(8));
  const double decade = kDecades[random.below(kDecades.size())];
  const bool complete = chance(random, 0.5);
  const bool complete_but_later_stages = chance(random, 0.5);
  const bool coarse = chance(random, 0.3);
  for (GroupTask& task : group.tasks) {
    for (std::size_t stage = 0; stage < 3; ++stage) {
      if (!complete && chance(random, 0.25) && (stage > 0 || !complete_but_later_stages)) continue;
      tests::GroupStage s;
      const double length = coarse ? decade * static_cast<double>(random.below(4)) : decade * 9 * random.uniform();
      if (chance(random, 0.4)) {
        s.amount = static_cast<std::uint64_t>(length / (stage == 1 ? 1e3 : 15));
      } else {
        s.duration = chance(random, 0.1) ? 0 : static_cast<Tick>(length);
      }
      task[stage] = s;
    }
  }
  return group;
}

std::vector<std::uint32_t> shuffled(Random& random, std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Tick simulated(const RandomGroup& group, std::span<const std::uint32_t> order) {
  const core::Plan plan = tests::group_plan(group.tasks, order, group.two_engines);
  return sim::fast::simulate(plan, models::CostModel(group.machine, plan, models::InterferenceMode::partial)).makespan;
}

OrderEngine engine_of(const RandomGroup& group) {
  std::vector<std::uint32_t> order(group.tasks.size());
  std::iota(order.begin(), order.end(), 0U);
  const core::Plan plan = tests::group_plan(group.tasks, order, group.two_engines);
  const models::CostModel cost(group.machine, plan, models::InterferenceMode::partial);
  return tests::group_engine(group.tasks, group.two_engines, plan, cost);
}

TEST(OrderEngine, EqualsThePlanEngineToOneTickOnRandomGroups) {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    Random random(seed);
    const RandomGroup group = random_group(random);
    OrderEngine engine = engine_of(group);
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::uint32_t> order = shuffled(random, group.tasks.size());
      const Tick found = core::round_to_tick(engine.evaluate(order));
      ASSERT_LE(std::abs(found - simulated(group, order)), 1) << "seed " << seed;
    }
  }
}

TEST(OrderEngine, GivesTheSameAfterAnyPushesAndPops) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Random random(seed);
    const RandomGroup group = random_group(random);
    OrderEngine engine = engine_of(group);
    OrderEngine fresh = engine_of(group);
    std::vector<std::uint32_t> pushed;
    for (int i = 0; i < 40; ++i) {
      if (pushed.size() == group.tasks.size() || (!pushed.empty() && chance(random, 0.4))) {
        engine.pop();
        pushed.pop_back();
      } else {
        std::vector<std::uint32_t> left = shuffled(random, group.tasks.size());
        while (std::find(pushed.begin(), pushed.end(), left.back()) != pushed.end()) left.pop_back();
        engine.push(left.back());
        pushed.push_back(left.back());
      }
      ASSERT_EQ(engine.size(), pushed.size());
      if (chance(random, 0.5)) continue;
      ASSERT_EQ(engine.makespan(), fresh.evaluate(pushed)) << "seed " << seed;
    }
  }
}

TEST(OrderEngine, GivesZeroForNothing) {
  OrderEngine engine(sim::fast::OrderDevice{.run_overhead = 5}, {sim::fast::TaskCost{}});
  EXPECT_EQ(engine.makespan(), 0);
  engine.push(0);  // a task without stages
  EXPECT_EQ(engine.makespan(), 0);
}

TEST(OrderEngine, TakesSixtyFourTasksAndRefusesMore) {
  const sim::fast::TaskCost task{{true, 0, 10}, {true, 0, 10}, {true, 0, 10}};
  OrderEngine engine(sim::fast::OrderDevice{}, std::vector<sim::fast::TaskCost>(64, task));
  std::vector<std::uint32_t> order(64);
  std::iota(order.begin(), order.end(), 0U);
  EXPECT_EQ(engine.evaluate(order), 66 * 10);
  EXPECT_THROW(OrderEngine(sim::fast::OrderDevice{}, std::vector<sim::fast::TaskCost>(65, task)),
               std::invalid_argument);
}

TEST(OrderEngine, ReproducesTheWorkedExampleOfPartialOverlap) {
  // htod 1 would end at 210; dtoh 0 starts at 207, both at 3/8: htod 1 ends at 215, and dtoh 0, then due at 220, ends
  // at 224 because htod 2 starts at 215.
  sim::fast::OrderDevice device;
  const std::vector<core::InterferenceRow> rows = {row({{ActivityClass::htod, 0.375}, {ActivityClass::dtoh, 0.375}})};
  device.rates = models::RateTable(rows);
  OrderEngine engine(
      device, {{{true, 0, 100}, {true, 0, 107}, {true, 0, 8}}, {{true, 0, 110}, {}, {}}, {{true, 0, 2.4}, {}, {}}});
  engine.push(0);
  EXPECT_EQ(engine.makespan(), 215);
  engine.push(1);
  EXPECT_EQ(engine.makespan(), 220);
  engine.push(2);
  EXPECT_DOUBLE_EQ(engine.makespan(), 224);
}

}  // namespace
