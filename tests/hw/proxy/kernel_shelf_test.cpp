#include "hw/proxy/kernel_shelf.hpp"

#include <gtest/gtest.h>

#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

TEST(KernelShelf, BuildsOnceADeviceAndAgainOnTheNext) {
  test::Stage stage;
  KernelShelf shelf;
  EXPECT_EQ(shelf.get("synthetic").kernel, nullptr);
  EXPECT_EQ(shelf.open(std::make_shared<test::ScriptedDevice>(stage)), 1U);
  const BuiltKernel first = shelf.get("synthetic");
  EXPECT_EQ(first.epoch, 1U);
  EXPECT_EQ(shelf.get("synthetic").kernel, first.kernel);
  shelf.close();
  EXPECT_EQ(shelf.open(std::make_shared<test::ScriptedDevice>(stage)), 2U);
  EXPECT_EQ(stage.script->count("builds synthetic"), 2U);
  EXPECT_EQ(shelf.get("synthetic").epoch, 2U);
  EXPECT_EQ(stage.script->count("builds synthetic"), 2U);
}

TEST(KernelShelf, AKernelThatDoesNotBuildAgainFailsWhenItIsAskedFor) {
  test::Stage stage;
  KernelShelf shelf;
  shelf.open(std::make_shared<test::ScriptedDevice>(stage));
  (void)shelf.get("synthetic");
  shelf.close();
  stage.script->fail("build", 1);
  shelf.open(std::make_shared<test::ScriptedDevice>(stage));
  stage.script->fail("build", 1);
  EXPECT_THROW((void)shelf.get("synthetic"), core::Error);
  EXPECT_NE(shelf.get("synthetic").kernel, nullptr);
}

TEST(KernelShelf, RefusesANamelessKernel) {
  KernelShelf shelf;
  EXPECT_THROW(shelf.define("", {}), core::Error);
}

}  // namespace
}  // namespace forelap::hw::proxy
