#include <algorithm>
#include <stdexcept>
#include <utility>

#include "scenarios/lower.hpp"

namespace forelap::scenarios {
namespace {

using core::BufferId;
using core::Direction;
using core::StepId;

/// A device while its steps are written.
struct Device {
  std::uint32_t id = 0;
  const DevicePart* part = nullptr;
  std::uint64_t first = 0;  ///< row
  core::LaneId htod{}, dtoh{}, kernel{};
  std::vector<BufferId> whole;             ///< by tile; none where the tile is divided
  StepId whole_in = core::none<StepId>();  ///< the last copy of a whole tile
};

/// A stretch of a device's rows.
struct Chunk {
  std::uint64_t first = 0, rows = 0;
  std::string label;              ///< " 2/4", or empty where it is the only one
  std::vector<BufferId> buffers;  ///< by tile
  StepId in = core::none<StepId>();
  StepId kernel = core::none<StepId>();
  StepId back = core::none<StepId>();  ///< its last copy back
};

class PartitionLowering {
 public:
  PartitionLowering(const Scenario& scenario, const PartitionTuning& tuning, std::vector<std::string>* labels)
      : partition_(partition_of(scenario)), tuning_(tuning), labels_(labels) {}

  core::Plan run() {
    check();
    for (const PartitionTile& tile : partition_.kernel.tiles) {
      tile_bytes_.push_back(tile_bytes(partition_, tile));
      row_bytes_.push_back(row_bytes(partition_, tile));
      buffer_bytes_.push_back(tile_bytes_.back());
      builder_.add_buffer(
          {.bytes = tile_bytes_.back(), .memory = tuning_.memory, .device = core::none<core::DeviceId>()});
    }
    add_devices();
    if (tuning_.transfers == TransferMode::serial) {
      add_serial();
    } else {
      for (std::size_t d = 0; d < devices_.size(); ++d) add_concurrent(devices_[d], chunks_[d]);
    }
    return builder_.build();
  }

 private:
  void check() const {
    std::uint64_t rows = 0;
    bool valid = true;
    for (const DevicePart& device : tuning_.devices) {
      rows += device.rows;
      // Serial transfers take all in before anything comes back, so that no memory is free again.
      valid = valid && (device.slots == 0 || (device.slots > 1 && tuning_.transfers == TransferMode::concurrent));
      valid = valid && device.chunks > 0 && (device.engines == 1 || device.engines == 2);
    }
    const std::uint64_t from = tuning_.only_from.value_or(0);
    const std::uint64_t all = partition_rows(partition_);
    const bool covers = tuning_.only_from ? from <= all && rows <= all - from : rows == all;
    if (!valid || !covers) {
      throw std::invalid_argument("lower: the shares do not fit the scenario's rows");
    }
  }

  void add_devices() {
    std::uint64_t first = tuning_.only_from.value_or(0);
    for (std::uint32_t d = 0; d < tuning_.devices.size(); ++d) {
      const DevicePart& part = tuning_.devices[d];
      if (part.rows == 0) continue;
      Device device;
      device.id = d;
      device.part = &part;
      device.first = first;
      add_lanes(device);
      for (std::size_t t = 0; t < partition_.kernel.tiles.size(); ++t) {
        device.whole.push_back(partition_.kernel.tiles[t].whole ? add_buffer(device, t, 0, tile_bytes_[t])
                                                                : core::none<BufferId>());
      }
      chunks_.push_back(make_chunks(device));
      devices_.push_back(std::move(device));
      first += part.rows;
    }
  }

  void add_lanes(Device& device) {
    const auto lane = [&](core::LaneKind kind, const std::string& name) {
      return builder_.add_lane(
          {kind, core::make_id<core::DeviceId>(device.id), core::RankId{}, device.part->name + " " + name});
    };
    if (!device.part->in_place) {
      const bool two = device.part->engines == 2;
      device.htod = lane(core::LaneKind::copy, two ? "htod" : "copy");
      device.dtoh = two ? lane(core::LaneKind::copy, "dtoh") : device.htod;
    }
    device.kernel = lane(core::LaneKind::kernel, "kernel");
  }

