#include "tune/task_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "scenarios/lower.hpp"
#include "scenarios/read.hpp"
#include "sim/fast/executor.hpp"
#include "tune/sizing.hpp"

namespace forelap::tune {
namespace {

constexpr const char* kMachine = R"(forelap_machine: 1
name: m
devices:
  - name: gpu
    copy_engines: 2
    hop: 3 us
    submit: 2 us
    run_overhead: 5 us
    transfers:
      - {direction: htod, memory: pinned, latency: 10 us, rate: 10 GB/s}
      - direction: dtoh
        memory: pinned
        pieces:
          - {to: 1 MB, latency: 20 us, rate: 5 GB/s}
          - {from: 1 MB, latency: 100 us, rate: 10 GB/s}
    kernels:
      - {kernel: synthetic, launch: 5 us, per_work: 1 ps, per_item: 10 ps}
    interference:
      - {active: [htod, dtoh], rates: {htod: 0.8, dtoh: 0.6}}
      - {active: [htod, kernel], rates: {htod: 0.9, kernel: 0.95}}
)";

core::Machine machine() {
  return scenarios::parse_machine(kMachine, "m.yaml");
}

scenarios::Scenario scenario_of(const std::string& tasks, const std::string& head = "") {
  return scenarios::parse_scenario("forelap: 1\nkind: task_group\n" + head + "tasks:\n" + tasks, "f.yaml");
}

std::string random_tasks(core::Random& random) {
  std::string text;
  const std::size_t count = 1 + random.below(6);
  for (std::size_t i = 0; i < count; ++i) {
    text += "  - {kernel: " + std::to_string(100 + random.below(900)) + " us";
    if (random.below(5) != 0) text += ", htod: " + std::to_string(random.below(4000)) + " KiB";
    if (random.below(5) != 0) text += ", dtoh: " + std::to_string(random.below(4000)) + " KiB";
    text += "}\n";
  }
  return text;
}

TEST(ProblemOf, TheOrderEngineEqualsTheSimulatorOnTheLoweredPlan) {
  core::Random random(8);
  const core::Machine m = machine();
  for (int i = 0; i < 50; ++i) {
    const auto scenario = scenario_of(random_tasks(random), i % 2 == 0 ? "engines: 2\n" : "engines: 1\n");
    auto tuning = size_case(scenario, 0, m);
    const auto mode = i % 5 == 0 ? core::InterferenceMode::none : core::InterferenceMode::partial;
    const auto problem = problem_of(scenario, tuning, m, mode);
    ASSERT_TRUE(problem.has_value());
    for (std::size_t k = tuning.order.size(); k > 1; --k) std::swap(tuning.order[k - 1], tuning.order[random.below(k)]);
    const core::Plan plan = scenarios::lower(scenario, tuning);
    const auto simulated = sim::fast::simulate(plan, models::CostModel(m, plan, mode)).makespan;
    sim::fast::OrderEngine engine(problem->device, problem->tasks);
    EXPECT_NEAR(engine.evaluate(tuning.order), static_cast<double>(simulated), 1) << i;
  }
}

TEST(ProblemOf, IsNothingWhereTheGroupDoesNotFitTheEngine) {
  const core::Machine m = machine();
  const auto fits = [&](const std::string& tasks, const std::string& head = "",
                        core::InterferenceMode mode = core::InterferenceMode::partial) {
    const auto scenario = scenario_of(tasks, head);
    return problem_of(scenario, size_case(scenario, 0, m), m, mode).has_value();
  };
  const std::string plain = "  - {name: A, htod: 1 MiB, kernel: 1 ms, dtoh: 1 MiB}\n";
  EXPECT_TRUE(fits(plain));
  EXPECT_TRUE(fits(plain, "engines: 2\nsubmission: by_type\n"));
  EXPECT_FALSE(fits(plain, "engines: 1\nsubmission: by_task\n"));
  EXPECT_FALSE(fits(plain, "kernel_lanes: 2\n"));
  EXPECT_FALSE(fits(plain, "", core::InterferenceMode::full));
  EXPECT_FALSE(fits(plain + "  - {name: B, kernel: 1 ms, after: [A]}\n"));
  EXPECT_FALSE(fits("  - {htod: [1 MiB, 2 MiB], kernel: 1 ms}\n"));
  EXPECT_FALSE(fits("  - {kernel: [1 ms, 2 ms]}\n"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "  - {kernel: 1 ms}\n";
  EXPECT_FALSE(fits(many));
  EXPECT_FALSE(fits(plain + "  - {name: B, kernel: 1 ms, dtoh: 1 MiB}\n", "device_memory: 1.5 MiB\n"));
  EXPECT_TRUE(fits(plain + "  - {name: B, kernel: 1 ms, dtoh: 1 MiB}\n", "device_memory: 4 MiB\n"));
}

TEST(OpenTasks, SayWhatTheTaskMovesAndRuns) {
  const core::Machine m = machine();
  const auto scenario = scenario_of("  - {htod: 1 MiB, kernel: {repeat: 3}, dtoh: 512 KiB}\n");
  const auto tuning = size_case(scenario, 0, m);
  const TaskPrices prices(m, 0, core::InterferenceMode::partial, core::MemoryKind::pinned);
  const core::OpenTask task = open_task(scenario, tuning, 0, prices);
  EXPECT_EQ(task.htod_bytes, std::uint64_t{1} << 20U);
  EXPECT_EQ(task.dtoh_bytes, std::uint64_t{1} << 19U);
  EXPECT_EQ(task.kernel, "synthetic");
  EXPECT_GT(task.work, 0);
  EXPECT_LT(task.htod_duration, 0);
  EXPECT_LT(task.kernel_duration, 0);
  const auto cost = prices.price(task);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->htod.fixed, 10e6);
  EXPECT_NEAR(cost->htod.work, 1048576.0 * 100, 1);
  EXPECT_EQ(cost->kernel.fixed, 5e6);
}

TEST(OpenTasks, OfSeveralCommandsInAStageSayTheSumOfTheirTimes) {
  const core::Machine m = machine();
  const auto scenario = scenario_of("  - {htod: [1 MB, 2 MB], kernel: 1 ms}\n");
  const TaskPrices prices(m, 0, core::InterferenceMode::partial, core::MemoryKind::pinned);
  const core::OpenTask task = open_task(scenario, size_case(scenario, 0, m), 0, prices);
  EXPECT_EQ(task.htod_bytes, 3'000'000U);
  EXPECT_EQ(task.htod_duration, 320'000'000);  // twice 10 us and 300 us of bytes
  EXPECT_EQ(task.dtoh_bytes, 0U);
  EXPECT_FALSE(prices.price(task)->dtoh.present);
}

TEST(TaskPrices, GivenTimesNeedNoModels) {
  const auto ideal =
      scenarios::parse_machine("forelap_machine: 1\nname: i\ndevices: [{name: ideal, copy_engines: 1}]\n", "i.yaml");
  const TaskPrices prices(ideal, 0, core::InterferenceMode::partial, core::MemoryKind::pinned);
  EXPECT_FALSE(prices.device().two_engines);
  core::OpenTask task;
  task.htod_duration = 7;
  task.kernel = "anything";
  task.kernel_duration = 8;
  const auto cost = prices.price(task);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->htod.work, 7);
  EXPECT_EQ(cost->kernel.work, 8);
  EXPECT_FALSE(cost->dtoh.present);
  task.kernel_duration = -1;
  EXPECT_FALSE(prices.price(task).has_value());
  task.kernel_duration = 0;
  EXPECT_FALSE(prices.price(task)->kernel.present);
  task.dtoh_bytes = 5;
  EXPECT_FALSE(prices.price(task).has_value());
}

TEST(TaskPrices, ADeviceThatIsNotThereIsRefused) {
  EXPECT_THROW(TaskPrices(machine(), 1, core::InterferenceMode::partial, core::MemoryKind::pinned),
               std::invalid_argument);
}

}  // namespace
}  // namespace forelap::tune
