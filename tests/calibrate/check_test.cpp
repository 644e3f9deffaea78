#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/calibrate.hpp"
#include "machine_under_test.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::calibrate {
namespace {

using testing::known_machine;
using testing::known_probe;
using testing::NoisyExecutor;

std::unique_ptr<core::Executor> simulated(const core::Machine& machine) {
  return sim::fast::make_executor(std::make_shared<const core::Machine>(machine), core::InterferenceMode::partial);
}

DriftReport checked(core::Executor& executor) {
  const core::Machine machine = known_machine();
  const std::vector<KernelProbe> probes = {known_probe()};
  return check(executor, machine.devices[0], probes, {});
}

bool drifted(const DriftReport& report, Part part) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [&](const DriftRow& row) { return row.part == part && row.drifted; });
}

TEST(Check, AMachineThatIsAsItWasHasNotDrifted) {
  const auto exact = simulated(known_machine());
  NoisyExecutor executor(*exact, 0.005);
  const DriftReport report = checked(executor);
  EXPECT_FALSE(report.drifted());
  for (const Part part : {Part::latency, Part::transfer, Part::kernel, Part::interference}) {
    EXPECT_TRUE(std::any_of(report.rows.begin(), report.rows.end(), [&](const DriftRow& r) { return r.part == part; }))
        << name_of(part);
  }
  for (const DriftRow& row : report.rows) EXPECT_NEAR(row.deviation, 0, 0.01) << row.what;
}

TEST(Check, FindsALinkThatBecameSlowerAndNothingElse) {
  core::Machine slow = known_machine();
  for (core::TransferPiece& piece : slow.devices[0].transfers[0].pieces) piece.per_byte.value *= 1.05;
  const DriftReport report = checked(*simulated(slow));
  EXPECT_TRUE(report.drifted());
  EXPECT_FALSE(drifted(report, Part::kernel));
  for (const DriftRow& row : report.rows) {
    const bool up = row.part == Part::transfer && row.what.find("htod pinned") != std::string::npos;
    if (row.part != Part::transfer) continue;
    EXPECT_EQ(row.drifted, up) << row.what << " " << row.deviation;
  }
}

TEST(Check, FindsALowerClockOfKernels) {
  core::Machine slow = known_machine();
  slow.devices[0].kernels[0].pieces[0].per_work.value *= 1.1;
  const DriftReport report = checked(*simulated(slow));
  EXPECT_TRUE(drifted(report, Part::kernel));
  EXPECT_FALSE(drifted(report, Part::transfer));
}

TEST(Check, FindsStrongerInterference) {
  core::Machine slow = known_machine();
  slow.devices[0].interference[0].rates[core::ActivityClass::dtoh].value = 0.8;
  const DriftReport report = checked(*simulated(slow));
  EXPECT_TRUE(drifted(report, Part::interference));
  EXPECT_FALSE(drifted(report, Part::transfer));
}

TEST(Check, FindsSlowerHops) {
  core::Machine slow = known_machine();
  slow.devices[0].hop.value *= 2;
  EXPECT_TRUE(drifted(checked(*simulated(slow)), Part::latency));
}

TEST(Check, ADeviationWithinThreeSpreadsIsNoDrift) {
  core::Machine slow = known_machine();
  for (core::TransferPiece& piece : slow.devices[0].transfers[0].pieces) piece.per_byte.value *= 1.05;
  core::DeviceModel profile = known_machine().devices[0];
  for (core::TransferPiece& piece : profile.transfers[0].pieces) piece.per_byte.spread = 0.03 * piece.per_byte.value;
  const std::vector<KernelProbe> probes = {known_probe()};
  EXPECT_FALSE(drifted(check(*simulated(slow), profile, probes, {}), Part::transfer));
}

}  // namespace
}  // namespace forelap::calibrate