  BufferId add_buffer(const Device& device, std::size_t tile, std::uint64_t offset, std::uint64_t bytes,
                      BufferId device_of = core::none<BufferId>()) {
    core::Buffer buffer;
    buffer.bytes = bytes;
    buffer.memory = tuning_.memory;
    buffer.device = core::make_id<core::DeviceId>(device.id);
    buffer.host_of = core::make_id<BufferId>(tile);
    buffer.host_offset = offset;
    buffer.in_place = device.part->in_place;
    buffer.device_of = device_of;
    buffer_bytes_.push_back(bytes);
    return builder_.add_buffer(buffer);
  }

  std::vector<Chunk> make_chunks(const Device& device) {
    const std::uint64_t wished = device.part->in_place ? 1 : device.part->chunks;
    const auto count = static_cast<std::size_t>(std::min(wished, device.part->rows));
    const std::vector<double> even(count, 1.0);
    std::vector<Chunk> chunks;
    std::uint64_t first = device.first;
    for (const std::uint64_t rows : divide(device.part->rows, even)) {
      Chunk chunk;
      chunk.first = first;
      chunk.rows = rows;
      if (count > 1) chunk.label = " " + std::to_string(chunks.size() + 1) + "/" + std::to_string(count);
      const std::size_t slots = device.part->slots;
      // Earlier chunks are the larger ones. A buffer names the first that had its memory.
      const Chunk* before = slots > 0 && chunks.size() >= slots ? &chunks[chunks.size() % slots] : nullptr;
      for (std::size_t t = 0; t < partition_.kernel.tiles.size(); ++t) {
        const bool whole = partition_.kernel.tiles[t].whole;
        const BufferId memory = before != nullptr ? before->buffers[t] : core::none<BufferId>();
        chunk.buffers.push_back(whole ? device.whole[t]
                                      : add_buffer(device, t, first * row_bytes_[t], rows * row_bytes_[t], memory));
      }
      chunks.push_back(std::move(chunk));
      first += rows;
    }
    return chunks;
  }

  void add_concurrent(Device& device, std::vector<Chunk>& chunks) {
    copy_whole(device, {});
    const bool one_engine = device.htod == device.dtoh && !device.part->in_place;
    const std::size_t slots = device.part->slots;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      const Chunk* before = slots > 0 && c >= slots ? &chunks[c - slots] : nullptr;
      copy_in(device, chunks[c], before != nullptr ? std::vector<StepId>{before->kernel} : std::vector<StepId>{});
      add_kernel(device, chunks[c], before != nullptr ? before->back : core::none<StepId>());
      if (!one_engine) copy_back(device, chunks[c], {});
      if (one_engine && c > 0) copy_back(device, chunks[c - 1], {});
    }
    if (one_engine) copy_back(device, chunks.back(), {});
  }

  void add_serial() {
    std::vector<StepId> turn;  ///< what the next device's copies wait for
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      std::vector<StepId> after = std::exchange(turn, {});
      copy_whole(devices_[d], after);
      const StepId whole = devices_[d].whole_in;
      if (whole != core::none<StepId>()) after.clear();
      for (Chunk& chunk : chunks_[d]) {
        copy_in(devices_[d], chunk, after);
        if (chunk.in != core::none<StepId>()) after.clear();
        add_kernel(devices_[d], chunk);
      }
      const StepId last = chunks_[d].back().in;
      if (last != core::none<StepId>()) {
        turn = {last};
      } else {
        turn = whole != core::none<StepId>() ? std::vector<StepId>{whole} : after;
      }
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      for (Chunk& chunk : chunks_[d]) {
        const StepId last = copy_back(devices_[d], chunk, turn);
        if (last != core::none<StepId>()) turn = {last};
      }
    }
  }

