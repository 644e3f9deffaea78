// What the fit of transfers finds: how long the first one takes to start, and how sure it is of each parameter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "calibrate/fit.hpp"
#include "machine_under_test.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

using testing::known_machine;
using testing::log_spaced;
using testing::SampleMaker;

core::DeviceModel fit(const std::vector<Sample>& samples) {
  std::vector<std::string> warnings;
  return fit_samples(samples, FitOptions(), warnings);
}

/// Samples whose engines start in different times: `starts` instead of the machine's own overhead of a run.
std::vector<Sample> with_starts(const core::Machine& machine, const std::map<Subject, double>& starts, double noise) {
  SampleMaker maker(machine, noise);
  maker.latencies();
  maker.transfers(core::Direction::host_to_device, log_spaced(5612, 5.2e8, 15));
  maker.transfers(core::Direction::device_to_host, log_spaced(5612, 5.2e8, 15));
  maker.kernels({8e5, 4e6, 2e7}, {300, 1000, 6000});
  for (Sample& s : maker.samples) {
    const auto start = starts.find(s.subject);
    if (start != starts.end()) s.seconds += start->second - machine.devices[0].run_overhead.value;
  }
  return maker.samples;
}

TEST(FitTransfer, TheFirstTransferToTheDeviceTellsWhatARunTakesBesideItsSteps) {
  const core::Machine machine = known_machine();
  const core::DeviceModel& truth = machine.devices[0];
  const core::DeviceModel model = fit(with_starts(machine, {{Subject::htod, 9e-6}, {Subject::dtoh, 3e-6}}, 0));
  EXPECT_NEAR(model.run_overhead.value, 9e-6, 1e-12);
  // Each direction's own start is taken off, so that no latency is wrong by the difference.
  for (std::size_t t = 0; t < 2; ++t) {
    for (const double bytes : {68.0, 8e3, 3e5}) {
      const double seconds = models::transfer_seconds(truth.transfers[t], bytes);
      EXPECT_NEAR(models::transfer_seconds(model.transfers[t], bytes), seconds, 1e-6 * seconds) << bytes;
    }
  }
  // Kernels start on an engine of their own, whose overhead (the middle one here) they keep.
  const double launch = models::kernel_seconds(truth.kernels[0], 4e9, 4e6);
  EXPECT_NEAR(models::kernel_seconds(model.kernels.at(0), 4e9, 4e6), launch, 1e-6 * launch);
}

TEST(FitTransfer, TheStartIsFoundThroughNoiseAndItsSpreadTellsHowWell) {
  const core::Machine machine = known_machine();
  const core::DeviceModel model = fit(with_starts(machine, {{Subject::htod, 9e-6}, {Subject::dtoh, 3e-6}}, 0.005));
  EXPECT_GT(model.run_overhead.spread, 0);
  EXPECT_LT(model.run_overhead.spread, 1e-6);
  EXPECT_NEAR(model.run_overhead.value, 9e-6, 3 * model.run_overhead.spread);
}

TEST(FitTransfer, WithoutRowsOfTransfersTheOverheadOfARunIsThatOfTheChains) {
  const core::Machine machine = known_machine();
  std::vector<Sample> samples = with_starts(machine, {{Subject::htod, 9e-6}, {Subject::dtoh, 3e-6}}, 0);
  std::erase_if(samples, [](const Sample& s) { return s.count >= 4 && s.subject != Subject::kernel; });
  EXPECT_NEAR(fit(samples).run_overhead.value, 6e-6, 1e-12);
}

/// A line with a latency of 6 us and 50 GB/s whose sizes below `limit` scatter by a tenth from size to size, up and
/// down in turn, while the larger ones lie on it.
std::vector<Sample> scattered_sizes(double limit) {
  std::vector<Sample> samples;
  int turn = 1;
  for (const double bytes : log_spaced(100, 5e8, 20)) {
    const double scatter = bytes < limit ? 0.1 * (turn = -turn) : 0;
    for (std::uint32_t round = 1; round <= 5; ++round) {
      Sample s;
      s.bytes = bytes;
      s.seconds = (6e-6 + bytes / 50e9) * (1 + scatter);
      s.round = round;
      samples.push_back(s);
    }
  }
  return samples;
}

TEST(FitTransfer, SmallSizesThatScatterMakeTheLatencyUncertainAndNotTheRate) {
  const core::DeviceModel model = fit(scattered_sizes(1e5));
  const core::TransferPiece& first = model.transfers.at(0).pieces.front();
  const core::TransferPiece& last = model.transfers.at(0).pieces.back();
  EXPECT_NEAR(last.per_byte.value * 50e9, 1, 0.002);
  EXPECT_LT(last.per_byte.spread / last.per_byte.value, 0.005);
  EXPECT_NEAR(first.fixed.value, 6e-6, 0.3e-6);
  EXPECT_NEAR(first.fixed.spread / first.fixed.value, 0.1, 0.04);
}

TEST(FitTransfer, LargeSizesThatScatterMakeTheRateUncertain) {
  const core::DeviceModel model = fit(scattered_sizes(1e9));
  const core::TransferPiece& last = model.transfers.at(0).pieces.back();
  EXPECT_NEAR(last.per_byte.value * 50e9, 1, 0.1);
  EXPECT_NEAR(last.per_byte.spread / last.per_byte.value, 0.1, 0.04);
}

}  // namespace
}  // namespace forelap::calibrate
