#include "app/progress_bar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/table.hpp"

namespace forelap::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgressBar, ShowsShareRateAndTimeLeft) {
  const auto line = progress_line("measuring", 120, 384, 10.0, 80);
  EXPECT_THAT(line, HasSubstr("measuring ["));
  EXPECT_THAT(line, HasSubstr("120/384"));
  EXPECT_THAT(line, HasSubstr("12/s"));
  EXPECT_THAT(line, HasSubstr("0:22 left"));
}

TEST(ProgressBar, FitsEveryWidth) {
  for (std::size_t columns = 1; columns < 120; ++columns) {
    EXPECT_LT(display_width(progress_line("measuring", 12, 384, 10.0, columns)), columns);
  }
}

TEST(ProgressBar, WithoutATotalThereIsNoBar) {
  const auto line = progress_line("reading", 5, 0, 1.0, 80);
  EXPECT_THAT(line, Not(HasSubstr("[")));
  EXPECT_THAT(line, HasSubstr("5"));
}

TEST(ProgressBar, LongTimesHaveHours) {
  EXPECT_THAT(progress_line("x", 1, 7201, 1.0, 80), HasSubstr("2:00:00 left"));
}

TEST(ProgressBar, QuietWorkIsNotAskedForProgress) {
  ProgressBar bar(true);
  EXPECT_FALSE(bar.receiver());
}

}  // namespace
}  // namespace forelap::app
