#include "hw/proxy/host_pool.hpp"

#include <gtest/gtest.h>

#include "tests/hw/proxy/support.hpp"

namespace forelap::hw::proxy {
namespace {

class Host : public testing::Test {
 protected:
  Host() { pool->open(std::make_shared<test::ScriptedDevice>(stage)); }
  [[nodiscard]] std::size_t allocations() const { return stage.script->count("allocates"); }
  test::Stage stage;
  std::shared_ptr<HostPool> pool = std::make_shared<HostPool>();
};

TEST_F(Host, UsesMemoryAgain) {
  std::byte* const first = pool->take(100)->bytes().data();
  const auto second = pool->take(200);
  EXPECT_EQ(second->bytes().data(), first);
  const auto third = pool->take(200);
  EXPECT_NE(third->bytes().data(), first);
  EXPECT_EQ(allocations(), 2U);
}

TEST_F(Host, WhatComesBackAfterItsDeviceIsGoneIsNotUsedAgain) {
  auto old = pool->take(100);
  pool->close();
  EXPECT_EQ(pool->take(100)->kind(), core::MemoryKind::pageable);
  pool->open(std::make_shared<test::ScriptedDevice>(stage));
  old.reset();
  EXPECT_EQ(pool->take(100)->kind(), core::MemoryKind::pinned);
  EXPECT_EQ(allocations(), 2U);
}

TEST_F(Host, MemoryOutlivesItsPool) {
  const auto memory = pool->take(10);
  pool.reset();
  memory->bytes()[9] = std::byte{1};
  EXPECT_EQ(memory->bytes()[9], std::byte{1});
}

}  // namespace
}  // namespace forelap::hw::proxy
