#include "core/text.hpp"

#include <gtest/gtest.h>

namespace {

using namespace forelap::core;

TEST(Text, NamesTheNearestCandidateWhenItIsASlip) {
  const std::vector<std::string> keys = {"tolerance", "repetitions", "order"};
  EXPECT_EQ(nearest("tolerence", keys), "tolerance");
  EXPECT_EQ(nearest("ordr", keys), "order");
  EXPECT_EQ(nearest("oredr", keys), "order");
  EXPECT_EQ(nearest("Order", keys), "order");
  EXPECT_EQ(nearest("colour", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), keys), "");
}

TEST(Text, JoinsNamesAsPeopleDo) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(join_names(names), "a, b and c");
  EXPECT_EQ(join_names(std::span(names).first(2)), "a and b");
  EXPECT_EQ(join_names(std::span(names).first(1)), "a");
  EXPECT_EQ(join_names({}), "");
}

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
}

}  // namespace
