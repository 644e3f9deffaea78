#include "hw/controller/device_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/support.hpp"

namespace forelap::hw::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A machine of eight cores, of which hyper-threads are cores as any.
cpu::CoreBudget eight() {
  return cpu::make_budget({0, 1, 2, 3, 4, 5, 6, 7}, std::nullopt);
}

std::vector<std::vector<unsigned>> cores(const std::vector<std::string>& specs) {
  return cores_of(specs, eight());
}

std::string complaint(const std::vector<std::string>& specs) {
  const auto error = hw::test::error_of([&] { cores(specs); });
  return error ? error->what() : "";
}

std::string opening(const std::vector<std::string>& specs) {
  const auto error = hw::test::error_of([&] { open_devices(specs); });
  return error ? error->what() : "";
}

TEST(GroupsOfCores, AreTakenByNumber) {
  EXPECT_THAT(cores({"cpu:0-3", "cpu:6,4"}), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(6, 4)));
}

TEST(GroupsOfCores, AreTakenByCountFromThoseThatNoOtherGroupNames) {
  EXPECT_THAT(cores({"cpu:cores=2", "cpu:1-2", "cpu:cores=2"}),
              ElementsAre(ElementsAre(0, 3), ElementsAre(1, 2), ElementsAre(4, 5)));
}

TEST(GroupsOfCores, TakeTheRestWithoutAPlace) {
  EXPECT_THAT(cores({"cpu", "cuda:0", "cpu:0-5"}),
              ElementsAre(ElementsAre(6, 7), ElementsAre(), ElementsAre(0, 1, 2, 3, 4, 5)));
}

TEST(GroupsOfCores, AreNoMoreThanCanRunAtOnceWhereTheyTakeTheRest) {
  const std::vector<std::vector<unsigned>> taken = cores_of({"cpu"}, cpu::make_budget({0, 1, 2, 3}, 2.0));
  EXPECT_THAT(taken, ElementsAre(ElementsAre(0, 1)));
}

TEST(GroupsOfCores, MustNotOverlap) {
  EXPECT_THAT(complaint({"cpu:0-3", "cpu:3-5"}), HasSubstr("core 3 is in two groups, \"cpu:0-3\" and \"cpu:3-5\""));
}

TEST(GroupsOfCores, MustBeCoresOfThisProcess) {
  EXPECT_THAT(complaint({"cpu:6-9"}), HasSubstr("core 8 of \"6-9\" is not among the cores this process may use: 0-7"));
  EXPECT_THAT(complaint({"cpu:0-5", "cpu:cores=4"}), HasSubstr("\"cpu:cores=4\" finds 2 cores"));
  EXPECT_THAT(complaint({"cpu:0-7", "cpu"}), HasSubstr("\"cpu\" finds 0 cores"));
}

TEST(GroupsOfCores, MustBeANumberOfThem) {
  for (const char* spec : {"cpu:cores=0", "cpu:cores=", "cpu:cores=-1", "cpu:cores=x"}) {
    EXPECT_THAT(complaint({spec}), HasSubstr("names no number of cores")) << spec;
  }
  EXPECT_THAT(complaint({"cpu:x"}), HasSubstr("is not a list of cores"));
}

TEST(ListOfDevices, MustNotBeEmpty) {
  EXPECT_THAT(opening({}), HasSubstr("the list of devices is empty"));
}

TEST(ListOfDevices, HoldsEachDeviceOnce) {
  EXPECT_THAT(opening({"cuda:0", "cuda:0"}), HasSubstr("\"cuda:0\" stands twice"));
  EXPECT_THAT(opening({"cpu", "cpu"}), HasSubstr("\"cpu\" stands twice"));
}

TEST(ListOfDevices, HoldsNoAutoBesideOthers) {
  EXPECT_THAT(opening({"cpu", "auto"}), HasSubstr("\"auto\" stands alone"));
}

TEST(ListOfDevices, HoldsKnownDevices) {
  EXPECT_THAT(opening({"gpu:0"}), HasSubstr("\"gpu:0\" is not known"));
}

TEST(ListOfDevices, OpensCores) {
  const std::vector<OpenedDevice> opened = open_devices({"cpu:cores=1"});
  ASSERT_EQ(opened.size(), 1U);
  EXPECT_EQ(opened[0].kind, DeviceKind::cpu);
  EXPECT_EQ(opened[0].cores.size(), 1U);
  EXPECT_EQ(opened[0].device, nullptr);
}

}  // namespace
}  // namespace forelap::hw::controller
