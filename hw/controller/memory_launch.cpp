// What the host thread of a MemoryUnit does: launches chunk by chunk, copies to the device before them and back after.

#include <algorithm>
#include <chrono>

#include "core/error.hpp"
#include "hw/controller/geometry.hpp"
#include "hw/controller/memory_unit.hpp"

namespace forelap::hw::controller {
namespace {

using Clock = std::chrono::steady_clock;

/// Groups that every device takes in other dimensions than the first.
constexpr std::int64_t kMostGroups = 65535;

MemoryPlace* place_of(const UnitArgument& argument) {
  const PlacePtr* place = std::get_if<PlacePtr>(&argument);
  return place == nullptr ? nullptr : dynamic_cast<MemoryPlace*>(place->get());
}

bool reads(Role role) {
  return role == Role::in || role == Role::inout;
}

bool writes(Role role) {
  return role == Role::out || role == Role::inout;
}

/// The rows of a place that a chunk touches: its own of a partitioned tile, all of a whole one.
std::pair<std::int64_t, std::int64_t> touched(const MemoryPlace& place, std::int64_t first, std::int64_t last) {
  if (!place.partitioned()) return {place.first(), place.first() + place.rows()};
  return {first, last};
}

}  // namespace

EventPtr MemoryUnit::mark(Queue& queue) {
  EventPtr event = queue.record();
  queue.flush();
  return event;
}

void MemoryUnit::run(const Work& work) {
  const Clock::time_point begin = Clock::now();
  const UnitLaunch& launch = *work.launch;
  const std::vector<std::int64_t> bounds = bounds_of(work);
  for (const UnitArgument& argument : launch.arguments) {
    MemoryPlace* place = place_of(argument);
    if (place == nullptr) continue;
    if (place->partitioned() && place->memory() && place->untouched()) place->cut(bounds);
    // What an earlier launch brings back must be there before this one sends it.
    if (place->host_ready) in_->wait_for(place->host_ready);
    place->host_ready.reset();
  }
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    Chunk chunk = {bounds[i], bounds[i + 1], nullptr};
    if (work.stream) chunk.slot = &work.stream->slots[i % work.stream->slots.size()];
    run_chunk(launch, chunk, bounds.size() > 2);
  }
  if (work.stream) {
    const EventPtr end = mark(*out_);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      MemoryPlace* place = place_of(launch.arguments[i]);
      if (place != nullptr && place->streamed() && writes(launch.kernel->parameters[i].role)) place->host_ready = end;
    }
  }
  ++times_.launches;
  times_.items += static_cast<std::uint64_t>(launch.rows);
  times_.queueing += std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Where the launch's chunks begin, and its end. Streams give their own; else a launch is cut where that lets copies
/// overlap, which is where a tile is used for the first time.
std::vector<std::int64_t> MemoryUnit::bounds_of(const Work& work) {
  const UnitLaunch& launch = *work.launch;
  std::int64_t chunks = 1;
  std::uint64_t bytes = 0;
  for (const UnitArgument& argument : launch.arguments) {
    const MemoryPlace* place = place_of(argument);
    if (place != nullptr && place->partitioned() && place->memory() && place->untouched()) bytes += place->bytes();
  }
  if (work.stream) {
    chunks = (launch.rows + work.stream->rows - 1) / work.stream->rows;
  } else if (options_.transfers == Transfers::chunked && bytes > 0) {
    chunks = options_.chunks != 0 ? static_cast<std::int64_t>(options_.chunks) : chunks_by_size(bytes);
  }
  std::vector<std::int64_t> bounds = chunk_bounds(launch.rows, chunks);
  for (std::int64_t& bound : bounds) bound += launch.first;
  return bounds;
}

void MemoryUnit::run_chunk(const UnitLaunch& launch, const Chunk& chunk, bool more) {
  if (chunk.slot != nullptr && chunk.slot->free) in_->wait_for(chunk.slot->free);
  bring_inputs(launch, chunk);
  start_kernel(launch, chunk);
  if (chunk.slot != nullptr) copy_slot_back(launch, chunk);
  mark_outputs(launch, chunk, more);
}

