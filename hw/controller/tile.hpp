#pragma once
// Tiles: host arrays of one to three dimensions, row-major, which a controller attaches to its devices.
//
//   forelap::Tile<float, 2> a({rows, columns}, "a");
//   a(i, j) = 1.0F;
//
// While a tile is attached its values belong to the devices: every access by the host is an error (bad_input) that
// names the tile, until `detach` has brought them back.
//
// Threads: a tile is used by one thread at a time. Moving a tile keeps its memory where it is.

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace forelap::hw::controller {

/// What a device may compute with; the names are those of C, CUDA C++ and OpenCL C.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int> || std::same_as<T, long> ||
    std::same_as<T, unsigned> || std::same_as<T, unsigned long> || std::same_as<T, short> ||
    std::same_as<T, unsigned short> || std::same_as<T, signed char> || std::same_as<T, unsigned char>;

/// Elements in each dimension, the slowest first; 1 in those that a tile does not have.
using Extents = std::array<std::int64_t, 3>;

/// What a controller knows of a tile. Shared by the tile and whoever it is attached to.
struct TileState {
  std::string name;
  std::size_t element_bytes = 0;
  int dimensions = 1;
  Extents extents = {0, 1, 1};
  std::shared_ptr<void> memory;  ///< keeps `data` alive; null where the memory is the user's
  std::byte* data = nullptr;
  bool pinned = false;
  std::atomic<bool> attached = false;

  [[nodiscard]] std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(extents[1]) * static_cast<std::uint64_t>(extents[2]) * element_bytes;
  }
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(extents[0]) * row_bytes(); }
};

/// Checks the extents (none negative, bytes countable) and takes no memory. Throws core::Error (bad_input).
std::shared_ptr<TileState> describe_tile(std::string name, std::size_t element_bytes, int dimensions,
                                         const Extents& extents);
/// With zeroed, page-aligned memory of its own. Throws core::Error (device_failed) where the system has none.
std::shared_ptr<TileState> make_tile(std::string name, std::size_t element_bytes, int dimensions,
                                     const Extents& extents);
/// Over the user's memory. Throws core::Error (bad_input) where it does not hold the tile.
std::shared_ptr<TileState> wrap_tile(std::string name, std::size_t element_bytes, int dimensions,
                                     const Extents& extents, std::span<std::byte> memory);
/// Throws core::Error (bad_input): the tile is attached.
[[noreturn]] void throw_attached(const TileState& tile);
/// Throws core::Error (bad_input): an index lies outside.
[[noreturn]] void throw_outside(const TileState& tile, const Extents& index);

template <std::size_t D, std::integral I>
Extents to_extents(const I (&extents)[D]) {
  static_assert(D >= 1 && D <= 3, "tiles have one to three dimensions");
  Extents all = {1, 1, 1};
  for (std::size_t d = 0; d < D; ++d) all[d] = static_cast<std::int64_t>(extents[d]);
  return all;
}

template <Element T, int D = 1>
class Tile {
  static_assert(D >= 1 && D <= 3, "tiles have one to three dimensions");

 public:
  using Value = T;
  static constexpr int kDimensions = D;

  /// Zeroed memory of its own, pageable. `MultiController::tile` gives memory that its devices copy from and to without
  /// detours. Throws Error.
  template <std::integral I>
  explicit Tile(const I (&extents)[static_cast<std::size_t>(D)], std::string name = {})
      : Tile(make_tile(std::move(name), sizeof(T), D, to_extents(extents))) {}
  /// Memory of the user, which must outlive the tile and hold all elements.
  template <std::integral I>
  Tile(std::span<T> memory, const I (&extents)[static_cast<std::size_t>(D)], std::string name = {})
      : Tile(wrap_tile(std::move(name), sizeof(T), D, to_extents(extents), std::as_writable_bytes(memory))) {}
  explicit Tile(std::shared_ptr<TileState> state) : state_(std::move(state)) {}
  Tile(Tile&&) noexcept = default;
  Tile& operator=(Tile&&) noexcept = default;

  /// The element at an index in each dimension, unchecked but for the attachment.
  template <std::integral... I>
  requires(sizeof...(I) == D) T& operator()(I... index) const {
    if (state_->attached.load(std::memory_order_relaxed)) [[unlikely]]
      throw_attached(*state_);
    return reinterpret_cast<T*>(state_->data)[place({static_cast<std::int64_t>(index)...})];
  }
  /// The same with its index checked.
  template <std::integral... I>
  requires(sizeof...(I) == D) T& at(I... index) const {
    Extents where = {0, 0, 0};
    std::size_t d = 0;
    ((where[d++] = static_cast<std::int64_t>(index)), ...);
    for (d = 0; d < 3; ++d) {
      if (where[d] < 0 || where[d] >= state_->extents[d]) throw_outside(*state_, where);
    }
    return (*this)(index...);
  }
  /// All elements in row-major order: the quick way to fill or read a large tile. The span must not be used any more
  /// once the tile is attached.
  [[nodiscard]] std::span<T> values() const {
    if (state_->attached) throw_attached(*state_);
    return {reinterpret_cast<T*>(state_->data), size()};
  }
  [[nodiscard]] T* begin() const { return values().data(); }
  [[nodiscard]] T* end() const { return values().data() + size(); }
  void fill(const T& value) { std::ranges::fill(values(), value); }

  [[nodiscard]] std::int64_t extent(int dimension) const {
    return state_->extents.at(static_cast<std::size_t>(dimension));
  }
  [[nodiscard]] std::size_t size() const { return state_->bytes() / sizeof(T); }
  [[nodiscard]] const std::string& name() const { return state_->name; }
  /// Whether devices copy from and to it directly.
  [[nodiscard]] bool pinned() const { return state_->pinned; }
  [[nodiscard]] bool attached() const { return state_->attached; }
  [[nodiscard]] const std::shared_ptr<TileState>& state() const { return state_; }

 private:
  [[nodiscard]] std::int64_t place(const std::array<std::int64_t, static_cast<std::size_t>(D)>& index) const {
    std::int64_t at = index[0];
    for (std::size_t d = 1; d < static_cast<std::size_t>(D); ++d) at = at * state_->extents[d] + index[d];
    return at;
  }

  std::shared_ptr<TileState> state_;
};

}  // namespace forelap::hw::controller
