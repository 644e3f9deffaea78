#include "calibrate/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "machine_under_test.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::known_machine;
using testing::log_spaced;
using ::testing::Not;
using testing::SampleMaker;

constexpr double kNoise = 0.005;

core::DeviceModel fit(const std::vector<Sample>& samples, std::vector<std::string>& warnings) {
  return fit_samples(samples, FitOptions(), warnings);
}

SampleMaker everything(const core::Machine& machine, double noise) {
  SampleMaker maker(machine, noise);
  maker.latencies();
  maker.transfers(core::Direction::host_to_device, log_spaced(5612, 5.2e8, 15));
  maker.transfers(core::Direction::device_to_host, log_spaced(5612, 5.2e8, 15));
  maker.kernels({8e5, 4e6, 2e7}, {300, 1000, 6000});
  maker.interference(4e-3);
  maker.interference(9e-3);
  maker.engines(0.9);
  return maker;
}

Sample timed(double bytes, double seconds) {
  Sample s;
  s.bytes = bytes;
  s.seconds = seconds;
  return s;
}

void expect_near_relative(double value, double truth, double bound, const std::string& what) {
  EXPECT_NEAR(value / truth, 1, bound) << what << ": " << value << " for " << truth;
}

TEST(Fit, RecoversAMachineFromNoisySamples) {
  const core::Machine machine = known_machine();
  const core::DeviceModel& truth = machine.devices[0];
  SampleMaker maker = everything(machine, kNoise);
  maker.samples[10].seconds *= 400;
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(maker.samples, warnings);
  expect_near_relative(model.run_overhead.value, 6e-6, 0.03, "run overhead");
  expect_near_relative(model.hop.value, 4e-6, 0.03, "hop");
  EXPECT_EQ(model.copy_engines.value, 2);
  for (std::size_t t = 0; t < 2; ++t) {
    for (const double bytes : {8e3, 3e5, 2e6, 3.3e7, 4e8}) {
      expect_near_relative(models::transfer_seconds(model.transfers[t], bytes),
                           models::transfer_seconds(truth.transfers[t], bytes), 0.006, "transfer");
    }
    EXPECT_EQ(model.transfers[t].pieces.front().from_bytes, 68);
    EXPECT_EQ(model.transfers[t].pieces.back().to_bytes, 5.2e8);
  }
  expect_near_relative(model.transfers[0].pieces.back().per_byte.value, 1 / 55e9, 0.003, "htod rate");
  expect_near_relative(model.transfers[1].pieces.front().per_byte.value, 1 / 50e9, 0.003, "dtoh rate");
  expect_near_relative(model.transfers[1].pieces.front().fixed.value, 8e-6, 0.02, "dtoh latency");
  const core::KernelPiece& kernel = model.kernels.at(0).pieces.at(0);
  expect_near_relative(kernel.per_work.value, 7e-14, 0.003, "per work");
  expect_near_relative(kernel.per_item.value, 5e-12, 0.05, "per item");
  expect_near_relative(kernel.launch.value, 3e-6, 0.05, "launch");
  EXPECT_THAT(warnings, Contains(HasSubstr("outliers are left out (1)")));
}

TEST(Fit, RecoversAsymmetricInterferenceOfPairsAndTriples) {
  const core::Machine machine = known_machine();
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(everything(machine, kNoise).samples, warnings);
  for (const core::InterferenceRow& truth : machine.devices[0].interference) {
    const auto row = std::find_if(model.interference.begin(), model.interference.end(),
                                  [&](const core::InterferenceRow& r) { return r.active == truth.active; });
    ASSERT_NE(row, model.interference.end()) << name_of(truth.active);
    for (const auto& [activity, rate] : truth.rates) {
      EXPECT_NEAR(row->rates.at(activity).value, rate.value, 0.006) << name_of(truth.active);
      EXPECT_LT(row->rates.at(activity).spread, 0.02);
      EXPECT_GT(row->rates.at(activity).spread, 0);
    }
  }
}

