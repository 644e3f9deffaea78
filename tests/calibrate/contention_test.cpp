#include "calibrate/contention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "machine_under_test.hpp"
#include "sim/fast/executor.hpp"

namespace forelap::calibrate {
namespace {

using core::ActivityClass;
using ::testing::HasSubstr;

core::Parameter exact(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

/// Two devices behind links and two groups of cores, of which the host knows how they slow each other.
std::shared_ptr<core::Machine> four_devices() {
  auto machine = std::make_shared<core::Machine>(testing::known_machine());
  machine->devices.push_back(machine->devices[0]);
  core::DeviceModel cores;
  cores.name = "cpu0";
  cores.identity.backend = "cpu";
  cores.copy_engines = exact(2);
  cores.kernels = machine->devices[0].kernels;
  cores.kernels[0].pieces[0].per_work = exact(1e-9);
  machine->devices.push_back(cores);
  cores.name = "cpu1";
  machine->devices.push_back(cores);
  machine->host.capacity = {{ActivityClass::htod, exact(1.6), {}}, {ActivityClass::kernel, exact(1.5), "synthetic"}};
  const auto add_row = [&](std::initializer_list<std::pair<ActivityClass, double>> rates) {
    core::InterferenceRow row;
    row.kernel = "synthetic";
    for (const auto& [c, rate] : rates) {
      row.active = static_cast<core::ActivitySet>(row.active | core::bit(c));
      row.rates[c] = exact(rate);
    }
    machine->host.interference.push_back(row);
  };
  add_row({{ActivityClass::htod, 0.9}, {ActivityClass::kernel, 0.8}});
  add_row({{ActivityClass::dtoh, 0.7}, {ActivityClass::kernel, 0.95}});
  return machine;
}

std::vector<ContentionDevice> devices_of(const core::Machine& machine) {
  std::vector<ContentionDevice> devices;
  for (const auto& device : machine.devices) devices.push_back({&device, device.identity.backend == "cpu"});
  return devices;
}

const core::InterferenceRow* row_of(const Contention& found, std::initializer_list<ActivityClass> classes) {
  core::ActivitySet set = 0;
  for (const ActivityClass c : classes) set = static_cast<core::ActivitySet>(set | core::bit(c));
  for (const auto& row : found.rows) {
    if (row.active == set) return &row;
  }
  return nullptr;
}

double rate_of(const core::InterferenceRow* row, ActivityClass c) {
  if (row == nullptr || row->rates.count(c) == 0) return 1;
  return row->rates.at(c).value;
}

TEST(Contention, FindsWhatTheMachineDoes) {
  const auto machine = four_devices();
  const auto executor = sim::fast::make_executor(machine, core::InterferenceMode::partial);
  testing::NoisyExecutor noisy(*executor, 0.002);
  const std::vector<KernelProbe> probes = {testing::known_probe()};
  const auto found = measure_contention(noisy, devices_of(*machine), probes, {});
  EXPECT_TRUE(found.complete);
  ASSERT_EQ(found.capacity.size(), 2U);
  EXPECT_EQ(found.capacity[0].activity, ActivityClass::htod);
  EXPECT_NEAR(found.capacity[0].capacity.value, 1.6, 0.03);
  EXPECT_EQ(found.capacity[1].kernel, "synthetic");
  EXPECT_NEAR(found.capacity[1].capacity.value, 1.5, 0.03);
  const auto* in = row_of(found, {ActivityClass::htod, ActivityClass::kernel});
  EXPECT_NEAR(rate_of(in, ActivityClass::htod), 0.9, 0.02);
  EXPECT_NEAR(rate_of(in, ActivityClass::kernel), 0.8, 0.02);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(in->kernel, "synthetic");
  const auto* out = row_of(found, {ActivityClass::dtoh, ActivityClass::kernel});
  EXPECT_NEAR(rate_of(out, ActivityClass::dtoh), 0.7, 0.02);
  EXPECT_NEAR(rate_of(out, ActivityClass::kernel), 0.95, 0.02);
}

TEST(Contention, FindsNothingWhereNothingIsShared) {
  auto machine = four_devices();
  machine->host.capacity.clear();
  machine->host.interference.clear();
  const auto executor = sim::fast::make_executor(machine, core::InterferenceMode::partial);
  testing::NoisyExecutor noisy(*executor, 0.002);
  const std::vector<KernelProbe> probes = {testing::known_probe()};
  const auto found = measure_contention(noisy, devices_of(*machine), probes, {});
  EXPECT_TRUE(found.capacity.empty());
  // What the directions of one device do to each other is that device's own, which the rows of all three may repeat.
  for (const auto& row : found.rows) {
    EXPECT_EQ(row.active & (core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh)),
              core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh));
    EXPECT_EQ(row.rates.count(ActivityClass::kernel), 0U);
  }
}

TEST(Contention, SaysWhichKernelsItCannotMeasure) {
  const auto machine = four_devices();
  const auto executor = sim::fast::make_executor(machine, core::InterferenceMode::partial);
  KernelProbe unknown = testing::known_probe();
  unknown.name = "unknown";
  const auto found = measure_contention(*executor, devices_of(*machine), std::vector<KernelProbe>{unknown}, {});
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_THAT(found.notes[0], HasSubstr("\"unknown\" has no model on device \"cpu0\""));
}

TEST(Contention, StopsWhenAsked) {
  const auto machine = four_devices();
  const auto executor = sim::fast::make_executor(machine, core::InterferenceMode::partial);
  core::StopSource source;
  source.request_stop();
  ContentionOptions options;
  options.stop = source.token();
  const std::vector<KernelProbe> probes = {testing::known_probe()};
  EXPECT_FALSE(measure_contention(*executor, devices_of(*machine), probes, options).complete);
}

}  // namespace
}  // namespace forelap::calibrate
