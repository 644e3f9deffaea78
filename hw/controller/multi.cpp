#include "hw/controller/multi.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/controller/shares.hpp"

namespace forelap::hw::controller {
namespace {

std::string label(const OpenedDevice& device) {
  return device.spec + " (" + device.name + ")";
}

/// The device whose host memory all of them copy from and to without detours: a CUDA GPU's serves every other GPU.
const OpenedDevice* memory_giver(const std::vector<OpenedDevice>& devices) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::opencl}) {
    for (const OpenedDevice& device : devices) {
      if (device.kind == kind && device.device->info().is_gpu) return &device;
    }
  }
  return nullptr;
}

/// Waits for all of them, whatever one throws; the first failure, or null. The waiters are gone afterwards.
std::exception_ptr outcome_of(std::vector<Waiter> waiters) {
  std::exception_ptr failure;
  for (const Waiter& waiter : waiters) {
    try {
      waiter();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  return failure;
}

}  // namespace

Multi::Multi(std::vector<OpenedDevice> devices, Options options)
    : options_(std::move(options)), devices_(std::move(devices)) {
  if (!options_.weights.empty()) check_weights(options_.weights, devices_.size(), "the controller");
  for (const OpenedDevice& device : devices_) {
    units_.push_back(device.device ? make_memory_unit(label(device), device.kind, device.device, options_)
                                   : make_cores_unit(label(device), device.cores, options_));
  }
}

Multi::~Multi() {
  std::vector<std::shared_ptr<TileState>> tiles;
  for (const auto& [state, attachment] : attached_) tiles.push_back(attachment.tile);
  try {
    detach(tiles);
  } catch (...) {
    // Nobody is left to be told.
  }
  attached_.clear();
  for (const auto& unit : units_) {
    try {
      unit->finish()();
    } catch (...) {
      // Likewise.
    }
  }
}

std::shared_ptr<TileState> Multi::make_tile(std::string name, std::size_t element_bytes, int dimensions,
                                            const Extents& extents) {
  const OpenedDevice* giver = memory_giver(devices_);
  if (giver == nullptr) return controller::make_tile(std::move(name), element_bytes, dimensions, extents);
  std::shared_ptr<TileState> tile = describe_tile(std::move(name), element_bytes, dimensions, extents);
  const std::uint64_t bytes = tile->bytes();
  if (bytes == 0) return tile;
  const std::shared_ptr<HostMemory> memory = giver->device->allocate_host(bytes, core::MemoryKind::pinned);
  tile->memory = memory;
  tile->data = memory->bytes().data();
  tile->pinned = memory->kind() == core::MemoryKind::pinned;
  return tile;
}

void Multi::throw_failures() {
  for (const auto& unit : units_) {
    if (const std::exception_ptr failure = unit->take_failure()) std::rethrow_exception(failure);
  }
}

std::vector<std::int64_t> Multi::shares_by(const Attachment& attachment, const std::vector<double>& weights) const {
  return split_by_weights(attachment.tile->extents[0], weights);
}

WeightQuestion Multi::question_for(const KernelDefinition* kernel, const Extents& space) const {
  WeightQuestion question;
  for (const OpenedDevice& device : devices_) {
    question.devices.push_back(device.spec);
    question.names.push_back(device.name);
  }
  if (kernel != nullptr) question.kernel = kernel->name;
  if (kernel != nullptr) question.work_per_item = kernel->work_per_item;
  question.extents = space;
  return question;
}

std::vector<double> Multi::chosen_weights(const WeightQuestion& question) {
  if (!options_.weights.empty()) return options_.weights;
  if (!options_.chooser) return std::vector<double>(devices_.size(), 1.0);
  std::vector<double> weights = options_.chooser->weights(question);
  check_weights(weights, devices_.size(), "the chooser");
  return weights;
}

/// Takes memory for an attachment on all devices, or on none.
void Multi::place(Attachment& attachment, const std::vector<std::int64_t>& shares) {
  const bool upload = options_.transfers == Transfers::immediate;
  std::vector<PlacePtr> places;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::int64_t rows = attachment.layout.partitioned ? shares[i] : attachment.tile->extents[0];
    places.push_back(units_[i]->place(attachment.tile, first, rows, attachment.layout.partitioned, upload));
    if (attachment.layout.partitioned) first += rows;
  }
  attachment.places = std::move(places);
  attachment.shares = shares;
}