TEST(Fit, IsExactWhereSamplesAre) {
  const core::Machine machine = known_machine();
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(everything(machine, 0).samples, warnings);
  EXPECT_NEAR(model.run_overhead.value, 6e-6, 1e-12);
  EXPECT_NEAR(model.hop.value, 4e-6, 1e-12);
  ASSERT_EQ(model.transfers[0].pieces.size(), 2U);
  EXPECT_NEAR(model.transfers[0].pieces[0].to_bytes, 1e6, 1);
  EXPECT_NEAR(model.transfers[0].pieces[1].per_byte.value, 1 / 55e9, 1e-16);
  EXPECT_NEAR(model.kernels[0].pieces[0].per_item.value, 5e-12, 1e-17);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

TEST(Fit, SpreadHoldsTheDriftBetweenRounds) {
  const core::Machine machine = known_machine();
  SampleMaker maker(machine, 0, 5);
  maker.latencies();
  maker.transfers(core::Direction::device_to_host, log_spaced(5612, 5.2e8, 12));
  for (Sample& s : maker.samples) s.seconds *= 1 + 0.01 * (static_cast<double>(s.round) - 3);
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(maker.samples, warnings);
  const core::Parameter& rate = model.transfers[0].pieces.back().per_byte;
  EXPECT_GT(rate.spread / rate.value, 0.012);
  EXPECT_LT(rate.spread / rate.value, 0.03);
}

TEST(Fit, OneSampleIsNamedAndItsSpreadIsNotZero) {
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit({timed(1e8, 2e-3)}, warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("one sample only")));
  EXPECT_THAT(warnings, Contains(HasSubstr("one size only")));
  EXPECT_NEAR(model.transfers.at(0).pieces.at(0).per_byte.value, 2e-11, 1e-17);
  EXPECT_NEAR(model.transfers.at(0).pieces.at(0).per_byte.spread, 2e-12, 1e-17);
}

TEST(Fit, OneSizeIsNamedWithTheSizesToAdd) {
  std::vector<std::string> warnings;
  fit({timed(1e8, 2e-3), timed(1e8, 2.01e-3), timed(1e8, 1.99e-3)}, warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("add sizes such as 977 KiB and 954 MiB")));
}

TEST(Fit, ANarrowRangeIsNamed) {
  std::vector<std::string> warnings;
  fit({timed(1e8, 2.01e-3), timed(1.5e8, 3.01e-3), timed(2e8, 4.01e-3)}, warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("span only 95.4 MiB to 191 MiB")));
}

TEST(Fit, ANegativeInterceptIsClampedAndNamed) {
  std::vector<Sample> samples;
  for (const double bytes : {1e6, 3e6, 1e7, 3e7}) samples.push_back(timed(bytes, bytes / 1e9 - 0.2e-3));
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(samples, warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("negative intercept (200.0 us")));
  for (const core::TransferPiece& piece : model.transfers.at(0).pieces) EXPECT_GE(piece.fixed.value, 0);
}

TEST(Fit, TimeNeverFallsWithSizeAcrossPieces) {
  std::vector<Sample> samples;
  // A protocol change at 64 kB that makes larger transfers cheaper for a while.
  for (const double bytes : log_spaced(1e3, 1e8, 24)) {
    samples.push_back(timed(bytes, bytes < 64e3 ? 4e-6 + bytes / 2e9 : 20e-6 + bytes / 12e9));
  }
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(samples, warnings);
  double before = 0;
  for (double bytes = 1e3; bytes < 1e8; bytes *= 1.01) {
    const double seconds = models::transfer_seconds(model.transfers.at(0), bytes);
    EXPECT_GE(seconds, before * (1 - 1e-9)) << bytes;
    before = seconds;
  }
}

