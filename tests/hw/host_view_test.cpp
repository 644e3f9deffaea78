#include "hw/host_view.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/hw/fake_backend.hpp"

namespace forelap::hw {
namespace {

TEST(HostView, IsAStretchOfItsOwnersMemoryAndKeepsItAlive) {
  auto owner = std::make_shared<test::FakeHostMemory>(100, core::MemoryKind::pageable);
  std::byte* const begin = owner->bytes().data();
  HostView view(owner, 40, 60);
  owner.reset();
  EXPECT_EQ(view.bytes().data(), begin + 40);
  EXPECT_EQ(view.bytes().size(), 60U);
  EXPECT_EQ(view.kind(), core::MemoryKind::pageable);
  view.bytes()[59] = std::byte{1};
}

TEST(HostView, StaysInside) {
  const auto owner = std::make_shared<test::FakeHostMemory>(100, core::MemoryKind::pinned);
  EXPECT_NO_THROW(HostView(owner, 100, 0));
  EXPECT_THROW(HostView(owner, 41, 60), std::invalid_argument);
  EXPECT_THROW(HostView(owner, 101, 0), std::invalid_argument);
  EXPECT_THROW(HostView(owner, 50, UINT64_MAX), std::invalid_argument);
}

}  // namespace
}  // namespace forelap::hw
