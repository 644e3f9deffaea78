#include "tune/partition_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partition_machines.hpp"
#include "tune/partition.hpp"

namespace forelap::tune {
namespace {

using testing::add_rows;
using testing::cores;
using testing::gpu;
using testing::machine_of;

/// Microseconds.
double micros(double ticks) {
  return ticks / core::kTicksPerSecond * 1e6;
}

scenarios::PartitionTuning given(const scenarios::Scenario& scenario, const core::Machine& machine,
                                 const std::vector<std::uint64_t>& rows, std::uint32_t chunks) {
  auto tuning = base_tuning(scenario, machine);
  for (std::size_t d = 0; d < rows.size(); ++d) {
    tuning.devices[d].rows = rows[d];
    if (!tuning.devices[d].in_place) tuning.devices[d].chunks = chunks;
  }
  return tuning;
}

TEST(PartitionEvaluator, TimesCopiesKernelAndCopyBackOfOneChunk) {
  const auto scenario = add_rows(100);
  // A row: 2 us for both tiles in, 5 us of kernel, 3 us back; each command waits 10 us before it works.
  const auto machine = machine_of({gpu("g", 10e-6, 1e-6, 5e-6, 3e-6)});
  PartitionEvaluator evaluator(scenario, machine);
  const auto run = evaluator.run(given(scenario, machine, {100}, 1));
  EXPECT_NEAR(micros(run.time), 2 * (10 + 100) + (10 + 500) + (10 + 300), 1e-3);
  EXPECT_DOUBLE_EQ(run.ends[0], run.time);
}

TEST(PartitionEvaluator, OverlapsTheChunksOfADevice) {
  const auto scenario = add_rows(100);
  const auto machine = machine_of({gpu("g", 10e-6, 1e-6, 5e-6, 3e-6)});
  PartitionEvaluator evaluator(scenario, machine);
  // Two chunks of 50 rows: in 120, kernel 260, back 160 each. The kernels take longest: 120 + 260 + 260 + 160.
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {100}, 2)).time), 800, 1e-3);
}

TEST(PartitionEvaluator, RunsCoresInPlaceBesideTheDevice) {
  const auto scenario = add_rows(100);
  const auto machine = machine_of({gpu("g", 0, 1e-6, 5e-6, 3e-6), cores("c", 20e-6, 10e-6)});
  PartitionEvaluator evaluator(scenario, machine);
  const auto run = evaluator.run(given(scenario, machine, {60, 40}, 1));
  EXPECT_NEAR(micros(run.ends[0]), 60 * (2 + 5 + 3), 1e-3);
  EXPECT_NEAR(micros(run.ends[1]), 20 + 400, 1e-3);
}

TEST(PartitionEvaluator, SlowsCoresWhileCopiesShareTheirMemory) {
  const auto scenario = add_rows(100);
  auto machine = machine_of({gpu("g", 0, 1e-6, 5e-6, 3e-6), cores("c", 0, 10e-6)});
  core::InterferenceRow row;
  row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::kernel);
  row.rates[core::ActivityClass::kernel] = testing::exactly(0.5);
  row.kernel = "matrix_add";
  machine.host.interference.push_back(row);
  PartitionEvaluator evaluator(scenario, machine);
  // 120 us of copies in, in which the cores do half: 60 us are lost to them.
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {60, 40}, 1)).ends[1]), 400 + 60, 1e-3);
  // What is known of another kernel says nothing of this one.
  machine.host.interference[0].kernel = "mandelbrot";
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {60, 40}, 1)).ends[1]), 400, 1e-3);
}

TEST(PartitionEvaluator, SharesTheHostsCapacityAmongTheCopiesOfDevices) {
  const auto scenario = add_rows(100);
  auto machine = machine_of({gpu("g0", 0, 1e-6, 5e-6, 3e-6), gpu("g1", 0, 1e-6, 5e-6, 3e-6)});
  machine.host.capacity.push_back({core::ActivityClass::htod, testing::exactly(1), {}});
  PartitionEvaluator evaluator(scenario, machine);
  // 50 rows each: 100 us of copies in alone, 200 together.
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {50, 50}, 1)).time), 200 + 250 + 150, 1e-3);
}

TEST(PartitionEvaluator, SharesTheHostsCapacityAmongGroupsOfCores) {
  const auto scenario = add_rows(100);
  auto machine = machine_of({cores("a", 0, 10e-6), cores("b", 0, 10e-6)});
  machine.host.capacity.push_back({core::ActivityClass::kernel, testing::exactly(1.25), "matrix_add"});
  PartitionEvaluator evaluator(scenario, machine);
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {50, 50}, 1)).time), 500 / 0.625, 1e-3);
  EXPECT_NEAR(micros(evaluator.run(given(scenario, machine, {100, 0}, 1)).time), 1000, 1e-3);
}

TEST(PartitionEvaluator, TakesSerialCopiesOneDeviceAfterTheOther) {
  const auto scenario = add_rows(100);
  auto machine = machine_of({gpu("g0", 0, 1e-6, 5e-6, 3e-6), gpu("g1", 0, 1e-6, 5e-6, 3e-6)});
  auto tuning = given(scenario, machine, {50, 50}, 1);
  tuning.transfers = scenarios::TransferMode::serial;
  PartitionEvaluator evaluator(scenario, machine);
  const auto run = evaluator.run(tuning);
  // In 0-100 and 100-200; kernels to 350 and 450; back 350-500 and 500-650.
  EXPECT_NEAR(micros(run.ends[0]), 500, 1e-3);
  EXPECT_NEAR(micros(run.ends[1]), 650, 1e-3);
}

TEST(PartitionEvaluator, TimesAPartOfTheRowsOnOneDeviceAlone) {
  const auto scenario = add_rows(100);
  const auto machine = machine_of({cores("a", 1e-6, 1e-6), cores("b", 2e-6, 10e-6)});
  PartitionEvaluator evaluator(scenario, machine);
  const auto base = base_tuning(scenario, machine);
  const auto alone = [&](std::uint64_t first, std::uint64_t rows) {
    return micros(evaluator.alone(base.devices[1], 1, first, rows, base.transfers, base.memory));
  };
  EXPECT_NEAR(alone(30, 20), 202, 1e-3);
  EXPECT_EQ(alone(30, 0), 0);
  EXPECT_NEAR(micros(evaluator.busiest(base.devices[1], 1, 30, 20, base.memory)), 200, 1e-3);
}

}  // namespace
}  // namespace forelap::tune
