#include "models/perturb.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace forelap;

TEST(Perturb, DrawsWithTheSpreadOfEachParameterAndLeavesExactOnesAlone) {
  core::Machine machine;
  core::DeviceModel device;
  device.run_overhead = {.value = 1e-5, .spread = 1e-6};
  device.hop = {.value = 3e-6};
  core::TransferModel transfer;
  transfer.pieces.push_back({0, 100, {.value = 1e-6, .spread = 1e-7}, {.value = 1e-9, .spread = 1e-11}});
  transfer.pieces.push_back({100, 1e9, {.value = 2e-6, .spread = 1e-7}, {.value = 2e-9, .spread = 2e-11}});
  device.transfers.push_back(transfer);
  core::InterferenceRow row;
  row.active = 3;
  row.rates[core::ActivityClass::htod] = {.value = 0.99, .spread = 0.1};
  device.interference.push_back(row);
  machine.devices.push_back(device);
  core::Random random(11);
  std::vector<double> overheads;
  for (int i = 0; i < 5000; ++i) {
    const core::DeviceModel drawn = models::perturb(machine, random).devices[0];
    overheads.push_back(drawn.run_overhead.value);
    EXPECT_EQ(drawn.hop.value, 3e-6);
    const double rate = drawn.interference[0].rates.at(core::ActivityClass::htod).value;
    EXPECT_GT(rate, 0);
    EXPECT_LE(rate, 1);
    const auto& pieces = drawn.transfers[0].pieces;
    EXPECT_NEAR(pieces[1].per_byte.value, 2 * pieces[0].per_byte.value, 1e-20) << "one cause moves all pieces";
  }
  EXPECT_NEAR(core::mean(overheads), 1e-5, 1e-7);
  EXPECT_NEAR(core::standard_deviation(overheads), 1e-6, 5e-8);
}

}  // namespace
