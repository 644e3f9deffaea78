#include "core/number_text.hpp"

#include <gtest/gtest.h>

#include <locale>

namespace {

using namespace forelap::core;

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(NumberText, ReadsWholeFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("1e6"), 1e6);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_number("+2"), 2);
  for (const char* bad : {"", " 1", "1 ", "1,5", "nan", "inf", "1e999", "1_000", "0x10", "1.5us", "--1"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(NumberText, ReadsWholeNumbersOnlyInPlainDigits) {
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", "-1", "1e6", "1_000", "18446744073709551616", "1.0", " 1"}) {
    EXPECT_FALSE(parse_whole(bad)) << bad;
  }
}

TEST(NumberText, WritesTheShortestTextThatReadsBack) {
  EXPECT_EQ(shortest(0.1), "0.1");
  for (const double x : {1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.125}) {
    EXPECT_EQ(parse_number(shortest(x)), x);
  }
  EXPECT_EQ(fixed(2.675, 1), "2.7");
  EXPECT_EQ(significant(1234.5, 3), "1234") << "digits before the point are all there";
  EXPECT_EQ(significant(1556.2, 4), "1556");
  EXPECT_EQ(significant(2.5e6, 3), "2500000");
  EXPECT_EQ(significant(-31415.9, 2), "-31416");
  EXPECT_EQ(significant(0.00001556, 3), "0.0000156");
  EXPECT_EQ(significant(0.00002, 3), "0.00002");
  EXPECT_EQ(significant(9.996e-6, 3), "0.00001");
  EXPECT_EQ(significant(1e20, 3), "1e+20");
  EXPECT_EQ(significant(0.25, 4), "0.25");
}

TEST(NumberText, IsTheSameInADecimalCommaLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  EXPECT_EQ(parse_number("1234.5"), 1234.5);
  EXPECT_FALSE(parse_number("1234,5"));
  EXPECT_EQ(shortest(1234.5), "1234.5");
  EXPECT_EQ(fixed(1234.5, 2), "1234.50");
  std::locale::global(before);
}

}  // namespace
