// The fill of kernels in passes, whose launches start one after the other: how starts overlap tells nothing of what
// large launches occupy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/calibrate.hpp"
#include "machine_under_test.hpp"
#include "models/kernel.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::known_device;
using testing::known_machine;
using testing::NoisyExecutor;
using ::testing::Not;

/// A kernel of `launch` seconds and `per_item` of each item.
struct Kernel {
  double launch = 2.2e-6;
  double per_item = 3e-12;
  double fill = 1;
  double full_items = 0;

  [[nodiscard]] double part(double items) const { return full_items > 0 ? std::min(1.0, items / full_items) : 1; }
  [[nodiscard]] double rest(double items) const { return per_item * items / part(items); }
};

constexpr double kOverhead = 5e-6;

/// Samples of rows of its launches, as a campaign takes them: alone, and about a millisecond of them side by side.
/// `between_starts`: seconds that the device needs at least from one start to the next, whatever their lanes.
std::vector<Sample> recorded(const Kernel& kernel, const std::vector<double>& rows, const std::vector<double>& fills,
                             double between_starts = 0) {
  std::vector<Sample> samples;
  const auto add = [&](Part part, double items, std::uint32_t count, double seconds) {
    Sample s;
    s.part = part;
    s.subject = Subject::kernel;
    s.kernel = "paths";
    s.work = s.items = items;
    s.count = count;
    s.seconds = kOverhead + seconds;
    for (s.round = 1; s.round <= 3; ++s.round) samples.push_back(s);
  };
  for (const std::uint32_t count : {1U, 2U, 4U, 8U}) add(Part::latency, 100, count, count * 2.2e-6);
  for (const double items : rows) {
    for (const std::uint32_t count : {16U, 256U}) {
      add(Part::kernel, items, count, count * (kernel.launch + kernel.rest(items)));
    }
  }
  for (const double items : fills) {
    const double each = kernel.launch + kernel.rest(items);
    const double launches = std::max(16.0, std::ceil(1e-3 / each));
    for (const std::uint32_t lanes : {1U, 2U, 3U, 4U}) {
      const double device = lanes * kernel.fill * kernel.part(items) * kernel.rest(items);
      add(Part::fill, items, lanes, launches * std::max({each, device, lanes * between_starts}));
    }
  }
  return samples;
}

core::KernelModel fitted(const std::vector<Sample>& samples, std::vector<std::string>& warnings) {
  return fit_samples(samples, FitOptions(), warnings).kernels.at(0);
}

const std::vector<double> kRows = {8e3, 8e4, 8e5, 5e6, 2.5e7};

TEST(PassesFill, LaunchesThatAreMostlyStartAreNoEvidenceAndAWarningSaysSo) {
  for (const double between_starts : {0.0, 1.5e-6}) {
    std::vector<std::string> warnings;
    const auto model = fitted(recorded({}, kRows, {8e3, 8e4}, between_starts), warnings);
    EXPECT_EQ(model.fill.value, 1);
    EXPECT_TRUE(model.fill.assumed);
    EXPECT_EQ(model.full_items.value, 0);
    EXPECT_THAT(model.fill.how, HasSubstr("launches side by side were too short: at least "));
    EXPECT_THAT(warnings, Contains(HasSubstr("kernel \"paths\": launches side by side were too short")));
  }
}

TEST(PassesFill, ALongLaunchBesideThemSaysWhatLargeOnesOccupy) {
  for (const double fill : {1.0, 0.6, 0.3}) {
    Kernel kernel;
    kernel.fill = fill;
    std::vector<std::string> warnings;
    const auto model = fitted(recorded(kernel, kRows, {8e3, 8e4, 2.5e7}), warnings);
    EXPECT_NEAR(model.fill.value, fill, 0.02);
    EXPECT_FALSE(model.fill.assumed);
    EXPECT_THAT(warnings, Not(Contains(HasSubstr("too short"))));
    EXPECT_THAT(model.fill.how, HasSubstr("by what is not the start of launches"));
  }
}

TEST(PassesFill, SmallLaunchesThatLeaveRoomSayFromWhatSizeOnTheyDoNot) {
  Kernel kernel;
  kernel.per_item = 3e-11;
  kernel.full_items = 1e6;  // 30 us beside the start
  std::vector<std::string> warnings;
  const auto model = fitted(recorded(kernel, kRows, {2.5e5, 8e5, 2.5e7}), warnings);
  EXPECT_NEAR(model.fill.value, 1, 0.01);
  EXPECT_NEAR(model.full_items.value, 1e6, 1e5);
}

TEST(PassesFill, IsMeasuredWithLaunchesAsLongAsTheLimitsAllow) {
  for (const double per_item : {3e-12, 5e-11}) {
    for (const double fill : {1.0, 0.5}) {
      core::Machine truth = known_machine();
      core::KernelModel paths = truth.devices[0].kernels[0];
      paths.kernel = "floyd_warshall";
      paths.fill.value = fill;
      paths.pieces[0].launch.value = 2.5e-6;
      paths.pieces[0].per_work.value = 0;
      paths.pieces[0].per_item.value = per_item;
      truth.devices[0].kernels.push_back(paths);
      const auto exact =
          sim::fast::make_executor(std::make_shared<const core::Machine>(truth), core::InterferenceMode::partial);
      NoisyExecutor executor(*exact, 0.003);
      const std::vector<KernelProbe> probes = {testing::known_probe(), testing::probe_in_passes()};
      Options options;
      options.campaign.budget_seconds = 40;
      options.campaign.host_bytes = std::uint64_t{8} << 30;
      options.campaign.parts = static_cast<PartSet>(bit(Part::latency) | bit(Part::kernel) | bit(Part::fill));
      Report report;
      const core::DeviceModel device = calibrate_device(executor, known_device(), probes, options, report);
      const core::KernelModel* model = core::find_kernel(device, "floyd_warshall");
      ASSERT_NE(model, nullptr);
      EXPECT_FALSE(model->fill.assumed);
      EXPECT_NEAR(model->fill.value, fill, 0.03);
      double longest = 0, row = 0;
      for (const Sample& s : report.samples) {
        if (s.part != Part::fill || s.kernel != "floyd_warshall" || s.count != 1) continue;
        longest = std::max(longest, 2.5e-6 + per_item * s.items);
        row = std::max(row, s.seconds);
      }
      EXPECT_GT(longest, per_item > 1e-11 ? 25e-6 : 10e-6) << "one of 50 us and more is in a row of 90 ms";
      EXPECT_LT(row, 0.1) << "what takes longer than that alone is not worth its time";
    }
  }
}

}  // namespace
}  // namespace forelap::calibrate
