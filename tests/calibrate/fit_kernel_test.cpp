// What the fit of kernels finds where the rate changes with the size of the launch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/fit.hpp"
#include "models/kernel.hpp"

namespace forelap::calibrate {
namespace {

/// Launches over `items` that do `repeats` units of work an item, each taking `launch` + `per_work` times their work.
void add_launches(std::vector<Sample>& samples, double items, std::initializer_list<double> repeats, double launch,
                  double per_work) {
  for (const double repeat : repeats) {
    for (std::uint32_t round = 1; round <= 3; ++round) {
      Sample s;
      s.part = Part::kernel;
      s.subject = Subject::kernel;
      s.kernel = "k";
      s.items = items;
      s.work = items * repeat;
      s.seconds = launch + per_work * s.work;
      s.round = round;
      samples.push_back(s);
    }
  }
}

core::KernelModel fit_kernel(const std::vector<Sample>& samples) {
  std::vector<std::string> warnings;
  core::DeviceModel device = fit_samples(samples, FitOptions(), warnings);
  EXPECT_EQ(device.kernels.size(), 1U);
  return device.kernels.at(0);
}

TEST(FitKernel, TwoLaunchSizesOfDifferentRatesAreTwoStretchesThoughTheirWorkIsTheSame) {
  std::vector<Sample> samples;
  add_launches(samples, 1e6, {1000, 10000, 100000}, 3e-6, 9e-14);
  add_launches(samples, 1e8, {10, 100, 1000}, 3e-6, 6e-14);
  const core::KernelModel model = fit_kernel(samples);
  ASSERT_EQ(model.pieces.size(), 2U);
  EXPECT_EQ(model.pieces[0].from_items, 1e6);
  EXPECT_DOUBLE_EQ(model.pieces[0].to_items, 1e7) << "halfway in the logarithm";
  EXPECT_EQ(model.pieces[1].to_items, 1e8);
  for (const core::KernelPiece& piece : model.pieces) {
    EXPECT_EQ(piece.least_work, 1e9);
    EXPECT_EQ(piece.most_work, 1e11);
    EXPECT_EQ(piece.per_work.samples, 9U);
  }
  // The same amount of work takes half as long again in the small launch.
  EXPECT_NEAR(models::kernel_seconds(model, 5e10, 1e6), 3e-6 + 9e-14 * 5e10, 1e-9);
  EXPECT_NEAR(models::kernel_seconds(model, 5e10, 1e8), 3e-6 + 6e-14 * 5e10, 1e-9);
}

TEST(FitKernel, EachStretchHasItsOwnLaunchRateAndRangeOfWork) {
  std::vector<Sample> samples;
  for (const double n : {1e6, 1.5e6, 2e6}) add_launches(samples, n, {100, 1000, 10000}, 4.0123e-6, 8.0317e-14);
  for (const double n : {2e7, 4e7, 8e7}) add_launches(samples, n, {20, 200, 2000}, 20.077e-6, 6.0293e-14);
  std::reverse(samples.begin(), samples.end());
  const core::KernelModel model = fit_kernel(samples);
  ASSERT_EQ(model.pieces.size(), 2U);
  EXPECT_NEAR(model.pieces[0].launch.value, 4.0123e-6, 1e-10);
  EXPECT_NEAR(model.pieces[0].per_work.value, 8.0317e-14, 1e-18);
  EXPECT_NEAR(model.pieces[1].launch.value, 20.077e-6, 1e-9);
  EXPECT_NEAR(model.pieces[1].per_work.value, 6.0293e-14, 1e-18);
  EXPECT_EQ(model.pieces[0].least_work, 1e8);
  EXPECT_EQ(model.pieces[0].most_work, 2e10);
  EXPECT_EQ(model.pieces[1].least_work, 4e8);
  EXPECT_EQ(model.pieces[1].most_work, 1.6e11);
}

TEST(FitKernel, OneRateOverAllSizesIsOneStretch) {
  std::vector<Sample> samples;
  for (const double n : {1e6, 4e6, 1.6e7, 6.4e7}) add_launches(samples, n, {100, 1000, 10000}, 4e-6, 8e-14);
  EXPECT_EQ(fit_kernel(samples).pieces.size(), 1U);
}

TEST(FitKernel, ALongSeriesOfSizesLosesNoLaunchBetweenItsStretches) {
  // More sizes than the fit takes one by one, so that neighbours are joined.
  std::vector<Sample> samples;
  for (int i = 0; i < 80; ++i) {
    const double n = 1e5 + 25e3 * i;
    add_launches(samples, n, {512, 5120}, 3.0119e-6, n < 1e6 ? 9.0413e-14 : 6.0293e-14);
  }
  const core::KernelModel model = fit_kernel(samples);
  ASSERT_GE(model.pieces.size(), 2U);
  std::size_t used = 0;
  for (const core::KernelPiece& piece : model.pieces) used += piece.per_work.samples;
  EXPECT_EQ(used, samples.size());
}

TEST(FitKernel, OneAmountOfWorkThatScattersHasASpread) {
  std::vector<Sample> samples;
  add_launches(samples, 1e6, {1000}, 0, 9e-14);
  add_launches(samples, 1e6, {1000}, 0, 9.2e-14);
  add_launches(samples, 1e6, {1000}, 0, 8.8e-14);
  const core::KernelPiece piece = fit_kernel(samples).pieces.at(0);
  EXPECT_NEAR(piece.per_work.value, 9e-14, 1e-18);
  EXPECT_GT(piece.per_work.spread / piece.per_work.value, 0.003);
  EXPECT_LT(piece.per_work.spread / piece.per_work.value, 0.03);
}

}  // namespace
}  // namespace forelap::calibrate
