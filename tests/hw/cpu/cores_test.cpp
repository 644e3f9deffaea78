#include "hw/cpu/cores.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/hw/support.hpp"

namespace forelap::hw::cpu {
namespace {

namespace fs = std::filesystem;

/// A tree of system files in a folder of its own.
class FakeSystem {
 public:
  FakeSystem() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / ("forelap_cores_" + std::to_string(getpid()) + "_" + test->name());
    fs::remove_all(root_);
  }
  ~FakeSystem() { fs::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

TEST(Cores, WithoutControlGroupsThereIsNoQuota) {
  const FakeSystem system;
  EXPECT_FALSE(cgroup_quota(system.root()));
  EXPECT_FALSE(cgroup_memory(system.root()));
}

TEST(Cores, Version2QuotaOfTheProcessesOwnGroup) {
  FakeSystem system;
  system.write("proc/self/cgroup", "0::/user/job\n");
  system.write("sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_quota(system.root()).value(), 1.5);
}

TEST(Cores, TheSmallestQuotaOnTheWayUpCounts) {
  FakeSystem system;
  system.write("proc/self/cgroup", "0::/user/job\n");
  system.write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  system.write("sys/fs/cgroup/user/cpu.max", "200000 100000\n");
  system.write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  EXPECT_DOUBLE_EQ(cgroup_quota(system.root()).value(), 2.0);
}

TEST(Cores, InsideAContainerTheMountItselfHoldsTheQuota) {
  FakeSystem system;
  system.write("proc/self/cgroup", "0::/not/visible/here\n");
  system.write("sys/fs/cgroup/cpu.max", "300000 100000");
  EXPECT_DOUBLE_EQ(cgroup_quota(system.root()).value(), 3.0);
}

TEST(Cores, Version1Quota) {
  FakeSystem system;
  system.write("proc/self/cgroup", "12:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
  system.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  system.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  system.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  EXPECT_DOUBLE_EQ(cgroup_quota(system.root()).value(), 0.5);
  EXPECT_EQ(cgroup_memory(system.root()).value(), 1073741824U);
}

TEST(Cores, Version1WithoutALimitIsNone) {
  FakeSystem system;
  system.write("proc/self/cgroup", "4:cpu:/\n5:memory:/\n");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  system.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(cgroup_quota(system.root()));
  EXPECT_FALSE(cgroup_memory(system.root()));
}

TEST(Cores, BrokenFilesGrantEverything) {
  FakeSystem system;
  system.write("proc/self/cgroup", "nonsense\n0::/\n");
  system.write("sys/fs/cgroup/cpu.max", "0 x");
  EXPECT_FALSE(cgroup_quota(system.root()));
}

TEST(Cores, TheQuotaLimitsHowManyThreadsRunAtOnce) {
  EXPECT_EQ(make_budget({0, 1, 2, 3}, std::nullopt).usable, 4U);
  EXPECT_EQ(make_budget({0, 1, 2, 3}, 1.5).usable, 2U);
  EXPECT_EQ(make_budget({0, 1, 2, 3}, 0.2).usable, 1U);
  EXPECT_EQ(make_budget({0, 1}, 16.0).usable, 2U);
  EXPECT_EQ(make_budget({0, 1, 2, 3}, 1.5).limit, "the control group grants 1.5 of 4 cores");
  EXPECT_TRUE(make_budget({0, 1}, 16.0).limit.empty());
}

TEST(Cores, ThisProcessHasAtLeastOne) {
  const CoreBudget budget = core_budget();
  EXPECT_GE(budget.cores.size(), 1U);
  EXPECT_GE(budget.usable, 1U);
  EXPECT_LE(budget.usable, budget.cores.size());
}

TEST(Cores, RangesAreReadAndWritten) {
  const std::vector<unsigned> there = {0, 1, 2, 3, 6, 7};
  EXPECT_EQ(parse_cores("0-2,6", there), (std::vector<unsigned>{0, 1, 2, 6}));
  EXPECT_EQ(parse_cores("7", there), (std::vector<unsigned>{7}));
  EXPECT_EQ(cores_text({0, 1, 2, 6}), "0-2,6");
  EXPECT_EQ(cores_text({5}), "5");
}

TEST(Cores, ACoreThatIsNotThereNamesThoseThatAre) {
  const auto error = test::error_of([] { parse_cores("0-4", {0, 1, 2, 3, 6, 7}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), core::ErrorKind::bad_input);
  EXPECT_EQ(std::string(error->what()), "core 4 of \"0-4\" is not among the cores this process may use: 0-3,6-7");
}

TEST(Cores, NonsenseIsRefused) {
  for (const char* text : {"", "a", "1-", "-1", "3-1", "0,0", "1.5", "0-99999999999", " 1"}) {
    EXPECT_TRUE(test::error_of([&] { parse_cores(text, {0, 1, 2, 3}); })) << text;
  }
}

TEST(Cores, ASystemsListIsReadLeniently) {
  EXPECT_EQ(cores_among("0-1,8-9", {0, 1, 2, 9}), (std::vector<unsigned>{0, 1, 9}));
  EXPECT_TRUE(cores_among("", {0, 1}).empty());
  EXPECT_TRUE(cores_among("x-y", {0, 1}).empty());
}

}  // namespace
}  // namespace forelap::hw::cpu
