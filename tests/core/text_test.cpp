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

TEST(Text, ShowsControlCharactersAndDirectionMarksInWords) {
  EXPECT_EQ(printable("plain, \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "plain, \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable(std::string("a\nb\tc\x1b[0m\x7f\0", 11)), "a\\nb\\tc\\x1b[0m\\x7f\\x00");
  EXPECT_EQ(printable("a\nb\tc\r", true), "a\nb\tc\\x0d");
  EXPECT_EQ(printable("\xC2\x85\xE2\x80\xAE\xE2\x81\xA6"), "\\x85\\u202e\\u2066");
  EXPECT_EQ(printable("\xC2"), "\xC2");
}

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
}

}  // namespace
