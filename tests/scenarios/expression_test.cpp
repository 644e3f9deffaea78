#include "scenarios/expression.hpp"

#include <cmath>

#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames = {"bytes", "n", "repeat"};

double value_of(const std::string& text) {
  return Expression::parse(text, kNames).evaluate({64, 16, 3});
}

std::string error_of(const std::string& text) {
  return message_of([&] { Expression::parse(text, kNames); });
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("8 - 4 - 2"), 2);
  EXPECT_EQ(value_of("8 / 4 / 2"), 1);
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value_of("-2 ^ 2"), -4);
  EXPECT_EQ(value_of("2 * -3"), -6);
  EXPECT_EQ(value_of("1.5e1"), 15);
}

TEST(Expression, KnowsNamesAndFunctions) {
  EXPECT_EQ(value_of("n * repeat"), 48);
  EXPECT_EQ(value_of("bytes - n"), 48);
  EXPECT_EQ(value_of("floor(n / 3) + ceil(n / 3)"), 11);
  EXPECT_EQ(value_of("sqrt(n)"), 4);
  EXPECT_EQ(value_of("log2(bytes)"), 6);
  EXPECT_EQ(value_of("min(n, repeat) + max(n, repeat)"), 19);
}

TEST(Expression, OfADefaultIsZero) {
  EXPECT_EQ(Expression().evaluate({1, 2, 3}), 0);
}

TEST(Expression, DividesByZeroToInfinity) {
  EXPECT_TRUE(std::isinf(value_of("1 / (n - 16)")));
}

TEST(Expression, NamesTheNearestNameForAnUnknownOne) {
  EXPECT_EQ(error_of("n * reapet"),
            "expression \"n * reapet\": found \"reapet\" at character 5, which is no known name (did you mean "
            "\"repeat\"?); known are bytes, n and repeat");
  EXPECT_THAT(error_of("flor(n)"), HasSubstr("did you mean \"floor\"?"));
}

TEST(Expression, SaysWhatStandsWhereAndWhatWasExpected) {
  EXPECT_THAT(error_of(""), HasSubstr("found the end at character 1, expected a number, a name or \"(\""));
  EXPECT_THAT(error_of("n +"), HasSubstr("found the end at character 4"));
  EXPECT_THAT(error_of("(n"), HasSubstr("found the end at character 3, expected \")\""));
  EXPECT_THAT(error_of("n n"), HasSubstr("found \"n\" at character 3, expected an operator or the end"));
  EXPECT_THAT(error_of("1_000"), HasSubstr("found \"_000\" at character 2"));
  EXPECT_THAT(error_of("1,5"), HasSubstr("found \",5\" at character 2"));
  EXPECT_THAT(error_of("min(n)"), HasSubstr("expected \",\""));
  EXPECT_THAT(error_of("1e999"), HasSubstr("expected a finite number"));
}

TEST(Expression, IsBoundedInLengthAndDepth) {
  EXPECT_THAT(error_of(std::string(100, '(') + "n"), HasSubstr("nested less deeply"));
  EXPECT_THAT(error_of(std::string(500, '-') + "n"), HasSubstr("nested less deeply"));
  EXPECT_THAT(error_of(std::string(2000, '1')), HasSubstr("2000 characters; at most 1000"));
}

}  // namespace
}  // namespace forelap::scenarios
