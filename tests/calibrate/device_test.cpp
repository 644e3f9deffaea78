// A real calibration on whatever device this machine has: no times are asserted, only that what comes out is a model
// that can be used.

#include <gtest/gtest.h>

#include "calibrate/calibrate.hpp"
#include "core/error.hpp"
#include "hw/backends.hpp"
#include "hw/plan_executor.hpp"
#include "machine_under_test.hpp"
#include "models/transfer.hpp"

namespace forelap::calibrate {
namespace {

class RealDevice : public ::testing::TestWithParam<const char*> {};

void expect_usable(const core::DeviceModel& model) {
  ASSERT_EQ(model.transfers.size(), 2U);
  for (const core::TransferModel& transfer : model.transfers) {
    double before = 0;
    for (double bytes = 68; bytes < transfer.pieces.back().to_bytes; bytes *= 1.5) {
      const double seconds = models::transfer_seconds(transfer, bytes);
      EXPECT_GE(seconds, before * (1 - 1e-9));
      before = seconds;
    }
    EXPECT_GT(before, 0);
  }
  ASSERT_EQ(model.kernels.size(), 1U);
  EXPECT_GT(model.kernels[0].pieces.back().per_work.value + model.kernels[0].pieces.back().per_item.value, 0);
  EXPECT_GT(model.kernels[0].fill.value, 0);
  EXPECT_LE(model.kernels[0].fill.value, 1);
  EXPECT_GE(model.hop.value, 0);
  EXPECT_GE(model.run_overhead.value, 0);
  for (const core::InterferenceRow& row : model.interference) {
    for (const auto& [activity, rate] : row.rates) {
      EXPECT_GT(rate.value, 0) << name_of(row.active);
      EXPECT_LE(rate.value, 1) << name_of(row.active);
    }
  }
}

TEST_P(RealDevice, IsCalibratedToAModelThatCanBeUsed) {
  hw::ChosenDevice chosen;
  try {
    chosen = hw::open_device(GetParam());
  } catch (const core::Error& error) {
    GTEST_SKIP() << GetParam() << ": " << error.what();
  }
  const auto executor = hw::make_plan_executor({chosen.device});
  const std::vector<KernelProbe> probes = {testing::known_probe()};
  Options options;
  options.campaign.budget_seconds = 2;
  options.campaign.least_rounds = 1;
  options.campaign.repeats = 2;
  options.campaign.most_bytes = 8'000'000;
  options.campaign.pageable = false;
  Report report;
  const core::DeviceModel model = calibrate_device(*executor, chosen.device->info(), probes, options, report);
  EXPECT_EQ(model.identity.name, chosen.device->info().identity.name);
  EXPECT_FALSE(report.samples.empty());
  expect_usable(model);
}

INSTANTIATE_TEST_SUITE_P(Backends, RealDevice, ::testing::Values("cpu", "opencl", "cuda"));

}  // namespace
}  // namespace forelap::calibrate
