#include "hw/cuda/memory_policy.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace forelap::hw::cuda {
namespace {

int current_mode() {
  int mode = -1;
  return syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) == 0 ? mode : -1;
}

TEST(MemoryPolicy, ANodeIsPreferredWhileItsScopeLasts) {
  if (current_mode() != MPOL_DEFAULT) GTEST_SKIP() << "this system lets nobody read its memory policy, or one is set";
  {
    const PreferNode near(0U);
    if (!near.active()) GTEST_SKIP() << "this system lets nobody set a memory policy";
    EXPECT_EQ(current_mode(), MPOL_PREFERRED);
    const PreferNode inner(0U);
    EXPECT_FALSE(inner.active()) << "a policy that is set already stays";
  }
  EXPECT_EQ(current_mode(), MPOL_DEFAULT);
}

TEST(MemoryPolicy, WithoutANodeNothingChanges) {
  const int before = current_mode();
  const PreferNode near(std::nullopt);
  EXPECT_FALSE(near.active());
  EXPECT_EQ(current_mode(), before);
}

TEST(MemoryPolicy, ANodeThatDoesNotExistIsIgnored) {
  const int before = current_mode();
  EXPECT_FALSE(PreferNode(1023U).active());
  EXPECT_FALSE(PreferNode(5000U).active());
  EXPECT_EQ(current_mode(), before);
}

}  // namespace
}  // namespace forelap::hw::cuda