TEST(Fit, TransfersThatTakeTurnsAreOneEngineAndHaveNoCommonRow) {
  const core::Machine machine = known_machine();
  SampleMaker maker(machine, kNoise);
  maker.latencies();
  maker.interference(4e-3);
  maker.engines(0.02);
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(maker.samples, warnings);
  EXPECT_EQ(model.copy_engines.value, 1);
  EXPECT_THAT(model.copy_engines.how, HasSubstr("overlapped by 2 %"));
  for (const core::InterferenceRow& row : model.interference) EXPECT_NE(row.active & 3, 3);
  EXPECT_EQ(model.interference.size(), 2U);
}

TEST(Fit, RatesAboveOneAreClampedAndNamed) {
  Sample alone = timed(1e8, 4.0123e-3);
  alone.part = Part::interference;
  alone.active = 1;
  Sample pair = alone;
  pair.active = 3;
  pair.seconds = 3.5107e-3;
  Sample engines = timed(1e8, 4.0123e-3);
  engines.part = Part::engines;
  Sample down = engines;
  down.subject = Subject::dtoh;
  Sample both = engines;
  both.active = 3;
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit({alone, pair, engines, down, both}, warnings);
  EXPECT_EQ(model.interference.at(0).rates.at(core::ActivityClass::htod).value, 1);
  EXPECT_THAT(warnings, Contains(HasSubstr("faster in company than alone (rate 1.143)")));
}

/// Samples of one htod alone (4 ms of work), with a dtoh, and with a dtoh and a kernel, of these times.
std::vector<Sample> in_company(const std::vector<double>& pair, const std::vector<double>& triple) {
  std::vector<Sample> samples;
  const auto add = [&samples](core::ActivitySet set, const std::vector<double>& times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      Sample s = timed(1e8, times[i]);
      s.part = Part::interference;
      s.active = set;
      s.round = static_cast<std::uint32_t>(i);
      samples.push_back(s);
    }
  };
  add(1, {4e-3, 4e-3, 4e-3});
  add(3, pair);
  add(7, triple);
  return samples;
}

TEST(Fit, ASetThatCannotBeToldFromASmallerOneHasItsRates) {
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(in_company({4.3e-3, 4.6e-3, 4.9e-3}, {4.2e-3, 4.5e-3, 4.6e-3}), warnings);
  ASSERT_EQ(model.interference.size(), 2U);
  const auto& pair = model.interference[0].rates.at(core::ActivityClass::htod);
  const auto& triple = model.interference[1].rates.at(core::ActivityClass::htod);
  EXPECT_EQ(pair.value, triple.value);
  EXPECT_GT(pair.value, 4 / 4.9);
  EXPECT_LT(pair.value, 4 / 4.2);
}

TEST(Fit, ASetThatDiffersBeyondTheSpreadKeepsItsRates) {
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(in_company({4.4e-3, 4.41e-3, 4.4e-3}, {5.1e-3, 5.1e-3, 5.11e-3}), warnings);
  ASSERT_EQ(model.interference.size(), 2U);
  EXPECT_NEAR(model.interference[0].rates.at(core::ActivityClass::htod).value, 4 / 4.4, 3e-3);
  EXPECT_NEAR(model.interference[1].rates.at(core::ActivityClass::htod).value, 4 / 5.1, 3e-3);
}

TEST(Fit, ACommandThatWasHardlyInCompanyTellsNoRate) {
  Sample alone = timed(1e8, 4.0123e-3);
  alone.part = Part::interference;
  alone.active = 1;
  Sample pair = alone;
  pair.active = 5;
  pair.seconds = 3.9e-3;
  pair.outside = 3.8e-3;
  std::vector<std::string> warnings;
  EXPECT_TRUE(fit({alone, pair}, warnings).interference.empty());
  EXPECT_THAT(warnings, Contains(HasSubstr("htod with htod+kernel busy: the others were not busy for long enough")));
}

