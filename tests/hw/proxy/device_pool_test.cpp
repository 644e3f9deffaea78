#include "hw/proxy/device_pool.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hw/proxy/size_class.hpp"
#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

class Pool : public testing::Test {
 protected:
  DevicePool make(std::uint64_t limit) { return {std::make_shared<test::ScriptedDevice>(stage), limit}; }
  [[nodiscard]] std::size_t allocations() const { return stage.script->count("allocates"); }
  test::Stage stage;
};

TEST(SizeClass, RoundsUpByAnEighthAtMost) {
  EXPECT_EQ(size_class(0), 4096U);
  EXPECT_EQ(size_class(4096), 4096U);
  EXPECT_EQ(size_class(4097), 4608U);
  EXPECT_EQ(size_class(std::uint64_t{10} << 30), std::uint64_t{10} << 30);
  EXPECT_EQ(size_class(UINT64_MAX), UINT64_MAX);
  for (std::uint64_t bytes = 4096; bytes < 1'000'000; bytes += 977) {
    EXPECT_GE(size_class(bytes), bytes);
    EXPECT_LE(size_class(bytes), bytes + bytes / 8);
    EXPECT_EQ(size_class(size_class(bytes)), size_class(bytes));
  }
}

TEST_F(Pool, UsesBuffersAgain) {
  DevicePool pool = make(UINT64_MAX);
  auto first = pool.take(std::array<std::uint64_t, 2>{5000, 100});
  ASSERT_TRUE(first.has_value());
  pool.give_back(std::move(*first));
  auto second = pool.take(std::array<std::uint64_t, 2>{5100, 4000});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(allocations(), 2U);
}

TEST_F(Pool, GivesNothingWhileOthersHoldTheLimit) {
  DevicePool pool = make(3 * 4096);
  auto held = pool.take(std::array<std::uint64_t, 2>{1, 1});
  EXPECT_FALSE(pool.take(std::array<std::uint64_t, 2>{1, 1}).has_value());
  EXPECT_TRUE(pool.take(std::array<std::uint64_t, 1>{1}).has_value());
  pool.give_back(std::move(*held));
  EXPECT_TRUE(pool.take(std::array<std::uint64_t, 2>{1, 1}).has_value());
}

TEST_F(Pool, FreesKeptBuffersOfOtherSizesForTheLimit) {
  DevicePool pool = make(8192);
  auto small = pool.take(std::array<std::uint64_t, 2>{1, 1});
  pool.give_back(std::move(*small));
  auto large = pool.take(std::array<std::uint64_t, 1>{8192});
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(pool.allocated(), 8192U);
}

TEST_F(Pool, RoundingRefusesNoTaskThatFits) {
  DevicePool pool = make(8193);
  EXPECT_TRUE(pool.take(std::array<std::uint64_t, 1>{8193}).has_value());
  EXPECT_EQ(pool.allocated(), 8193U);
}

TEST_F(Pool, ARefusalIsAnErrorOnlyWhereNobodyElseHoldsMemory) {
  DevicePool pool = make(UINT64_MAX);
  auto held = pool.take(std::array<std::uint64_t, 1>{1});
  stage.refuse_above = 4096;
  EXPECT_FALSE(pool.take(std::array<std::uint64_t, 2>{1, 5000}).has_value());
  EXPECT_EQ(pool.allocated(), 2 * 4096U);
  pool.give_back(std::move(*held));
  EXPECT_THROW((void)pool.take(std::array<std::uint64_t, 2>{1, 5000}), core::Error);
  EXPECT_TRUE(pool.take(std::array<std::uint64_t, 1>{1}).has_value());
}

TEST(DefaultMemoryLimit, IsNineTenthsOfWhatTheDeviceHas) {
  DeviceInfo info;
  EXPECT_EQ(default_memory_limit(info), UINT64_MAX);
  info.memory_bytes = 1000;
  EXPECT_EQ(default_memory_limit(info), 900U);
}

}  // namespace
}  // namespace forelap::hw::proxy