void Multi::attach(const std::shared_ptr<TileState>& tile, const Layout& layout) {
  const std::lock_guard lock(mutex_);
  throw_failures();
  if (!layout.weights.empty()) check_weights(layout.weights, devices_.size(), "tile " + tile->name);
  if (tile->attached.exchange(true)) {
    core::throw_bad_input("tile " + tile->name + " is attached already: detach it before it is attached again");
  }
  try {
    Attachment attachment{tile, layout, {}, {}};
    // Where a chooser decides and nothing is sent yet, it is asked when the kernel is known.
    const bool later = layout.partitioned && layout.weights.empty() && options_.weights.empty() && options_.chooser &&
                       options_.transfers != Transfers::immediate;
    if (!layout.partitioned) {
      place(attachment, {});
    } else if (!later) {
      const WeightQuestion question = question_for(nullptr, tile->extents);
      place(attachment, shares_by(attachment, layout.weights.empty() ? chosen_weights(question) : layout.weights));
    }
    attached_.emplace(tile.get(), std::move(attachment));
  } catch (...) {
    tile->attached = false;
    throw;
  }
}

void Multi::detach(std::span<const std::shared_ptr<TileState>> tiles) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<TileState>& tile : tiles) {
    if (attached_.find(tile.get()) == attached_.end()) {
      core::throw_bad_input("tile " + tile->name + " is not attached to these devices, so it cannot be detached");
    }
  }
  std::vector<Waiter> waiters;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    std::vector<PlacePtr> places;
    for (const std::shared_ptr<TileState>& tile : tiles) {
      const Attachment& attachment = attached_.at(tile.get());
      if (!attachment.places.empty()) places.push_back(attachment.places[i]);
    }
    waiters.push_back(units_[i]->bring_back(std::move(places)));
  }
  const std::exception_ptr failure = outcome_of(std::move(waiters));
  release(tiles);
  if (failure) std::rethrow_exception(failure);
}

void Multi::release(std::span<const std::shared_ptr<TileState>> tiles) {
  for (const std::shared_ptr<TileState>& tile : tiles) {
    attached_.erase(tile.get());
    tile->attached = false;
  }
}

void Multi::wait() {
  const std::lock_guard lock(mutex_);
  std::vector<Waiter> waiters;
  for (const auto& unit : units_) waiters.push_back(unit->finish());
  const std::exception_ptr failure = outcome_of(std::move(waiters));
  if (failure) std::rethrow_exception(failure);
}

std::vector<DeviceTimes> Multi::times() {
  const std::lock_guard lock(mutex_);
  if (!options_.timing) {
    core::throw_bad_input("times are taken only where the controller's option `timing` is set when it is made");
  }
  std::vector<DeviceTimes> all;
  for (const auto& unit : units_) all.push_back(unit->times());
  return all;
}

void Multi::reset_times() {
  const std::lock_guard lock(mutex_);
  for (const auto& unit : units_) unit->reset_times();
}

std::vector<double> Multi::measured_weights() {
  const std::vector<DeviceTimes> all = times();
  std::vector<double> rates;
  double sum = 0;
  double known = 0;
  for (const DeviceTimes& one : all) {
    const bool worked = one.items > 0 && one.computation > 0;
    rates.push_back(worked ? static_cast<double>(one.items) / one.computation : -1);
    if (worked) sum += rates.back();
    if (worked) known += 1;
  }
  if (known == 0) return std::vector<double>(all.size(), 1.0 / static_cast<double>(all.size()));
  const double mean = sum / known;
  for (double& rate : rates) {
    if (rate < 0) sum += rate = mean;
  }
  for (double& rate : rates) rate /= sum;
  return rates;
}

void Multi::set_weights(const std::vector<double>& weights) {
  const std::lock_guard lock(mutex_);
  if (!weights.empty()) check_weights(weights, devices_.size(), "the controller");
  options_.weights = weights;
}

std::vector<std::int64_t> Multi::shares_of(const std::shared_ptr<TileState>& tile) {
  const std::lock_guard lock(mutex_);
  const auto found = attached_.find(tile.get());
  if (found == attached_.end()) core::throw_bad_input("tile " + tile->name + " is not attached to these devices");
  if (!found->second.layout.partitioned) return std::vector<std::int64_t>(devices_.size(), tile->extents[0]);
  if (found->second.shares.empty()) {
    core::throw_bad_input("the shares of tile " + tile->name + " are chosen at the first launch that uses it");
  }
  return found->second.shares;
}

std::vector<std::string> Multi::devices() const {
  std::vector<std::string> names;
  for (const OpenedDevice& device : devices_) names.push_back(label(device));
  return names;
}

}  // namespace forelap::hw::controller
