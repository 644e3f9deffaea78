#include "tune/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/error.hpp"
#include "partition_machines.hpp"

namespace forelap::tune {
namespace {

using scenarios::PartitionTuning;
using testing::add_rows;
using testing::cores;
using testing::gpu;
using ::testing::HasSubstr;
using testing::machine_of;

PartitionChoice tune(const scenarios::Scenario& scenario, const core::Machine& machine, PartitionOptions options = {}) {
  return tune_partition(scenario, machine, base_tuning(scenario, machine), options);
}

std::uint64_t total(const PartitionTuning& tuning) {
  return std::accumulate(tuning.devices.begin(), tuning.devices.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& device) { return sum + device.rows; });
}

/// The least time of all divisions into whole rows, one chunk each.
double brute_force(const scenarios::Scenario& scenario, const core::Machine& machine) {
  PartitionEvaluator evaluator(scenario, machine);
  PartitionTuning tuning = base_tuning(scenario, machine);
  const std::uint64_t rows = evaluator.rows();
  double best = kImpossible;
  for (std::uint64_t a = 0; a <= rows; ++a) {
    for (std::uint64_t b = 0; a + b <= rows; ++b) {
      tuning.devices[0].rows = a;
      tuning.devices[1].rows = b;
      if (tuning.devices.size() == 2 && a + b < rows) continue;
      if (tuning.devices.size() > 2) tuning.devices[2].rows = rows - a - b;
      best = std::min(best, evaluator.run(tuning).time);
    }
  }
  return best;
}

TEST(TunePartition, LetsAffineDevicesFinishTogether) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({cores("a", 1e-3, 2e-9), cores("b", 2e-3, 1e-9), cores("c", 5e-4, 8e-9)});
  const auto choice = tune(scenario, machine);
  // T = (n + sum gamma / eta) / sum 1 / eta.
  const double expected = (1e6 + 0.5e6 + 2e6 + 0.0625e6) / (0.5e9 + 1e9 + 0.125e9);
  EXPECT_NEAR(choice.time / core::kTicksPerSecond, expected, 2e-4 * expected);
  EXPECT_EQ(total(choice.tuning), 1'000'000U);
  for (const auto& device : choice.devices) EXPECT_NEAR(device.end, choice.time, 1e-3 * choice.time);
}

TEST(TunePartition, LeavesOutADeviceThatOnlyCosts) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({cores("a", 1e-5, 1e-9), cores("slow to start", 5e-3, 1e-9)});
  const auto choice = tune(scenario, machine);
  EXPECT_EQ(choice.tuning.devices[1].rows, 0U);
  EXPECT_DOUBLE_EQ(choice.gain, 1);
  EXPECT_EQ(choice.best_single, 0U);
}

TEST(TunePartition, FindsTheBestDivisionOfRandomAffineMachines) {
  core::Random random(11);
  for (int trial = 0; trial < 60; ++trial) {
    const auto scenario = add_rows(static_cast<double>(3 + random.below(24)));
    std::vector<core::DeviceModel> devices;
    for (std::size_t d = 0; d < 2 + random.below(2); ++d) {
      devices.push_back(cores("d" + std::to_string(d), 1e-6 * static_cast<double>(random.below(60)),
                              1e-6 * (1 + 20 * random.uniform())));
    }
    const auto machine = machine_of(devices);
    const auto choice = tune(scenario, machine);
    EXPECT_LE(choice.time, brute_force(scenario, machine) * 1.0001) << "trial " << trial;
    EXPECT_LE(choice.bound, choice.time);
  }
}

