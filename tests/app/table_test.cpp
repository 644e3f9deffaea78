#include "app/table.hpp"

#include <gtest/gtest.h>

#include "core/text.hpp"

namespace forelap::app {
namespace {

TEST(Table, ColumnsAreAlignedTwoSpacesApart) {
  Table table({{"name", Align::left}, {"ms"}});
  table.add({"a", "1"});
  table.add({"longer", "12.5"});
  EXPECT_EQ(table.render(80, false),
            "name      ms\n"
            "a          1\n"
            "longer  12.5\n");
}

TEST(Table, WideTextsAreCutToTheWidth) {
  Table table({{"order", Align::left, true}, {"ms"}});
  table.add({"T0 T1 T2 T3 T4 T5 T6 T7", "12.5"});
  for (const std::size_t width : {15U, 20U, 25U}) {
    for (const auto& line : core::split(table.render(width, false), '\n')) EXPECT_LE(display_width(line), width);
  }
  EXPECT_EQ(core::split(table.render(16, false), '\n')[1], "T0 T1 T2..  12.5");
}

TEST(Table, NothingIsCutBelowEightColumns) {
  Table table({{"order", Align::left, true}});
  table.add({"T0 T1 T2 T3 T4"});
  EXPECT_EQ(table.render(3, false), "order\nT0 T1 ..\n");
}

TEST(Table, LettersOutsideAsciiTakeOneColumn) {
  Table table({{"n", Align::left, true}, {"v"}});
  table.add({"gerät", "1"});
  table.add({"geraet", "2"});
  EXPECT_EQ(table.render(80, false), "n       v\ngerät   1\ngeraet  2\n");
}

TEST(Table, ColoursAreForTitlesOnly) {
  Table table({{"n"}});
  table.add({"1"});
  EXPECT_EQ(table.render(80, true), "\033[1mn\033[0m\n1\n");
}

TEST(Table, ARowThatDoesNotFitIsAProgrammingError) {
  Table table({{"n"}});
  EXPECT_THROW(table.add({"1", "2"}), std::invalid_argument);
}

TEST(Wrap, LinesBreakAtSpacesAndAreIndented) {
  EXPECT_EQ(wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrap("short", 80, 2), "short");
  EXPECT_EQ(wrap("averylongwordindeed x", 5, 2), "averylongwordindeed\n  x");
}

}  // namespace
}  // namespace forelap::app
