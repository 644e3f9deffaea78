#include "hw/controller/geometry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forelap::hw::controller {
namespace {

using ::testing::ElementsAre;

constexpr Extents kLarge = {10000, 10000, 10000};

std::uint32_t items(const Block& block) {
  return block[0] * block[1] * block[2];
}

TEST(Groups, AreAWarpWideWhereAccessesFallTogether) {
  const Character character{Coalescing::full, Level::medium, Level::low};
  EXPECT_THAT(group_by_character(character, 1, kLarge), ElementsAre(256, 1, 1));
  EXPECT_THAT(group_by_character(character, 2, kLarge), ElementsAre(8, 32, 1));
  EXPECT_THAT(group_by_character(character, 3, kLarge), ElementsAre(1, 8, 32));
}

TEST(Groups, AreSquareWhereTheirItemsShareData) {
  EXPECT_THAT(group_by_character({Coalescing::full, Level::high, Level::high}, 2, kLarge), ElementsAre(16, 16, 1));
}

TEST(Groups, AreSmallerWhereThereIsMuchArithmeticOrAccessesScatter) {
  EXPECT_EQ(items(group_by_character({Coalescing::full, Level::high, Level::low}, 2, kLarge)), 128U);
  EXPECT_EQ(items(group_by_character({Coalescing::scatter, Level::low, Level::low}, 2, kLarge)), 64U);
  EXPECT_EQ(items(group_by_character({Coalescing::scatter, Level::low, Level::low}, 1, kLarge)), 64U);
}

TEST(Groups, AreNoWiderThanTheIndexSpace) {
  const Block block = group_by_character({}, 2, {1000, 3, 1});
  EXPECT_EQ(block[1], 4U);
  EXPECT_EQ(items(block), 256U);
  EXPECT_THAT(group_by_character({}, 2, {1, 1, 1}), ElementsAre(1, 1, 1));
}

TEST(BlocksOfCores, AreEightAThreadWhereTheWorkIsRegular) {
  const CpuBlocks blocks = cpu_blocks({}, 2, 1600, {1600, 4096, 1}, 4);
  EXPECT_EQ(blocks.rows, 50);
  EXPECT_EQ(blocks.row_blocks, 32);
  EXPECT_EQ(blocks.column_blocks, 1);
}

TEST(BlocksOfCores, AreMoreWhereItemsMayDiffer) {
  const CpuBlocks blocks = cpu_blocks({Coalescing::full, Level::high, Level::low}, 2, 1280, {1280, 4096, 1}, 4);
  EXPECT_EQ(blocks.row_blocks, 128);
}

TEST(BlocksOfCores, AreNotSmallerThanWhatHandingThemOutCosts) {
  const CpuBlocks blocks = cpu_blocks({Coalescing::full, Level::low, Level::low}, 1, 5000, {5000, 1, 1}, 8);
  EXPECT_EQ(blocks.rows, 4096);
  EXPECT_EQ(blocks.row_blocks, 2);
}

TEST(BlocksOfCores, CutTheSecondDimensionWhereThereAreFewRows) {
  const CpuBlocks blocks = cpu_blocks({}, 2, 1, {1, 1000000, 1}, 4);
  EXPECT_EQ(blocks.row_blocks, 1);
  EXPECT_EQ(blocks.column_blocks, 32);
  EXPECT_GE(blocks.columns * blocks.column_blocks, 1000000);
}

TEST(BlocksOfCores, OfNothingAreNone) {
  EXPECT_EQ(cpu_blocks({}, 2, 0, {0, 5, 1}, 4).row_blocks, 0);
  EXPECT_EQ(cpu_blocks({}, 2, 5, {5, 0, 1}, 4).row_blocks, 0);
}

TEST(Chunks, AreAsEqualAsTheyCanBe) {
  EXPECT_THAT(chunk_bounds(10, 3), ElementsAre(0, 4, 7, 10));
  EXPECT_THAT(chunk_bounds(2, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(chunk_bounds(0, 4), ElementsAre(0, 0));
}

TEST(Chunks, AreOfSixteenMebibytesOrMore) {
  EXPECT_EQ(chunks_by_size(1000), 1);
  EXPECT_EQ(chunks_by_size(64ULL << 20), 4);
  EXPECT_EQ(chunks_by_size(64ULL << 30), 16);
}

}  // namespace
}  // namespace forelap::hw::controller
