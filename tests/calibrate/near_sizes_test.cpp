// Launches of few waves: sizes near those that will be predicted are measured, and the fit holds between them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/calibrate.hpp"
#include "machine_under_test.hpp"
#include "models/kernel.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::calibrate {
namespace {

using testing::known_device;
using testing::known_machine;
using testing::known_probe;
using testing::NoisyExecutor;

constexpr double kWave = 2048 * 132;

std::uint64_t bytes_of(double waves) {
  return static_cast<std::uint64_t>(std::round(waves * kWave)) * 4;
}

struct Calibrated {
  core::KernelModel model;
  Report report;
};

/// What a campaign on the machine makes of its first kernel where launches over `near_bytes` will be asked for.
Calibrated calibrated(const core::Machine& truth, KernelProbe probe, const std::vector<std::uint64_t>& near_bytes,
                      double noise = 0.003) {
  const auto exact =
      sim::fast::make_executor(std::make_shared<const core::Machine>(truth), core::InterferenceMode::partial);
  NoisyExecutor executor(*exact, noise);
  probe.near_bytes = near_bytes;
  const std::vector<KernelProbe> probes = {probe};
  Options options;
  options.campaign.budget_seconds = 30;
  options.campaign.most_rounds = 3;
  options.campaign.host_bytes = std::uint64_t{8} << 30;
  options.campaign.parts = static_cast<PartSet>(bit(Part::latency) | bit(Part::kernel) | bit(Part::fill));
  Calibrated result;
  result.model = calibrate_device(executor, known_device(), probes, options, result.report).kernels.at(0);
  return result;
}

/// Predicted over true time, less 1, of a launch that takes about `seconds`.
double error_at(const core::Machine& truth, const core::KernelModel& model, std::uint64_t bytes, double seconds) {
  const core::KernelModel& exact = truth.devices[0].kernels[0];
  const auto items = static_cast<double>(bytes / 4);
  const double work = items * std::max(1.0, std::round(models::kernel_work(exact, seconds, items) / items));
  return models::kernel_seconds(model, work, items) / models::kernel_seconds(exact, work, items) - 1;
}

core::Machine stepped() {
  core::Machine machine = known_machine();
  testing::step_by_waves(machine);
  return machine;
}

TEST(NearSizes, LaunchesOfFewWavesArePredictedBetweenSizesNearThem) {
  const core::Machine truth = stepped();
  std::vector<std::uint64_t> sizes;
  for (const double waves : {1.37, 2.5, 3.6, 6.4, 8.5, 11.4}) sizes.push_back(bytes_of(waves));
  const Calibrated done = calibrated(truth, known_probe(), sizes);
  for (const std::uint64_t bytes : sizes) {
    for (const double seconds : {2e-4, 1e-3, 5e-3}) {
      EXPECT_NEAR(error_at(truth, done.model, bytes, seconds), 0, 0.03)
          << static_cast<double>(bytes) / 4 / kWave << " waves, " << seconds << " s";
    }
  }
  // Without them the step is not seen.
  const Calibrated blind = calibrated(truth, known_probe(), {});
  EXPECT_GT(std::abs(error_at(truth, blind.model, sizes[0], 1e-3)), 0.1);
}

TEST(NearSizes, NoneIsOneThatIsPredicted) {
  const std::vector<std::uint64_t> sizes = {bytes_of(1.37), bytes_of(1.37 * 1.015), bytes_of(0.5)};
  const Calibrated done = calibrated(stepped(), known_probe(), sizes);
  for (const Sample& s : done.report.samples) {
    for (const std::uint64_t bytes : sizes) EXPECT_NE(s.items, static_cast<double>(bytes / 4)) << describe(s);
  }
}

TEST(NearSizes, OfLaunchesOfManyWavesNoneIsMeasured) {
  const auto count = [](const std::vector<std::uint64_t>& near) {
    std::set<double> sizes;
    for (const Sample& s : calibrated(known_machine(), known_probe(), near).report.samples) {
      if (s.part == Part::kernel) sizes.insert(s.items);
    }
    return sizes.size();
  };
  const std::size_t usual = count({});
  EXPECT_EQ(count({bytes_of(14)}), usual);
  EXPECT_EQ(count({bytes_of(5)}), usual + 4);
}

TEST(NearSizes, ElsewhereTheModelIsAsWithoutThem) {
  const core::Machine truth = stepped();
  const Calibrated with = calibrated(truth, known_probe(), {bytes_of(1.37), bytes_of(6.4)}, 0);
  const Calibrated without = calibrated(truth, known_probe(), {}, 0);
  for (const double waves : {20.5, 60.0, 400.0}) {
    const double items = waves * kWave;
    EXPECT_NEAR(models::kernel_seconds(with.model, 100 * items, items) /
                    models::kernel_seconds(without.model, 100 * items, items),
                1, 0.02)
        << waves;
  }
}

TEST(NearSizes, StretchesFollowEachOtherWhereverTheSizesLie) {
  // Below the smallest size of all kernels, among the usual ones, and close together.
  core::Machine truth = stepped();
  const Calibrated done =
      calibrated(truth, known_probe(), {bytes_of(0.8), bytes_of(1.37), bytes_of(1.45), bytes_of(10.9)});
  const auto& pieces = done.model.pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_LT(pieces[i].from_items, pieces[i].to_items) << i;
    if (i > 0) {
      EXPECT_EQ(pieces[i].from_items, pieces[i - 1].to_items) << i;
    }
  }
}

TEST(NearSizes, AddLittleTime) {
  double seconds[2] = {0, 0};  // of the device, by the simulation
  for (const bool near : {false, true}) {
    const Calibrated done =
        calibrated(stepped(), known_probe(), near ? std::vector{bytes_of(1.37)} : std::vector<std::uint64_t>());
    for (const Sample& s : done.report.samples) seconds[near ? 1 : 0] += s.seconds;
  }
  EXPECT_LT(seconds[1] - seconds[0], 1) << "of three rounds of a kernel";
}

TEST(NearSizes, OfAKernelInPassesArePredictedToo) {
  core::Machine truth = known_machine();
  core::KernelModel& model = truth.devices[0].kernels[0];
  model.kernel = "floyd_warshall";
  model.pieces[0].launch.value = 2e-6;
  model.pieces[0].per_work.value = 0;
  model.pieces[0].per_item.value = 1e-11;
  testing::step_by_waves(truth);
  const std::uint64_t side = 1330;  // 6.5 waves a pass
  const Calibrated done = calibrated(truth, testing::probe_in_passes(), {side * side * 12});
  const auto items = static_cast<double>(side * side);
  const double expected = models::kernel_seconds(truth.devices[0].kernels[0], items, items);
  EXPECT_NEAR(models::kernel_seconds(done.model, items, items) / expected, 1, 0.03);
  for (const Sample& s : done.report.samples) EXPECT_NE(s.items, items);
}

TEST(NearSizes, OfRecordedSamplesAreUsedThoughTheDeviceIsNotKnown) {
  const core::Machine truth = stepped();
  const std::uint64_t bytes = bytes_of(1.37);
  const Calibrated done = calibrated(truth, known_probe(), {bytes});
  std::vector<std::string> warnings;
  const auto again = fit_samples(parse_samples(write_samples(done.report.samples), "s.csv"), FitOptions(), warnings);
  EXPECT_NEAR(error_at(truth, again.kernels.at(0), bytes, 1e-3), 0, 0.03);
}

}  // namespace
}  // namespace forelap::calibrate