TEST(TunePartition, ComesNearTheBestDivisionWhereDevicesMoveDataAndMeet) {
  core::Random random(12);
  for (int trial = 0; trial < 30; ++trial) {
    const auto scenario = add_rows(static_cast<double>(8 + random.below(17)));
    std::vector<core::DeviceModel> devices;
    const auto some = [&random](double most) { return 1e-6 * (0.5 + most * random.uniform()); };
    devices.push_back(gpu("g0", some(5), some(4), some(8), some(4)));
    devices.push_back(gpu("g1", some(5), some(4), some(8), some(4)));
    if (random.below(2) == 0) devices.push_back(cores("c", some(5), some(20)));
    auto machine = machine_of(devices);
    // The host's memory slows copies, and kernels of the cores while there are copies.
    machine.host.capacity.push_back({core::ActivityClass::htod, testing::exactly(1 + random.uniform()), {}});
    core::InterferenceRow row;
    row.active = core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::kernel);
    row.rates[core::ActivityClass::kernel] = testing::exactly(0.5 + 0.5 * random.uniform());
    row.rates[core::ActivityClass::htod] = testing::exactly(0.5 + 0.5 * random.uniform());
    machine.host.interference.push_back(row);
    PartitionOptions options;
    options.chunks = 1;
    const auto choice = tune(scenario, machine, options);
    EXPECT_LE(choice.time, brute_force(scenario, machine) * 1.01) << "trial " << trial;
  }
}

TEST(TunePartition, ChoosesChunksThatOverlapCopiesAndKernels) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({gpu("g", 1e-6, 1e-9, 3e-9, 1e-9)});
  const auto choice = tune(scenario, machine);
  EXPECT_GT(choice.tuning.devices[0].chunks, 4U);
  // Copies in are of two tiles; the kernel is what takes longest: 3 ms.
  EXPECT_LT(choice.time / core::kTicksPerSecond, 3.4e-3);
  EXPECT_NEAR(choice.bound / core::kTicksPerSecond, 3e-3, 1e-6);
}

TEST(TunePartition, KeepsToTheChunksThatAreAskedFor) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({gpu("g", 1e-6, 1e-9, 3e-9, 1e-9), cores("c", 1e-6, 5e-9)});
  PartitionOptions options;
  options.chunks = 3;
  const auto choice = tune(scenario, machine, options);
  EXPECT_EQ(choice.tuning.devices[0].chunks, 3U);
  EXPECT_EQ(choice.tuning.devices[1].chunks, 1U);
}

TEST(TunePartition, GivesEqualWorkRatherThanEqualRows) {
  auto scenario = add_rows(1000);
  auto& partition = std::get<scenarios::Partition>(scenario.body);
  partition.profile = scenarios::ProfileMode::list;
  partition.densities = {1, 3};
  const auto machine = machine_of({cores("a", 0, 1e-6), cores("b", 0, 1e-6)});
  const auto choice = tune(scenario, machine);
  // Work lies 1 : 3 in the halves: two thirds of the rows hold half of it.
  EXPECT_NEAR(static_cast<double>(choice.tuning.devices[0].rows), 2000.0 / 3, 1);
  EXPECT_NEAR(choice.efficiency, 1, 2e-3);
}

TEST(TunePartition, ReckonsWithSerialTransfers) {
  auto scenario = add_rows(1e6);
  std::get<scenarios::Partition>(scenario.body).transfers = scenarios::TransferMode::serial;
  const auto machine = machine_of({gpu("g0", 1e-6, 1e-9, 8e-9, 1e-9), gpu("g1", 1e-6, 1e-9, 8e-9, 1e-9)});
  PartitionOptions options;
  options.chunks = 1;
  const auto serial = tune(scenario, machine, options);
  // The second begins later, so it gets less.
  EXPECT_GT(serial.tuning.devices[0].rows, serial.tuning.devices[1].rows);
  std::get<scenarios::Partition>(scenario.body).transfers = scenarios::TransferMode::concurrent;
  EXPECT_LT(tune(scenario, machine, options).time, serial.time);
}

TEST(TunePartition, TellsGainAndEfficiency) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({cores("a", 0, 1e-9), cores("b", 0, 4e-9)});
  const auto choice = tune(scenario, machine);
  EXPECT_NEAR(choice.gain, 1.25, 1e-3);
  EXPECT_NEAR(choice.efficiency, 1, 1e-3);
  ASSERT_FALSE(choice.alternatives.empty());
  EXPECT_EQ(choice.alternatives.front().what, "a alone");
  EXPECT_NEAR(choice.alternatives.front().time / choice.time, 1.25, 1e-3);
  EXPECT_FALSE(choice.alternatives.front().tie);
}

