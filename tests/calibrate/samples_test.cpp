#include "calibrate/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <locale>

#include "core/error.hpp"

namespace forelap::calibrate {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_samples(text, "s.csv");
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

Sample full_sample() {
  Sample s;
  s.part = Part::interference;
  s.subject = Subject::dtoh;
  s.memory = core::MemoryKind::pageable;
  s.active = 7;
  s.kernel = "";
  s.bytes = 123456;
  s.work = 0.1;
  s.items = 1e9;
  s.count = 3;
  s.seconds = 1.0 / 3;
  s.outside = 1e-7;
  s.round = 4;
  return s;
}

TEST(Samples, ReadBackToTheSameValues) {
  Sample kernel = full_sample();
  kernel.subject = Subject::kernel;
  kernel.memory = core::MemoryKind::pinned;
  kernel.kernel = "synthetic";
  const std::vector<Sample> samples = {full_sample(), kernel};
  const std::vector<Sample> read = parse_samples(write_samples(samples), "s.csv");
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(same_point(read[i], samples[i])) << i;
    EXPECT_EQ(read[i].seconds, samples[i].seconds);
    EXPECT_EQ(read[i].outside, samples[i].outside);
    EXPECT_EQ(read[i].round, samples[i].round);
  }
}

TEST(Samples, ColumnsMayStandInAnyOrderWithCommentsAndWithoutTheOptionalOnes) {
  const std::vector<Sample> read =
      parse_samples("# made by hand\r\nseconds,class,part,bytes\r\n\r\n1e-3,htod,transfer,64\r\n", "s");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].seconds, 1e-3);
  EXPECT_EQ(read[0].count, 1U);
  EXPECT_EQ(read[0].round, 1U);
}

TEST(Samples, ErrorsNameFileLineAndColumn) {
  const std::string head = "part,class,bytes,seconds\n";
  EXPECT_THAT(error_of(head + "transfer,htod,64,1e-3\ntransfer,htod,64,abc\n"), HasSubstr("s.csv:3:18: \"abc\""));
  EXPECT_THAT(error_of(head + "transfer,htod,64,nan\n"), HasSubstr("no finite number"));
  EXPECT_THAT(error_of(head + "transfer,htod,64,-1e-3\n"), HasSubstr("negative"));
  EXPECT_THAT(error_of(head + "transfer,htod,64,inf\n"), HasSubstr("no finite number"));
  EXPECT_THAT(error_of(head + "transfer,up,64,1e-3\n"), HasSubstr("expected htod, dtoh, kernel and chain"));
  EXPECT_THAT(error_of(head + "transfer,htod,64\n"), HasSubstr("3 cells; the header has 4"));
  EXPECT_THAT(error_of(head), HasSubstr("no samples below"));
  EXPECT_THAT(error_of(""), HasSubstr("no header"));
  EXPECT_THAT(error_of("part,class,bytes\ntransfer,htod,64\n"), HasSubstr("\"seconds\" is missing"));
  EXPECT_THAT(error_of("part,part,class,seconds\n"), HasSubstr("stands twice"));
  EXPECT_THAT(error_of("part,klass,seconds\n"), HasSubstr("unknown column \"klass\""));
  EXPECT_THAT(error_of("part,class,seconds,count\ntransfer,htod,1,0\n"), HasSubstr("count is 0"));
  EXPECT_THAT(error_of("part,class,seconds,active\ntransfer,htod,1,htod+up\n"), HasSubstr("unknown class \"up\""));
  EXPECT_THAT(error_of(std::string("part\0class", 10)), HasSubstr("binary"));
}

struct CommaNumbers : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Samples, AreTheSameUnderALocaleWithDecimalComma) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
  const std::string text = write_samples(std::vector<Sample>{full_sample()});
  const std::vector<Sample> read = parse_samples(text, "s.csv");
  std::locale::global(before);
  EXPECT_EQ(read[0].seconds, 1.0 / 3);
  EXPECT_THAT(text, HasSubstr("0.3333"));
  EXPECT_THAT(error_of("part;class;seconds\ntransfer;htod;0,5\n"), HasSubstr("decimal point, not a comma"));
}

}  // namespace
}  // namespace forelap::calibrate
