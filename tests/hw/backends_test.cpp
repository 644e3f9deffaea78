#include "hw/backends.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "hw/module.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw {
namespace {

using core::ErrorKind;

TEST(Backends, AreListedInTheOrderOfPreferenceWithAReasonForEachThatIsMissing) {
  const auto all = all_backends();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].backend, "cuda");
  EXPECT_EQ(all[1].backend, "opencl");
  EXPECT_EQ(all[2].backend, "cpu");
  EXPECT_EQ(all[2].state, BackendState::ready);
  for (const BackendStatus& status : all) {
    if (status.state == BackendState::ready) {
      EXPECT_FALSE(status.devices.empty()) << status.backend;
    } else {
      EXPECT_FALSE(status.reason.empty()) << status.backend;
      const auto error = test::error_of([&] { backend(status.backend); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->kind(), ErrorKind::unavailable);
      EXPECT_NE(std::string(error->what()).find(status.reason), std::string::npos);
    }
  }
}

TEST(Backends, AnUnknownNameIsBadInput) {
  for (const char* spec :
       {"vulkan", "cuda:", "cpu:", "", "cpu:9999", "cpu:1-0", "auto:1", "cpu:0/sms=1", "cpu/sms=1"}) {
    const auto error = test::error_of([&] { open_device(spec); });
    ASSERT_TRUE(error) << spec;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input) << spec << ": " << error->what();
  }
  EXPECT_TRUE(test::error_of([] { backend("vulkan"); }));
}

TEST(Backends, AutoOpensADeviceAndSaysWhy) {
  const ChosenDevice chosen = open_device("auto");
  ASSERT_TRUE(chosen.device);
  EXPECT_FALSE(chosen.reason.empty());
  EXPECT_EQ(open_device(chosen.spec).device->info().identity.name, chosen.device->info().identity.name);
}

TEST(Backends, ADeviceIndexThatDoesNotExistNamesThoseThatDo) {
  std::string reason;
  if (!test::try_open("opencl", reason)) {
    ASSERT_FALSE(test::is_required("opencl")) << reason;
    GTEST_SKIP() << reason;
  }
  const auto error = test::error_of([] { open_device("opencl:77"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_NE(std::string(error->what()).find("opencl:0 ("), std::string::npos) << error->what();
}

TEST(Backends, ErrorsOfAModuleAreCaughtOutsideIt) {
  std::string reason;
  const auto device = test::try_open("opencl", reason);
  if (!device) {
    ASSERT_FALSE(test::is_required("opencl")) << reason;
    GTEST_SKIP() << reason;
  }
  const core::KernelSource broken{"__kernel void mine(__global int* data) { this is no C; }", "mine", "mine.cl", ""};
  const auto syntax = test::error_of([&] { device->build("mine", broken); });
  ASSERT_TRUE(syntax);
  EXPECT_EQ(syntax->kind(), ErrorKind::bad_input);
  EXPECT_NE(std::string(syntax->what()).find("mine.cl does not compile"), std::string::npos) << syntax->what();
  EXPECT_NE(std::string(syntax->what()).find("error"), std::string::npos) << "no log: " << syntax->what();
  const core::KernelSource other{"__kernel void yours(__global int* data) { data[0] = 1; }", "mine", "mine.cl", ""};
  const auto entry = test::error_of([&] { device->build("mine", other); });
  ASSERT_TRUE(entry);
  EXPECT_NE(std::string(entry->what()).find("yours"), std::string::npos) << entry->what();
  const auto huge = test::error_of([&] { device->allocate(device->info().largest_allocation + 1); });
  ASSERT_TRUE(huge);
  EXPECT_EQ(huge->kind(), ErrorKind::device_failed);
  EXPECT_NE(std::string(huge->what()).find(std::to_string(device->info().largest_allocation)), std::string::npos);
}

TEST(BackendsDeathTest, WithoutAnOpenClPlatformTheReasonNamesAPackage) {
  const ModuleLookup module = load_module("opencl", "forelap_make_backend", "FORELAP_OPENCL", module_directories());
  if (module.function == nullptr) {
    ASSERT_FALSE(test::is_required("opencl")) << module.reason;
    GTEST_SKIP() << module.reason;
  }
  // In a process of its own, for the loader of platforms reads its folder once.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ask = [] {
    setenv("OCL_ICD_VENDORS", "/nonexistent/", 1);
    unsetenv("OCL_ICD_FILENAMES");
    const BackendStatus status = all_backends()[1];
    std::fputs(status.reason.c_str(), stderr);
    std::_Exit(status.state == BackendState::no_device ? 0 : 1);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0), "no OpenCL platform.*pocl-opencl-icd");
}

}  // namespace
}  // namespace forelap::hw
