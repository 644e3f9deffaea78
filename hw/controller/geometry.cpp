#include "hw/controller/geometry.hpp"

#include <algorithm>

namespace forelap::hw::controller {
namespace {

std::int64_t divide_up(std::int64_t items, std::int64_t by) {
  return (items + by - 1) / by;
}

/// Items of a whole group.
std::uint32_t group_items(const Character& character) {
  if (character.coalescing == Coalescing::scatter) return 64;
  return character.arithmetic == Level::high && character.sharing != Level::high ? 128 : 256;
}

/// The smallest power of two that is not below `extent`, at most `most`.
std::uint32_t width_for(std::int64_t extent, std::uint32_t most) {
  std::uint32_t width = 1;
  while (width < most && static_cast<std::int64_t>(width) < extent) width *= 2;
  return width;
}

/// Items of a block below which handing it out costs more than it gains.
std::int64_t smallest_block(const Character& character) {
  switch (character.arithmetic) {
    case Level::low:
      return 4096;
    case Level::medium:
      return 1024;
    case Level::high:
      break;
  }
  return 64;
}

}  // namespace

Block group_by_character(const Character& character, std::size_t dimensions, const Extents& extents) {
  const std::uint32_t items = group_items(character);
  if (dimensions == 1) return {items, 1, 1};
  const std::size_t last = dimensions - 1;
  const bool square = character.sharing == Level::high;
  Block block = {1, 1, 1};
  block[last] = width_for(extents[last], square ? 16 : character.coalescing == Coalescing::scatter ? 8 : 32);
  block[last - 1] = width_for(extents[last - 1], items / block[last]);
  return block;
}

CpuBlocks cpu_blocks(const Character& character, std::size_t dimensions, std::int64_t rows, const Extents& extents,
                     std::size_t threads) {
  CpuBlocks blocks;
  const std::int64_t columns = dimensions > 1 ? extents[1] : 1;
  blocks.columns = columns;
  if (rows == 0 || columns == 0 || extents[2] == 0) return blocks;
  const auto wanted = static_cast<std::int64_t>(threads) * (character.arithmetic == Level::high ? 32 : 8);
  const std::int64_t row_items = columns * (dimensions > 2 ? extents[2] : 1);
  const std::int64_t smallest = smallest_block(character);
  blocks.rows = std::min(rows, std::max(divide_up(rows, wanted), divide_up(smallest, row_items)));
  blocks.row_blocks = divide_up(rows, blocks.rows);
  if (blocks.row_blocks < wanted && blocks.rows == 1 && columns > 1) {
    const std::int64_t depth = row_items / columns;
    const std::int64_t cuts = divide_up(wanted, blocks.row_blocks);
    blocks.columns = std::min(columns, std::max(divide_up(columns, cuts), divide_up(smallest, depth)));
    blocks.column_blocks = divide_up(columns, blocks.columns);
  }
  return blocks;
}

std::vector<std::int64_t> chunk_bounds(std::int64_t rows, std::int64_t chunks) {
  const std::int64_t count = std::clamp<std::int64_t>(chunks, 1, std::max<std::int64_t>(rows, 1));
  std::vector<std::int64_t> bounds = {0};
  for (std::int64_t c = 0; c < count; ++c) {
    bounds.push_back(bounds.back() + rows / count + (c < rows % count ? 1 : 0));
  }
  return bounds;
}

std::int64_t chunks_by_size(std::uint64_t bytes) {
  constexpr std::uint64_t kSmallest = 16ULL << 20;
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(bytes / kSmallest, 1, 16));
}

}  // namespace forelap::hw::controller
