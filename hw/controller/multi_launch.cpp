// What a launch means for each device.

#include <algorithm>
#include <future>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/controller/multi.hpp"

namespace forelap::hw::controller {
namespace {

std::string extents_text(const Extents& extents, std::size_t dimensions) {
  std::string text = std::to_string(extents[0]);
  for (std::size_t d = 1; d < dimensions; ++d) text += " x " + std::to_string(extents[d]);
  return text;
}

bool writes(Role role) {
  return role == Role::out || role == Role::inout;
}

[[noreturn]] void throw_misfit(const KernelDefinition& kernel, const std::string& what) {
  core::throw_bad_input("kernel " + kernel.name + ": " + what);
}

}  // namespace

Multi::Attachment& Multi::attachment_of(const KernelDefinition& kernel, const TileState& tile) {
  const auto found = attached_.find(&tile);
  if (found == attached_.end()) {
    throw_misfit(kernel, "tile " + tile.name + " is not attached to these devices: attach it before the launch");
  }
  return found->second;
}

std::vector<Multi::Attachment*> Multi::find_tiles(const KernelDefinition& kernel,
                                                  std::span<const LaunchArgument> arguments) {
  if (arguments.size() != kernel.parameters.size()) {
    throw_misfit(kernel, "it takes " + std::to_string(kernel.parameters.size()) + " arguments, and " +
                             std::to_string(arguments.size()) + " are given");
  }
  std::vector<Attachment*> tiles(arguments.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* tile = std::get_if<std::shared_ptr<TileState>>(&arguments[i]);
    if (tile == nullptr) continue;
    tiles[i] = &attachment_of(kernel, **tile);
    for (std::size_t other = 0; other < i; ++other) {
      const bool both_read = kernel.parameters[i].role == Role::in && kernel.parameters[other].role == Role::in;
      if (tiles[other] == tiles[i] && !both_read) {
        throw_misfit(kernel, "tile " + (*tile)->name + " stands for both " + kernel.parameters[other].name + " and " +
                                 kernel.parameters[i].name + ", one of which is written: use one inout parameter");
      }
    }
  }
  return tiles;
}

Extents Multi::default_space(const KernelDefinition& kernel, const std::vector<Attachment*>& tiles) const {
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i] == nullptr || !writes(kernel.parameters[i].role)) continue;
    if (static_cast<std::size_t>(tiles[i]->tile->dimensions) == kernel.indices.size()) return tiles[i]->tile->extents;
  }
  throw_misfit(kernel, "none of its outputs has its " + std::to_string(kernel.indices.size()) +
                           " dimensions, so the index space is not known: give it by launch_over");
}

void Multi::check_fit(const KernelDefinition& kernel, const Split& split) const {
  for (const Attachment* attachment : split.tiles) {
    if (attachment == nullptr || !attachment->layout.partitioned) continue;
    const TileState& tile = *attachment->tile;
    if (tile.extents[0] != split.space[0]) {
      throw_misfit(kernel, "partitioned tile " + tile.name + " of " +
                               extents_text(tile.extents, static_cast<std::size_t>(tile.dimensions)) +
                               " does not fit the index space of " + extents_text(split.space, kernel.indices.size()) +
                               ": both must have as many rows, since a device has the rows that it computes");
    }
  }
}

/// The shares of the launch: those of its partitioned tiles, which must agree; chosen now where none has any yet.
void Multi::choose_shares(const KernelDefinition& kernel, Split& split) {
  const Attachment* leader = nullptr;
  bool partitioned = false;
  for (const Attachment* attachment : split.tiles) {
    if (attachment == nullptr || !attachment->layout.partitioned) continue;
    partitioned = true;
    if (attachment->shares.empty()) continue;
    if (leader == nullptr) leader = attachment;
    if (leader->shares != attachment->shares) {
      throw_misfit(kernel, "tiles " + leader->tile->name + " and " + attachment->tile->name +
                               " are partitioned by different weights: attach them by the same ones");
    }
  }
  if (!partitioned) {
    // All is everywhere; one device does it.
    split.shares.assign(units_.size(), 0);
    split.shares[0] = split.space[0];
    return;
  }
  if (leader != nullptr) {
    split.shares = leader->shares;
  } else {
    WeightQuestion question = question_for(&kernel, split.space);
    for (std::size_t i = 0; i < split.tiles.size(); ++i) {
      if (split.tiles[i] == nullptr) continue;
      const auto bytes = static_cast<double>(split.tiles[i]->tile->bytes());
      const bool whole = !split.tiles[i]->layout.partitioned;
      if (whole) question.bytes_whole += bytes;
      if (!whole && kernel.parameters[i].role != Role::out) question.bytes_in += bytes;
      if (!whole && kernel.parameters[i].role != Role::in) question.bytes_out += bytes;
    }
    const auto first = std::find_if(split.tiles.begin(), split.tiles.end(), [](const Attachment* attachment) {
      return attachment != nullptr && attachment->layout.partitioned;
    });
    split.shares = shares_by(**first, chosen_weights(question));
  }
  for (Attachment* attachment : split.tiles) {
    if (attachment == nullptr || !attachment->layout.partitioned || !attachment->shares.empty()) continue;
    place(*attachment, split.shares);
  }
}

