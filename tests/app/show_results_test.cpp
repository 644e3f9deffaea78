#include "app/show_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/validate/sets.hpp"

namespace forelap::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ShowResults, PredictedAndMeasuredStandSideBySideWithErrorAndSpread) {
  const auto text = results_text(validate::testing::two_orders(), false, Output(false, false));
  EXPECT_THAT(text, HasSubstr("pair on bench: 2 runs"));
  EXPECT_THAT(text, HasSubstr("T1 T0"));
  EXPECT_THAT(text, HasSubstr("+25.00 %"));
  EXPECT_THAT(text, HasSubstr("mean 12.50 %"));
  EXPECT_THAT(text, HasSubstr("Kendall's tau 1.000"));
  EXPECT_THAT(text, HasSubstr("(partial)"));
  EXPECT_THAT(text, HasSubstr("* a size lies outside"));
  EXPECT_THAT(text, HasSubstr("note: a note"));
}

TEST(ShowResults, APredictionAloneHasNoErrors) {
  auto set = validate::testing::two_orders();
  for (auto& row : set.rows) {
    row.samples.clear();
    row.cold.reset();
  }
  const auto text = results_text(set, true, Output(false, false));
  EXPECT_THAT(text, Not(HasSubstr("error")));
  EXPECT_THAT(text, HasSubstr("geometric mean over 2 orders: 1.414 s"));
}

TEST(ShowResults, FiguresThatAreNotThereAreDashes) {
  EXPECT_EQ(percent(std::nullopt), "-");
  EXPECT_EQ(percent(0.314), "0.31 %");
}

}  // namespace
}  // namespace forelap::app
