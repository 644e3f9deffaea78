#pragma once
// A tile's part in a device's own memory: which of its rows are there, and which were written. Internal to the unit.

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/controller/memory_store.hpp"
#include "hw/controller/unit.hpp"
#include "hw/device.hpp"

namespace forelap::hw::controller {

/// Rows of a tile in host memory, as a queue copies them.
class HostRows : public HostMemory {
 public:
  HostRows(const TileState& tile, std::int64_t first, std::int64_t rows)
      : bytes_(tile.data + static_cast<std::uint64_t>(first) * tile.row_bytes(),
               static_cast<std::size_t>(static_cast<std::uint64_t>(rows) * tile.row_bytes())),
        kind_(tile.pinned ? core::MemoryKind::pinned : core::MemoryKind::pageable) {}
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }
  [[nodiscard]] core::MemoryKind kind() const override { return kind_; }

 private:
  std::span<std::byte> bytes_;
  core::MemoryKind kind_;
};

/// Rows [first, last) of a tile that share what became of them.
struct Segment {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool present = false;  ///< the device's values count
  bool written = false;  ///< and the host's do not
  EventPtr arrived;      ///< of the copy to the device, until a launch has waited for it
  EventPtr computed;     ///< of the launch that wrote it; null: whatever came before on the device
};

/// All but the memory is touched by the unit's host thread only.
class MemoryPlace : public Place {
 public:
  MemoryPlace(std::shared_ptr<TileState> tile, std::int64_t first, std::int64_t rows, bool partitioned,
              std::unique_ptr<HeldMemory> memory)
      : Place(std::move(tile), first, rows, partitioned),
        memory_(std::move(memory)),
        segments_{{first, first + rows, false, false, nullptr, nullptr}} {}

  /// Null: it does not fit, and every launch streams it through buffers.
  [[nodiscard]] const std::unique_ptr<HeldMemory>& memory() const { return memory_; }
  [[nodiscard]] bool streamed() const { return rows() > 0 && !memory_; }
  [[nodiscard]] std::vector<Segment>& segments() { return segments_; }
  /// Nothing of it was copied or written yet.
  [[nodiscard]] bool untouched() const {
    return segments_.size() == 1 && !segments_.front().present && !segments_.front().written;
  }
  /// Cuts an untouched place at `bounds`, rows of the tile.
  void cut(const std::vector<std::int64_t>& bounds) {
    segments_.clear();
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      segments_.push_back({bounds[i], bounds[i + 1], false, false, nullptr, nullptr});
    }
  }
  /// From here on the place is streamed. Only while nothing uses it and what was written is back.
  void drop_memory() {
    memory_.reset();
    cut({first(), first() + rows()});
  }
  /// Of a streamed place: when the last launch that wrote it has brought all of it back.
  EventPtr host_ready;

 private:
  std::unique_ptr<HeldMemory> memory_;
  std::vector<Segment> segments_;
};

/// Buffers through which launches stream the rows of tiles that do not fit: a few slots, used in turn.
struct Stream {
  struct Slot {
    std::vector<std::unique_ptr<HeldMemory>> memory;  ///< of each streamed argument, in their order
    EventPtr free;                                    ///< its last user is done
  };
  std::vector<const Place*> places;  ///< of the streamed arguments
  std::int64_t rows = 0;             ///< of a slot
  std::vector<Slot> slots;
};

}  // namespace forelap::hw::controller