  void copy_whole(Device& device, std::vector<StepId> after) {
    for (std::size_t t = 0; t < partition_.kernel.tiles.size() && !device.part->in_place; ++t) {
      const PartitionTile& tile = partition_.kernel.tiles[t];
      if (!tile.whole) continue;
      device.whole_in = add_copy(device, Direction::host_to_device, device.whole[t], tile.name, after);
      after.clear();
    }
  }

  void copy_in(const Device& device, Chunk& chunk, std::vector<StepId> after) {
    for (std::size_t t = 0; t < partition_.kernel.tiles.size() && !device.part->in_place; ++t) {
      const PartitionTile& tile = partition_.kernel.tiles[t];
      if (tile.whole || tile.role == Role::out) continue;
      chunk.in = add_copy(device, Direction::host_to_device, chunk.buffers[t], tile.name + chunk.label, after);
      after.clear();  // the lane keeps the rest in order
    }
  }

  /// The last copy; none where there is none.
  StepId copy_back(const Device& device, Chunk& chunk, std::vector<StepId> after) {
    StepId last = core::none<StepId>();
    after.push_back(chunk.kernel);
    for (std::size_t t = 0; t < partition_.kernel.tiles.size() && !device.part->in_place; ++t) {
      const PartitionTile& tile = partition_.kernel.tiles[t];
      if (tile.role == Role::in) continue;
      last = add_copy(device, Direction::device_to_host, chunk.buffers[t], tile.name + chunk.label, after);
      after.clear();
    }
    chunk.back = last;
    return last;
  }

  StepId add_copy(const Device& device, Direction direction, BufferId buffer, const std::string& name,
                  const std::vector<StepId>& after) {
    const bool in = direction == Direction::host_to_device;
    core::CopyStep step;
    step.lane = in ? device.htod : device.dtoh;
    step.device = core::make_id<core::DeviceId>(device.id);
    step.direction = direction;
    step.memory = tuning_.memory;
    step.buffer = buffer;
    step.bytes = buffer_bytes_[core::index(buffer)];
    label((in ? "htod " : "dtoh ") + name);
    return builder_.add(step, after);
  }

  void add_kernel(const Device& device, Chunk& chunk, StepId earlier = core::none<StepId>()) {
    const Launch launch = make_part_launch(partition_, chunk.buffers, chunk.rows, chunk.first);
    core::KernelStep step;
    step.lane = device.kernel;
    step.device = core::make_id<core::DeviceId>(device.id);
    step.call = launch.call;
    step.call.kernel = builder_.kernel(partition_.kernel.name);
    step.items = launch.items;
    step.work = device.part->profile.cumulative.empty()
                    ? launch.work
                    : device.part->profile.work_of(chunk.first, chunk.rows, partition_rows(partition_));
    step.count = partition_.launches;
    std::vector<StepId> after;
    const StepId in = chunk.in != core::none<StepId>() ? chunk.in : device.whole_in;
    if (in != core::none<StepId>()) after.push_back(in);
    if (earlier != core::none<StepId>()) after.push_back(earlier);
    chunk.kernel = builder_.add(step, launch.arguments, after);
    label(partition_.kernel.name + chunk.label);
  }

  void label(std::string text) {
    if (labels_ != nullptr) labels_->push_back(std::move(text));
  }

  const Partition& partition_;
  const PartitionTuning& tuning_;
  std::vector<std::string>* labels_;
  std::vector<std::uint64_t> tile_bytes_, row_bytes_, buffer_bytes_;
  std::vector<Device> devices_;             ///< those with rows
  std::vector<std::vector<Chunk>> chunks_;  ///< of each of them
  core::PlanBuilder builder_;
};

}  // namespace

core::Plan lower(const Scenario& scenario, const PartitionTuning& tuning, std::vector<std::string>* labels) {
  return PartitionLowering(scenario, tuning, labels).run();
}

}  // namespace forelap::scenarios