TEST(Fit, LaunchesThatWaitForMemoryAreLeftOutAndNamed) {
  std::vector<Sample> samples;
  for (const double n : {3e5, 3e6, 3e7}) {
    for (const double repeat : {1.0, 20.0, 200.0, 600.0, 2000.0, 20000.0}) {
      Sample s;
      s.part = Part::kernel;
      s.subject = Subject::kernel;
      s.kernel = "k";
      s.items = n;
      s.work = n * repeat;
      s.seconds = 3e-6 + std::max(5e-12 * n, 7e-14 * s.work);
      samples.push_back(s);
    }
  }
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit(samples, warnings);
  expect_near_relative(models::kernel_seconds(model.kernels.at(0), 3e10, 3e7), 3e-6 + 7e-14 * 3e10, 0.01, "kernel");
  EXPECT_THAT(warnings, Contains(HasSubstr("wait for memory")));
}

TEST(Fit, LaunchesOfFewWavesDoNotBendTheLineOfLargeOnes) {
  // A device that holds 270336 items at once: a launch takes whole waves.
  const double wave = 132 * 2048;
  std::vector<Sample> samples;
  for (const double n : {785398.0, 4292929.0, 22727272.0, 145645645.0}) {
    for (const double repeat : {400.0, 1000.0, 3000.0, 9000.0}) {
      Sample s;
      s.part = Part::kernel;
      s.subject = Subject::kernel;
      s.kernel = "k";
      s.items = n;
      s.work = n * repeat;
      s.seconds = 3e-6 + 6e-14 * repeat * wave * std::ceil(n / wave);
      samples.push_back(s);
    }
  }
  // 50 million items are 184.96 waves: the last one hardly shows.
  const double work = 5e7 * 2000;
  const auto error = [&](std::uint32_t compute_units) {
    FitOptions options;
    options.identity.compute_units = compute_units;
    std::vector<std::string> warnings;
    const core::DeviceModel model = fit_samples(samples, options, warnings);
    return std::abs(models::kernel_seconds(model.kernels.at(0), work, 5e7) / (3e-6 + 6e-14 * work) - 1);
  };
  EXPECT_LT(error(132), 0.0045);
  // Without knowing the waves, only the very smallest launches get a stretch of their own.
  EXPECT_GT(error(0), 0.0055);
}

TEST(Fit, AKernelWithOneAmountOfWorkIsNamed) {
  Sample s;
  s.part = Part::kernel;
  s.subject = Subject::kernel;
  s.kernel = "k";
  s.work = 1e6;
  s.items = 1e3;
  s.seconds = 1e-3;
  std::vector<std::string> warnings;
  const core::DeviceModel model = fit({s, s}, warnings);
  EXPECT_THAT(warnings, Contains(HasSubstr("one amount of work only")));
  EXPECT_NEAR(models::kernel_seconds(model.kernels.at(0), 1e6, 1e3), 1e-3, 1e-12);
}

TEST(Fit, FillIsMeasuredFromLaunchesSideBySide) {
  const core::Machine machine = known_machine();
  SampleMaker maker(machine, 0);
  maker.kernels({1e5, 1e6}, {10, 100, 1000});
  for (const std::uint32_t lanes : {1U, 4U}) {
    Sample s;
    s.part = Part::fill;
    s.subject = Subject::kernel;
    s.kernel = "synthetic";
    s.work = 1e8;
    s.items = 1e6;
    s.count = lanes;
    // Three of 0.3 of the device fit; the fourth gets a third of its part until they have ended.
    s.seconds = lanes == 1 ? 1e-3 : 1e-3 * (1 + 2.0 / 3);
    maker.samples.push_back(s);
  }
  std::vector<std::string> warnings;
  EXPECT_NEAR(fit(maker.samples, warnings).kernels.at(0).fill.value, 0.3, 0.002);
}

TEST(Fit, NothingIsRefused) {
  std::vector<std::string> warnings;
  EXPECT_THROW(fit({}, warnings), core::Error);
  Sample cold = timed(1e6, 1e-3);
  cold.round = 0;
  EXPECT_THROW(fit({cold}, warnings), core::Error);
}

}  // namespace
}  // namespace forelap::calibrate
