#include "evolve/de/box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

std::string message_of(const Box& box) {
  try {
    check(box);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Box, EqualBoundsAreAllowed) {
  EXPECT_EQ(message_of({{1.0, -2.0}, {1.0, 3.0}}), "");
}

TEST(Box, ALowerBoundAboveTheUpperNamesTheVariable) {
  EXPECT_THAT(message_of({{0.0, 4.0}, {1.0, 3.0}}), testing::HasSubstr("variable 1 has the lower bound 4"));
}

TEST(Box, BoundsThatAreNoNumbersAreRefused) {
  EXPECT_THAT(message_of({{std::numeric_limits<double>::quiet_NaN()}, {1.0}}), testing::HasSubstr("not finite"));
  EXPECT_THAT(message_of({{0.0}, {std::numeric_limits<double>::infinity()}}), testing::HasSubstr("not finite"));
  EXPECT_THAT(message_of({{-1.5e308}, {1.5e308}}), testing::HasSubstr("not finite")) << "its range overflows";
}

TEST(Box, AnEmptyOrLopsidedBoxIsRefused) {
  EXPECT_THAT(message_of({}), testing::HasSubstr("without variables"));
  EXPECT_THAT(message_of({{0.0}, {1.0, 2.0}}), testing::HasSubstr("1 lower and 2 upper"));
}

TEST(Box, APartHasItsVariablesInOrder) {
  const Box box{{0.0, 1.0, 2.0}, {10.0, 11.0, 12.0}};
  const Box part = part_of(box, Variables{2, 0});
  EXPECT_EQ(part.lower, (std::vector<double>{2.0, 0.0}));
  EXPECT_EQ(part.upper, (std::vector<double>{12.0, 10.0}));
}

}  // namespace