/// Copies rows that are not on the device yet.
void MemoryUnit::upload(MemoryPlace& place, std::int64_t first, std::int64_t last) {
  const std::uint64_t row_bytes = place.tile()->row_bytes();
  HostRows host(*place.tile(), place.first(), place.rows());
  for (Segment& segment : place.segments()) {
    if (segment.present || segment.last <= first || segment.first >= last) continue;
    const std::uint64_t bytes = static_cast<std::uint64_t>(segment.last - segment.first) * row_bytes;
    segment.present = true;
    if (bytes == 0) continue;
    in_->copy(core::Direction::host_to_device, host, place.memory()->get(), bytes,
              static_cast<std::uint64_t>(segment.first - place.first()) * row_bytes);
    segment.arrived = mark(*in_);
    times_.bytes_to += bytes;
  }
}

void MemoryUnit::bring_inputs(const UnitLaunch& launch, const Chunk& chunk) {
  std::size_t streamed = 0;
  bool sent = false;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    MemoryPlace* place = place_of(launch.arguments[i]);
    if (place == nullptr) continue;
    const std::size_t slot_memory = place->streamed() ? streamed++ : 0;
    const bool needed = reads(launch.kernel->parameters[i].role);
    if (place->streamed()) {
      if (!needed) continue;
      HostRows host(*place->tile(), chunk.first, chunk.last - chunk.first);
      in_->copy(core::Direction::host_to_device, host, chunk.slot->memory[slot_memory]->get(), host.bytes().size());
      times_.bytes_to += host.bytes().size();
      sent = true;
      continue;
    }
    const auto [first, last] = touched(*place, chunk.first, chunk.last);
    if (needed) upload(*place, first, last);
    // Also before it is only written: a copy that was sent when it was attached would overwrite the result.
    for (Segment& segment : place->segments()) {
      if (!segment.arrived || segment.last <= first || segment.first >= last) continue;
      run_->wait_for(segment.arrived);
      segment.arrived.reset();
    }
  }
  // A slot's memory must be free also where nothing was sent to it.
  if (sent || (chunk.slot != nullptr && chunk.slot->free)) run_->wait_for(mark(*in_));
}

TilePlace MemoryUnit::tile_place(const UnitLaunch& launch, const Chunk& chunk, std::size_t argument,
                                 std::size_t streamed) const {
  const MemoryPlace& place = *place_of(launch.arguments[argument]);
  const Extents& extents = place.tile()->extents;
  if (place.streamed()) return {&chunk.slot->memory[streamed]->get(), chunk.first, extents};
  return {&place.memory()->get(), place.first(), extents};
}

void MemoryUnit::start_kernel(const UnitLaunch& launch, const Chunk& chunk) {
  const auto& ready = dynamic_cast<const MemoryKernel&>(*launch.ready);
  if (ready.native) {
    start_native(launch, chunk, ready.native);
    return;
  }
  const std::size_t dimensions = launch.kernel->indices.size();
  Extents extents = launch.space;
  extents[0] = chunk.last - chunk.first;
  const Block block =
      ready.block[0] != 0 ? ready.block : group_by_character(launch.kernel->character, dimensions, extents);
  arguments_.clear();
  std::size_t streamed = 0;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const MemoryPlace* place = place_of(launch.arguments[i]);
    if (place == nullptr) {
      append_value(arguments_, std::get<LaunchArgument>(launch.arguments[i]));
      continue;
    }
    append_tile(arguments_, tile_place(launch, chunk, i, streamed), place->tile()->dimensions);
    if (place->streamed()) ++streamed;
  }
  const std::size_t space_arguments = arguments_.size();
  append_space(arguments_, chunk.first, chunk.last, launch.space, dimensions);
  // One-dimensional launches take as many groups as there are; others are cut where the rows are too many groups.
  const std::int64_t most = dimensions == 1 ? extents[0] : kMostGroups * static_cast<std::int64_t>(block[0]);
  for (std::int64_t first = chunk.first; first < chunk.last; first += most) {
    const std::int64_t last = std::min(first + most, chunk.last);
    arguments_[space_arguments] = first;
    arguments_[space_arguments + 1] = last;
    core::KernelCall shape;
    for (std::size_t d = 0; d < dimensions; ++d) {
      shape.global_size[dimensions - 1 - d] = static_cast<std::uint64_t>(d == 0 ? last - first : extents[d]);
      shape.group_size[dimensions - 1 - d] = block[d];
    }
    run_->launch(*ready.kernel, arguments_, shape);
  }
}

