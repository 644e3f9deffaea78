#include "run/hardware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hardware, AnIdealMachineHasNoDeviceToMeasureOn) {
  EXPECT_THAT(error_of([] { open_hardware(testing::ideal_machine(), {}); }), HasSubstr("forelap calibrate"));
}

TEST(Hardware, AsManySpecificationsAsDevicesAreExpected) {
  EXPECT_THAT(error_of([] {
                open_hardware(testing::modelled_machine(0), {"cpu", "cpu"});
              }),
              HasSubstr("names 2 devices, the scenario uses 1"));
}

TEST(Hardware, AProfileOfAnotherDeviceIsRefusedWithTheReason) {
  const auto machine = testing::modelled_machine(0);
  const auto hardware = open_hardware(machine, {"cpu"});
  const auto message = error_of([&] { require_profile(machine, hardware); });
  EXPECT_THAT(message, HasSubstr("profile 'bench' is not of this hardware"));
  EXPECT_THAT(message, HasSubstr("calibrate here"));
}

TEST(Hardware, TheProfilesOwnDeviceIsFoundByItsIdentity) {
  auto machine = testing::modelled_machine(0);
  machine.devices[0].identity = hw::open_device("cpu").device->info().identity;
  machine.host.cores = usable_cores();
  const auto hardware = open_hardware(machine, {});
  EXPECT_EQ(hardware.devices[0].device->info().identity.backend, "cpu");
  EXPECT_NO_THROW(require_profile(machine, hardware));
  machine.host.cores += 1;
  EXPECT_THROW(require_profile(machine, hardware), core::Error);
}

TEST(Hardware, BindingsHoldTheSourceOfUsersKernels) {
  const auto folder = std::filesystem::temp_directory_path() / "forelap-bindings";
  std::filesystem::create_directories(folder);
  core::write_file(folder / "mine.cl", "kernel void mine(global int* a) {}");
  auto scenario = testing::bk50();
  scenario.path = (folder / "scenario.yaml").string();
  scenarios::KernelDefinition kernel;
  kernel.name = "mine";
  kernel.opencl_file = "mine.cl";
  scenario.kernels = {kernel};
  std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks[0].kernels[0].kernel = "mine";
  const auto bindings = make_bindings(scenario, 0, "opencl");
  ASSERT_EQ(bindings.kernels.size(), 1U);
  EXPECT_THAT(bindings.kernels.at("mine").text, HasSubstr("kernel void mine"));
  EXPECT_EQ(bindings.kernels.at("mine").entry, "mine");
  EXPECT_THAT(error_of([&] { make_bindings(scenario, 0, "cuda"); }), HasSubstr("no source for cuda"));
  EXPECT_THAT(error_of([&] { make_bindings(scenario, 0, "cpu"); }), HasSubstr("built-in kernels only"));
  std::filesystem::remove_all(folder);
}

TEST(Hardware, BuffersAreFilledReproduciblyAndUnlikeEachOther) {
  auto scenario = testing::bk50();
  EXPECT_FALSE(make_bindings(scenario, 0, "opencl").fill) << "executors fill what built-in kernels work on";
  std::get<scenarios::TaskGroup>(scenario.body).cases[0].tasks[0].kernels.clear();
  const auto bindings = make_bindings(scenario, 0, "opencl");
  ASSERT_TRUE(bindings.fill);
  std::vector<std::byte> a(64);
  std::vector<std::byte> b(64);
  std::vector<std::byte> other(64);
  bindings.fill(core::make_id<core::BufferId>(0), a);
  bindings.fill(core::make_id<core::BufferId>(0), b);
  bindings.fill(core::make_id<core::BufferId>(1), other);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, other);
  // The plans of a case share their memory, which is filled for the first of them only.
  other[0] ^= std::byte{1};
  const auto marked = other;
  bindings.fill(core::make_id<core::BufferId>(1), other);
  EXPECT_EQ(other, marked);
}

}  // namespace
}  // namespace forelap::run
