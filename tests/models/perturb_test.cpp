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

/// One parameter of each kind with a spread, the others exact.
TEST(Perturb, AMachineIsExactWhereNothingThatIsDrawnHasASpread) {
  core::Machine exact;
  exact.devices.emplace_back();
  exact.devices[0].transfers.push_back({{}, {}, {{0, 100, {.value = 1e-6}, {.value = 1e-9}}}});
  exact.devices[0].kernels.emplace_back().pieces.emplace_back().launch.value = 1e-6;
  exact.devices[0].interference.push_back({.active = 3, .rates = {{core::ActivityClass::htod, {.value = 0.9}}}});
  exact.host.capacity.emplace_back().capacity.value = 2;
  exact.host.work.emplace_back().fixed.value = 1e-3;
  exact.host.interference = exact.devices[0].interference;
  EXPECT_TRUE(models::is_exact(exact));
  const std::vector<core::Parameter& (*)(core::Machine&)> parameters = {
      [](core::Machine& m) -> core::Parameter& { return m.devices[0].hop; },
      [](core::Machine& m) -> core::Parameter& { return m.devices[0].transfers[0].pieces[0].per_byte; },
      [](core::Machine& m) -> core::Parameter& { return m.devices[0].kernels[0].pieces[0].launch; },
      [](core::Machine& m) -> core::Parameter& { return m.devices[0].interference[0].rates.begin()->second; },
      [](core::Machine& m) -> core::Parameter& { return m.host.capacity[0].capacity; },
      [](core::Machine& m) -> core::Parameter& { return m.host.work[0].fixed; },
      [](core::Machine& m) -> core::Parameter& { return m.host.interference[0].rates.begin()->second; },
      [](core::Machine& m) -> core::Parameter& { return m.network.per_byte; },
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    core::Machine machine = exact;
    parameters[i](machine) = {.value = 0.5, .spread = 1e-2};
    EXPECT_FALSE(models::is_exact(machine)) << "parameter " << i;
    core::Random random(1);
    core::Machine drawn = models::perturb(machine, random);
    EXPECT_NE(parameters[i](drawn).value, parameters[i](machine).value) << "parameter " << i << " is not drawn";
  }
}

}  // namespace
