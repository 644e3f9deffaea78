#pragma once
// Tests that need SimGrid skip where it is missing, and fail where FORELAP_REQUIRE names it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "sim/simgrid/executor.hpp"

namespace forelap::tests {

inline bool simgrid_is_required() {
  const char* required = std::getenv("FORELAP_REQUIRE");
  return required != nullptr && std::string_view(required).find("simgrid") != std::string_view::npos;
}

class NeedsSimGrid : public testing::Test {
 protected:
  void SetUp() override {
    const sim::simgrid::Availability here = sim::simgrid::availability();
    if (here.available) return;
    if (simgrid_is_required()) FAIL() << here.reason;
    GTEST_SKIP() << here.reason;
  }
};

}  // namespace forelap::tests