void MemoryUnit::start_native(const UnitLaunch& launch, const Chunk& chunk, const NativeFunction& function) {
  NativeLaunch native;
  native.first = chunk.first;
  native.rows = chunk.last - chunk.first;
  native.space = launch.space;
  std::size_t streamed = 0;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    NativeLaunch::Argument argument;
    const MemoryPlace* place = place_of(launch.arguments[i]);
    if (place == nullptr) {
      argument.value = std::get<LaunchArgument>(launch.arguments[i]);
    } else {
      const TilePlace where = tile_place(launch, chunk, i, streamed);
      if (place->streamed()) ++streamed;
      argument.memory = where.memory->native();
      argument.first = where.first;
      argument.extents = where.extents;
      argument.extents[0] = place->streamed() ? native.rows : place->rows();
    }
    native.arguments.push_back(argument);
  }
  run_->call_native([&](void* queue) {
    native.queue = queue;
    function(native);
  });
}

/// What the chunk wrote is on the device and no longer on the host. `more`: chunks follow, so that its end is of use.
void MemoryUnit::mark_outputs(const UnitLaunch& launch, const Chunk& chunk, bool more) {
  EventPtr computed;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    MemoryPlace* place = place_of(launch.arguments[i]);
    if (place == nullptr || place->streamed() || !writes(launch.kernel->parameters[i].role)) continue;
    const auto [first, last] = touched(*place, chunk.first, chunk.last);
    for (Segment& segment : place->segments()) {
      if (segment.last <= first || segment.first >= last) continue;
      if (more && !computed) computed = mark(*run_);
      segment.present = true;
      segment.written = true;
      segment.computed = computed;
    }
  }
}

void MemoryUnit::copy_slot_back(const UnitLaunch& launch, const Chunk& chunk) {
  const EventPtr computed = mark(*run_);
  std::size_t streamed = 0;
  bool waited = false;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    MemoryPlace* place = place_of(launch.arguments[i]);
    if (place == nullptr || !place->streamed()) continue;
    const std::size_t slot_memory = streamed++;
    if (!writes(launch.kernel->parameters[i].role)) continue;
    if (!waited) out_->wait_for(computed);
    waited = true;
    HostRows host(*place->tile(), chunk.first, chunk.last - chunk.first);
    out_->copy(core::Direction::device_to_host, host, chunk.slot->memory[slot_memory]->get(), host.bytes().size());
    times_.bytes_from += host.bytes().size();
  }
  chunk.slot->free = waited ? mark(*out_) : computed;
}

/// The copies back of what was written, in the order in which it was computed, so that they begin while later chunks of
/// any of the tiles are still being computed.
void MemoryUnit::copy_back(const std::vector<PlacePtr>& places) {
  struct Piece {
    MemoryPlace* place;
    Segment* segment;
  };
  std::vector<Piece> pieces;
  for (const PlacePtr& one : places) {
    auto& place = dynamic_cast<MemoryPlace&>(*one);
    for (Segment& segment : place.segments()) {
      if (segment.written && place.bytes() > 0) pieces.push_back({&place, &segment});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.segment->first < b.segment->first; });
  EventPtr all_computed;
  const Event* waited = nullptr;
  for (const Piece& piece : pieces) {
    Segment& segment = *piece.segment;
    if (!segment.computed && !all_computed) all_computed = mark(*run_);
    const EventPtr& computed = segment.computed ? segment.computed : all_computed;
    if (computed.get() != waited) out_->wait_for(computed);
    waited = computed.get();
    const std::uint64_t row_bytes = piece.place->tile()->row_bytes();
    HostRows host(*piece.place->tile(), piece.place->first(), piece.place->rows());
    const std::uint64_t bytes = static_cast<std::uint64_t>(segment.last - segment.first) * row_bytes;
    out_->copy(core::Direction::device_to_host, host, piece.place->memory()->get(), bytes,
               static_cast<std::uint64_t>(segment.first - piece.place->first()) * row_bytes);
    segment.written = false;
    times_.bytes_from += bytes;
  }
}

}  // namespace forelap::hw::controller
