// How many kernel lanes are chosen, where kernels occupy a part of the device that depends on their size.

#include <gtest/gtest.h>

#include "scenarios/read.hpp"
#include "tune/group.hpp"
#include "tune/sizing.hpp"

namespace forelap::tune {
namespace {

/// The rate of a large GPU; launches of fewer than `full_items` leave room for others.
core::Machine machine(const std::string& full_items) {
  return scenarios::parse_machine(R"(forelap_machine: 1
name: m
devices:
  - name: gpu
    copy_engines: 2
    run_overhead: 10 us
    hop: 5 us
    transfers:
      - {direction: htod, memory: pinned, latency: 5 us, rate: 55 GB/s}
      - {direction: dtoh, memory: pinned, latency: 12 us, rate: 55 GB/s}
    kernels:
      - {kernel: synthetic, launch: 3 us, per_work: 60 fs)" +
                                      (full_items.empty() ? "" : ", full_items: " + full_items) + "}\n",
                                  "m.yaml");
}

scenarios::Scenario library(const std::string& name) {
  return scenarios::read_scenario(FORELAP_SOURCE_DIR "/scenarios/library/" + name + ".yaml");
}

GroupChoice tuned(const scenarios::Scenario& scenario, const core::Machine& on, std::size_t case_index = 0) {
  GroupOptions options;
  options.seconds = 20;  // ended by proof, or by rounds
  options.rounds = 30;
  options.figures = false;
  return tune_group(scenario, size_case(scenario, case_index, on), on, options);
}

/// Time of `choice` with another number of kernel lanes, in the same order.
double with_lanes(const scenarios::Scenario& scenario, const core::Machine& on, const GroupChoice& choice,
                  std::uint32_t lanes) {
  const auto tuning = size_case(scenario, 0, on);
  Arrangement arrangement = choice.chosen.arrangement;
  arrangement.kernel_lanes = lanes;
  return GroupEvaluator(scenario, tuning, on).evaluate(arrangement);
}

scenarios::Scenario with_kernel_lanes(scenarios::Scenario scenario, std::uint32_t lanes) {
  auto& group = std::get<scenarios::TaskGroup>(scenario.body);
  group.kernel_lanes = lanes;
  group.kernel_lanes_given = false;
  return scenario;
}

/// Tasks like those of small-kernels, of a hundred times the items.
scenarios::Scenario large_kernels() {
  return scenarios::parse_scenario(R"(forelap: 1
kind: task_group
tasks:
  - {name: A, htod: 6 MiB, kernel: 3 ms, dtoh: 6 MiB}
  - {name: B, htod: 9 MiB, kernel: 2 ms, dtoh: 9 MiB}
  - {name: C, htod: 19 MiB, kernel: 2.5 ms, dtoh: 19 MiB}
  - {name: D, htod: 25 MiB, kernel: 2 ms, dtoh: 25 MiB}
)",
                                   "large.yaml");
}

TEST(KernelLanes, SmallKernelsRunSideBySide) {
  const auto scenario = library("small-kernels");
  const auto on = machine("33.8e3");
  const auto choice = tuned(scenario, on);
  EXPECT_GE(choice.chosen.arrangement.kernel_lanes, 2U);
  const double one = with_lanes(scenario, on, choice, 1);
  EXPECT_LT(choice.chosen.time, 0.5 * one) << "12 ms one after the other; they occupy no more than the device";
  EXPECT_GE(choice.chosen.time, 3e9) << "the longest of them";
}

TEST(KernelLanes, TwoAreEnoughForTwoPairsThatFillTheDevice) {
  // Halves of the device: more than two lanes gain nothing.
  const auto scenario = scenarios::parse_scenario(R"(forelap: 1
kind: task_group
kernel_lanes: auto
tasks:
  - {name: A, htod: 66 KiB, kernel: 2 ms}
  - {name: B, htod: 66 KiB, kernel: 2 ms}
  - {name: C, htod: 66 KiB, kernel: 2 ms}
  - {name: D, htod: 66 KiB, kernel: 2 ms}
)",
                                                  "halves.yaml");
  const auto on = machine("33.8e3");
  const auto choice = tuned(scenario, on);
  EXPECT_GE(choice.chosen.arrangement.kernel_lanes, 2U);
  EXPECT_NEAR(with_lanes(scenario, on, choice, 2), choice.chosen.time, 0.005 * choice.chosen.time);
  EXPECT_NEAR(choice.chosen.time, 4e9, 0.05e9);
}

TEST(KernelLanes, OneLaneStaysWhereKernelsFillTheDevice) {
  const auto on = machine("33.8e3");
  EXPECT_EQ(tuned(large_kernels(), on).chosen.arrangement.kernel_lanes, 1U);
}

TEST(KernelLanes, OneLaneStaysOnADeviceThatRunsOneKernelAtATime) {
  const auto scenario = with_kernel_lanes(library("small-kernels"), 1);
  EXPECT_EQ(tuned(scenario, machine("")).chosen.arrangement.kernel_lanes, 1U);
  EXPECT_GT(tuned(scenario, machine("33.8e3")).chosen.arrangement.kernel_lanes, 1U) << "left free where there is room";
  auto given = scenario;
  std::get<scenarios::TaskGroup>(given.body).kernel_lanes_given = true;
  EXPECT_EQ(tuned(given, machine("33.8e3")).chosen.arrangement.kernel_lanes, 1U) << "what the scenario says is kept";
}

TEST(KernelLanes, OfACaseThatNamesThemAreKept) {
  const auto scenario = library("small-kernels-lanes");
  const auto on = machine("33.8e3");
  std::vector<double> times;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto choice = tuned(scenario, on, i);
    EXPECT_EQ(choice.chosen.arrangement.kernel_lanes, 1U << i);
    times.push_back(choice.chosen.time);
  }
  EXPECT_LT(times[1], 0.6 * times[0]);
  EXPECT_LT(times[2], 0.9 * times[1]);
}

}  // namespace
}  // namespace forelap::tune
