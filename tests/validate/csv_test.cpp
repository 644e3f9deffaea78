#include "validate/csv.hpp"

#include <gtest/gtest.h>

#include "core/text.hpp"
#include "tests/validate/sets.hpp"

namespace forelap::validate {
namespace {

TEST(Csv, EachRowIsALineOfAsManyFieldsAsTheHeader) {
  auto set = testing::two_orders();
  set.devices.clear();
  const auto lines = core::split(to_csv(set), '\n');
  ASSERT_EQ(lines.size(), 4U);  // header, two rows, the end of the last line
  EXPECT_EQ(lines[3], "");
  const auto header = core::split(lines[0], ',');
  EXPECT_EQ(header.front(), "scenario");
  for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(core::split(lines[i], ',').size(), header.size()) << lines[i];
  EXPECT_TRUE(lines[1].starts_with("pair,,T0 T1,fast,bench,,1,0.99,1.01,1,0.94")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(",0,0,0.9 1 1 1 1.1")) << lines[1];
}

TEST(Csv, QuotesAndCommasAreQuoted) {
  const auto text = to_csv(testing::two_orders());
  EXPECT_NE(text.find("\"Device \"\"X\"\"\""), std::string::npos);
}

TEST(Csv, FiguresThatAreNotThereAreEmpty) {
  auto set = testing::two_orders();
  set.devices.clear();
  set.rows.resize(1);
  set.rows[0].samples.clear();
  set.rows[0].cold.reset();
  const auto fields = core::split(core::split(to_csv(set), '\n')[1], ',');
  EXPECT_EQ(fields[9], "");    // median
  EXPECT_EQ(fields[12], "0");  // samples
  EXPECT_EQ(fields[13], "");   // cold
  EXPECT_EQ(fields[14], "");   // error
}

TEST(Csv, SeveralSetsShareOneHeader) {
  const std::vector<RunSet> sets = {testing::two_orders(), testing::two_orders()};
  EXPECT_EQ(core::split(to_csv(sets), '\n').size(), 6U);
}

}  // namespace
}  // namespace forelap::validate
