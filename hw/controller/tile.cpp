#include "hw/controller/tile.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/error.hpp"

namespace forelap::hw::controller {
namespace {

constexpr std::size_t kPage = 4096;

std::string extents_text(const Extents& extents, int dimensions) {
  std::string text = std::to_string(extents[0]);
  for (std::size_t d = 1; d < static_cast<std::size_t>(dimensions); ++d) text += " x " + std::to_string(extents[d]);
  return text;
}

/// Throws where an extent is negative or the bytes cannot be counted.
void check_extents(const TileState& tile) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / 2;
  std::uint64_t bytes = tile.element_bytes;
  bool empty = false;
  bool countable = true;
  for (const std::int64_t extent : tile.extents) {
    if (extent < 0) {
      core::throw_bad_input("tile " + tile.name + " has the extents " + extents_text(tile.extents, tile.dimensions) +
                            "; extents are 0 or more");
    }
    const auto elements = static_cast<std::uint64_t>(extent);
    empty = empty || elements == 0;
    countable = countable && (elements == 0 || bytes <= kMost / elements);
    if (countable && elements != 0) bytes *= elements;
  }
  if (!empty && !countable) {
    core::throw_bad_input("tile " + tile.name + " of " + extents_text(tile.extents, tile.dimensions) +
                          " elements is larger than any memory");
  }
}

}  // namespace

std::shared_ptr<TileState> describe_tile(std::string name, std::size_t element_bytes, int dimensions,
                                         const Extents& extents) {
  static std::atomic<unsigned> made = 0;
  auto tile = std::make_shared<TileState>();
  const unsigned number = ++made;
  tile->name = name.empty() ? "tile " + std::to_string(number) : "\"" + std::move(name) + "\"";
  tile->element_bytes = element_bytes;
  tile->dimensions = dimensions;
  tile->extents = extents;
  check_extents(*tile);
  return tile;
}

std::shared_ptr<TileState> make_tile(std::string name, std::size_t element_bytes, int dimensions,
                                     const Extents& extents) {
  std::shared_ptr<TileState> tile = describe_tile(std::move(name), element_bytes, dimensions, extents);
  const std::uint64_t bytes = tile->bytes();
  if (bytes == 0) return tile;
  const auto rounded = static_cast<std::size_t>((bytes + kPage - 1) / kPage * kPage);
  void* memory = std::aligned_alloc(kPage, rounded);
  if (memory == nullptr) {
    core::throw_device_failed("the system has no memory for tile " + tile->name + ", which takes " +
                              std::to_string(bytes) + " bytes");
  }
  std::memset(memory, 0, rounded);
  tile->memory = std::shared_ptr<void>(memory, [](void* taken) { std::free(taken); });
  tile->data = static_cast<std::byte*>(memory);
  return tile;
}

std::shared_ptr<TileState> wrap_tile(std::string name, std::size_t element_bytes, int dimensions,
                                     const Extents& extents, std::span<std::byte> memory) {
  std::shared_ptr<TileState> tile = describe_tile(std::move(name), element_bytes, dimensions, extents);
  if (memory.size() < tile->bytes()) {
    core::throw_bad_input("tile " + tile->name + " of " + extents_text(extents, dimensions) + " elements takes " +
                          std::to_string(tile->bytes()) + " bytes, and the memory that is given has " +
                          std::to_string(memory.size()));
  }
  tile->data = memory.data();
  return tile;
}

void throw_attached(const TileState& tile) {
  core::throw_bad_input("tile " + tile.name +
                        " is attached to devices, so the host may not use it: detach it first, which brings its values "
                        "back");
}

void throw_outside(const TileState& tile, const Extents& index) {
  core::throw_bad_input("tile " + tile.name + " of " + extents_text(tile.extents, tile.dimensions) +
                        " elements has no element at " + extents_text(index, tile.dimensions));
}

}  // namespace forelap::hw::controller
