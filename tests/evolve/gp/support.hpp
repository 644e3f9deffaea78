#pragma once
// Shared by the tests of evolve/gp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/error.hpp"

namespace forelap::evolve::gp {

/// The message with which `action` refuses its input; empty if it does not.
inline std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return {};
}

}  // namespace forelap::evolve::gp