/// A tile that is whole on several devices would have several results.
void Multi::check_written(const KernelDefinition& kernel, const Split& split) const {
  const auto working =
      std::count_if(split.shares.begin(), split.shares.end(), [](std::int64_t rows) { return rows > 0; });
  for (std::size_t i = 0; i < split.tiles.size(); ++i) {
    const Attachment* attachment = split.tiles[i];
    if (attachment == nullptr || attachment->layout.partitioned || !writes(kernel.parameters[i].role)) continue;
    if (units_.size() == 1) continue;
    throw_misfit(kernel, "tile " + attachment->tile->name + " is attached whole to " + std::to_string(units_.size()) +
                             " devices and is written (by " + std::to_string(working) +
                             " of them): partition what is written");
  }
}

const Multi::Ready& Multi::ready(const std::shared_ptr<KernelDefinition>& kernel) {
  const auto found = ready_.find(kernel);
  if (found != ready_.end()) return found->second;
  // Compilers take their time, so all devices compile at once.
  std::vector<std::future<std::shared_ptr<ReadyKernel>>> building;
  for (std::size_t i = 1; i < units_.size(); ++i) {
    building.push_back(std::async(std::launch::async, [this, i, &kernel] { return units_[i]->make_ready(*kernel); }));
  }
  Ready made = {units_[0]->make_ready(*kernel)};
  for (auto& one : building) made.push_back(one.get());
  return ready_.emplace(kernel, std::move(made)).first->second;
}

void Multi::launch(const std::shared_ptr<KernelDefinition>& kernel, const Extents* space,
                   std::span<const LaunchArgument> arguments) {
  const std::lock_guard lock(mutex_);
  throw_failures();
  Split split;
  split.tiles = find_tiles(*kernel, arguments);
  split.space = space != nullptr ? *space : default_space(*kernel, split.tiles);
  for (const std::int64_t extent : split.space) {
    if (extent < 0) throw_misfit(*kernel, "its index space has a negative extent, " + std::to_string(extent));
  }
  check_fit(*kernel, split);
  choose_shares(*kernel, split);
  check_written(*kernel, split);
  if (split.space[0] == 0 || split.space[1] == 0 || split.space[2] == 0) return;
  start(kernel, split, arguments);
}

void Multi::start(const std::shared_ptr<KernelDefinition>& kernel, const Split& split,
                  std::span<const LaunchArgument> arguments) {
  const Ready& made = ready(kernel);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::int64_t rows = split.shares[i];
    if (rows == 0) continue;
    auto launch = std::make_shared<UnitLaunch>();
    launch->kernel = kernel;
    launch->ready = made[i];
    launch->space = split.space;
    launch->first = first;
    launch->rows = rows;
    launch->arguments.reserve(arguments.size());
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      if (split.tiles[a] == nullptr) {
        launch->arguments.emplace_back(arguments[a]);
      } else {
        launch->arguments.emplace_back(split.tiles[a]->places[i]);
      }
    }
    units_[i]->launch(std::move(launch));
    first += rows;
  }
}

void Multi::prepare(const std::shared_ptr<KernelDefinition>& kernel) {
  const std::lock_guard lock(mutex_);
  ready(kernel);
}

ChosenVersion Multi::version_of(const std::shared_ptr<KernelDefinition>& kernel, std::size_t device) {
  const std::lock_guard lock(mutex_);
  if (device >= units_.size()) {
    core::throw_bad_input("there is no device " + std::to_string(device) + "; the controller has " +
                          std::to_string(units_.size()) + ", counted from 0");
  }
  return ready(kernel)[device]->chosen;
}

}  // namespace forelap::hw::controller
