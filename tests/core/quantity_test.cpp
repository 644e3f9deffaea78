#include "core/quantity.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/statistics.hpp"

namespace {

using namespace forelap::core;

std::string refusal(const std::string& text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Quantity, ReadsUnitsExactly) {
  EXPECT_EQ(parse_quantity("12.5 us", Dimension::time), 12.5e-6);
  EXPECT_EQ(parse_quantity("3ns", Dimension::time), 3e-9);
  EXPECT_EQ(parse_quantity("2 min", Dimension::time), 120);
  EXPECT_EQ(parse_quantity("64 MiB", Dimension::bytes), 64.0 * 1024 * 1024);
  EXPECT_EQ(parse_quantity("64 MB", Dimension::bytes), 64e6);
  EXPECT_EQ(parse_quantity("1.5 KiB", Dimension::bytes), 1536);
  EXPECT_EQ(parse_quantity("90 %", Dimension::fraction), 0.9);
  EXPECT_EQ(parse_quantity("0.9", Dimension::fraction), 0.9);
  EXPECT_EQ(parse_quantity("-2.5", Dimension::pure), -2.5);
}

TEST(Quantity, TellsBytesFromBitsAndDecimalFromBinary) {
  const double bytes = parse_quantity("25 GB/s", Dimension::rate);
  const double bits = parse_quantity("25 Gbit/s", Dimension::rate);
  const double binary = parse_quantity("25 GiB/s", Dimension::rate);
  EXPECT_EQ(bytes, 25e9);
  EXPECT_EQ(bits, 25e9 / 8);
  EXPECT_EQ(binary, 25.0 * 1024 * 1024 * 1024);
  EXPECT_NE(refusal("25", Dimension::rate).find("the unit is missing"), std::string::npos);
}

TEST(Quantity, RefusesWhatIsNoQuantityAndSaysWhy) {
  const auto says = [](const std::string& text, Dimension dimension, const std::string& why) {
    const std::string message = refusal(text, dimension);
    EXPECT_NE(message.find(why), std::string::npos) << text << " -> " << message;
  };
  says("1e6", Dimension::bytes, "the unit is missing");
  says("64e6", Dimension::bytes, "the unit is missing");
  says("0", Dimension::bytes, "the unit is missing");
  says("1_000_000 B", Dimension::bytes, "without underscores");
  says("1,5 ms", Dimension::time, "decimal sign is a point");
  says("-1 ms", Dimension::time, "must not be negative");
  says("nan ms", Dimension::time, "must be finite");
  says("-.inf", Dimension::bytes, "must be finite");
  says("inf", Dimension::time, "must be finite");
  says("1e999 s", Dimension::time, "not a finite number");
  says("1e7 s", Dimension::time, "too large");
  says("1e19 B", Dimension::bytes, "too large");
  says("0.3 B", Dimension::bytes, "whole number of bytes");
  says("5 mib", Dimension::bytes, "did you mean MiB?");
  says("5 mb/s", Dimension::rate, "did you mean");
  says("5 parsec", Dimension::time, "the units are");
  says("", Dimension::time, "does not start with a number");
  says("3 s", Dimension::pure, "unit does not belong");
  EXPECT_LT(refusal(std::string(10'000, 'x'), Dimension::time).size(), 300U);
}

TEST(Quantity, WritesTextThatReadsBackToTheSameValue) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double seconds = random.uniform() * (i % 2 == 0 ? 1e-13 : 1e3);
    EXPECT_EQ(parse_quantity(format_quantity(seconds, Dimension::time), Dimension::time), seconds);
    const double rate = random.uniform() * 1e12;
    EXPECT_EQ(parse_quantity(format_quantity(rate, Dimension::rate), Dimension::rate), rate);
    const auto bytes = static_cast<double>(random.below(1'000'000'000'000U));
    EXPECT_EQ(parse_quantity(format_quantity(bytes, Dimension::bytes), Dimension::bytes), bytes);
  }
  EXPECT_EQ(format_quantity(0, Dimension::time), "0 fs");
  EXPECT_EQ(format_quantity(64.0 * 1024 * 1024, Dimension::bytes), "64 MiB");
  EXPECT_EQ(format_quantity(1000, Dimension::bytes), "1000 B");
}

TEST(Quantity, ShowsPeopleAFewDigits) {
  EXPECT_EQ(display_quantity(0.0123456, Dimension::time), "12.35 ms");
  EXPECT_EQ(display_quantity(0.1234567, Dimension::time, 3), "123 ms");
  EXPECT_EQ(display_quantity(55.42e9, Dimension::rate, 3), "55.4 GB/s");
  EXPECT_EQ(display_quantity(0.905, Dimension::fraction), "90.5 %");
}

}  // namespace