TEST(TunePartition, KnowsWhatItCannotTellApart) {
  const auto scenario = add_rows(1e6);
  auto machine = machine_of({cores("a", 0, 1e-9), cores("b", 9e-4, 1e-9)});
  for (auto& device : machine.devices) {
    device.kernels[0].pieces[0].launch.spread = 3e-4;
    device.kernels[0].pieces[0].per_work.spread = 1e-10;
  }
  const auto choice = tune(scenario, machine);
  ASSERT_FALSE(choice.alternatives.empty());
  EXPECT_TRUE(choice.alternatives.front().tie);
}

TEST(TunePartition, DividesFewRowsAmongManyDevices) {
  for (const double rows : {1.0, 2.0, 3.0, 7.0}) {
    const auto machine =
        machine_of({cores("a", 1e-6, 1e-5), cores("b", 1e-6, 1e-5), cores("c", 1e-6, 1e-5), cores("d", 1e-6, 1e-5)});
    const auto choice = tune(add_rows(rows), machine);
    EXPECT_EQ(total(choice.tuning), static_cast<std::uint64_t>(rows));
  }
}

TEST(TunePartition, StreamsThroughASmallMemoryOrSaysWhyNot) {
  const auto scenario = add_rows(1e6);
  auto machine = machine_of({gpu("g", 1e-6, 1e-9, 1e-9, 1e-9)});
  machine.devices[0].memory_bytes = 3e6;  // of the 12 MB that the tiles take
  const auto choice = tune(scenario, machine);
  EXPECT_EQ(choice.tuning.devices[0].slots, 3U);
  EXPECT_GE(choice.tuning.devices[0].chunks, 13U);
  machine.devices[0].memory_bytes = 20;
  try {
    tune(scenario, machine);
    ADD_FAILURE() << "nothing was refused";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("20.00 B"));
    EXPECT_THAT(error.what(), HasSubstr("11.44 MiB"));
  }
}

TEST(TunePartition, GivesASmallDeviceNoMoreThanItHolds) {
  auto scenario = add_rows(1e6);
  std::get<scenarios::Partition>(scenario.body).transfers = scenarios::TransferMode::serial;
  auto machine = machine_of({gpu("g", 1e-7, 1e-10, 1e-10, 1e-10), cores("c", 1e-6, 5e-8)});
  machine.devices[0].memory_bytes = 3e6;
  const auto choice = tune(scenario, machine);
  EXPECT_LE(choice.tuning.devices[0].rows * 12, 3'000'000U);
  EXPECT_GT(choice.tuning.devices[0].rows, 200'000U);
  EXPECT_EQ(total(choice.tuning), 1'000'000U);
}

TEST(TuneChunks, LeavesTheRows) {
  const auto scenario = add_rows(1e6);
  const auto machine = machine_of({gpu("g", 1e-6, 1e-9, 3e-9, 1e-9), cores("c", 1e-6, 5e-9)});
  const auto given = with_weights(scenario, base_tuning(scenario, machine), {0.25, 0.75}, 1);
  const auto tuned = tune_chunks(scenario, machine, given, {});
  EXPECT_EQ(tuned.devices[0].rows, 250'000U);
  EXPECT_GT(tuned.devices[0].chunks, 2U);
  EXPECT_EQ(tuned.devices[1].chunks, 1U);
}

TEST(BaseTuning, TakesSampledProfilesWhereTheKernelIsIrregular) {
  auto scenario = add_rows(100);
  auto& partition = std::get<scenarios::Partition>(scenario.body);
  const auto machine = machine_of({cores("a", 0, 1e-6)});
  const std::vector<scenarios::CostProfile> sampled = {scenarios::make_profile(std::vector<double>{1, 2}, 30)};
  EXPECT_TRUE(base_tuning(scenario, machine, sampled).devices[0].profile.cumulative.empty());
  partition.kernel.irregular = true;
  EXPECT_EQ(base_tuning(scenario, machine, sampled).devices[0].profile.cumulative.size(), 3U);
  partition.profile = scenarios::ProfileMode::uniform;
  EXPECT_TRUE(base_tuning(scenario, machine, sampled).devices[0].profile.cumulative.empty());
}

}  // namespace
}  // namespace forelap::tune
