#include "validate/published.hpp"

#include <gtest/gtest.h>

namespace forelap::validate {
namespace {

TEST(Published, NumbersAreEqualToTheDigitsGiven) {
  EXPECT_TRUE(equal_to_digits(0.02477, "2.477", 0.01));
  EXPECT_TRUE(equal_to_digits(0.0247749, "2.477", 0.01));
  EXPECT_FALSE(equal_to_digits(0.0247761, "2.477", 0.01));
  EXPECT_TRUE(equal_to_digits(3.0, "3", 1.0));
  EXPECT_FALSE(equal_to_digits(3.6, "3", 1.0));
}

TEST(Published, ATextThatIsNoNumberEqualsNothing) {
  EXPECT_FALSE(equal_to_digits(1.0, "one", 1.0));
  EXPECT_FALSE(equal_to_digits(1.0, "", 1.0));
}

TEST(Published, TheShippedFiguresReadAndHoldTheThreeTables) {
  const auto rows = load_published(FORELAP_SOURCE_DIR "/validate/published/ordering.json");
  std::size_t with_best = 0;
  for (const auto& row : rows) {
    EXPECT_DOUBLE_EQ(row.unit, 0.01);
    with_best += row.best.empty() ? 0U : 1U;
  }
  EXPECT_EQ(rows.size(), 13U);
  EXPECT_EQ(with_best, 13U);
}

}  // namespace
}  // namespace forelap::validate
