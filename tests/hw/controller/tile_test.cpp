#include "hw/controller/tile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/hw/support.hpp"

namespace forelap::hw::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Body>
std::string complaint(const Body& body) {
  const auto error = hw::test::error_of(body);
  return error ? error->what() : "";
}

TEST(Tile, IsZeroedAndRowMajor) {
  Tile<int, 2> tile({2, 3}, "t");
  EXPECT_THAT(std::vector<int>(tile.begin(), tile.end()), ElementsAre(0, 0, 0, 0, 0, 0));
  tile(1, 2) = 7;
  EXPECT_EQ(tile.values()[5], 7);
  EXPECT_EQ(tile.extent(0), 2);
  EXPECT_EQ(tile.extent(1), 3);
  EXPECT_EQ(tile.size(), 6U);
}

TEST(Tile, HasOneToThreeDimensions) {
  Tile<double> line({4}, "line");
  line(3) = 1.5;
  EXPECT_EQ(line.values()[3], 1.5);
  Tile<float, 3> block({2, 3, 4}, "block");
  block(1, 2, 3) = 2.5F;
  EXPECT_EQ(block.values()[23], 2.5F);
}

TEST(Tile, WrapsMemoryOfTheUser) {
  std::vector<float> memory(6);
  Tile<float, 2> tile(memory, {2, 3}, "mine");
  tile(0, 1) = 4;
  EXPECT_EQ(memory[1], 4);
  EXPECT_THAT(complaint([&] {
                Tile<float, 2>(memory, {2, 4}, "mine");
              }),
              HasSubstr("tile \"mine\" of 2 x 4 elements takes 32 bytes, and the memory that is given has 24"));
}

TEST(Tile, MayBeEmpty) {
  Tile<float, 2> tile({0, 5}, "none");
  EXPECT_EQ(tile.size(), 0U);
  EXPECT_TRUE(tile.values().empty());
}

TEST(Tile, RefusesExtentsThatAreNone) {
  EXPECT_THAT(complaint([] { Tile<float, 2>({2, -1}, "t"); }), HasSubstr("tile \"t\" has the extents 2 x -1"));
  EXPECT_THAT(complaint([] { Tile<double, 3>({1L << 40, 1L << 40, 2L}, "t"); }), HasSubstr("larger than any memory"));
}

TEST(Tile, ChecksAnIndexWhereAsked) {
  Tile<int, 2> tile({2, 3}, "t");
  tile.at(1, 1) = 5;
  EXPECT_EQ(tile(1, 1), 5);
  EXPECT_THAT(complaint([&] { (void)tile.at(2, 0); }),
              HasSubstr("tile \"t\" of 2 x 3 elements has no element at 2 x 0"));
  EXPECT_THAT(complaint([&] { (void)tile.at(0, -1); }), HasSubstr("no element at 0 x -1"));
}

TEST(Tile, IsNotForTheHostWhileItIsAttached) {
  Tile<int> tile({2}, "t");
  tile.state()->attached = true;
  EXPECT_THAT(complaint([&] { tile(0) = 1; }), HasSubstr("tile \"t\" is attached to devices"));
  EXPECT_THAT(complaint([&] { (void)tile.values(); }), HasSubstr("detach it first"));
  EXPECT_THAT(complaint([&] { tile.fill(1); }), HasSubstr("tile \"t\""));
  tile.state()->attached = false;
  tile(0) = 3;
  EXPECT_EQ(tile(0), 3);
}

TEST(Tile, KeepsItsMemoryWhenItMoves) {
  Tile<int> tile({2}, "t");
  const int* before = tile.values().data();
  const Tile<int> moved = std::move(tile);
  EXPECT_EQ(moved.values().data(), before);
}

TEST(Tile, WithoutANameIsNumbered) {
  const Tile<int> tile({1});
  EXPECT_THAT(tile.name(), ::testing::StartsWith("tile "));
}

}  // namespace
}  // namespace forelap::hw::controller
