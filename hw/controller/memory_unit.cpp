#include "hw/controller/memory_unit.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "core/error.hpp"
#include "hw/controller/blas.hpp"
#include "hw/controller/geometry.hpp"

namespace forelap::hw::controller {
namespace {

/// Bytes of a chunk that is streamed: large enough that copies reach their speed, small enough that they overlap.
constexpr std::uint64_t kStreamBytes = 64ULL << 20;

double seconds_of(const std::vector<Stamp>& stamps) {
  core::Tick sum = 0;
  for (const Stamp& stamp : stamps) sum += stamp.end - stamp.begin;
  return core::seconds_from_ticks(sum);
}

std::uint64_t limit_of(const Options& options, const DeviceInfo& info) {
  return options.memory_limit != 0 ? options.memory_limit : info.memory_bytes - info.memory_bytes / 10;
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

/// The error with the device's name before its words.
std::exception_ptr named(const std::string& device) {
  try {
    throw;
  } catch (const core::Error& error) {
    return std::make_exception_ptr(core::Error(error.kind(), device + ": " + error.what()));
  } catch (const std::exception& error) {
    return std::make_exception_ptr(core::Error(core::ErrorKind::device_failed, device + ": " + error.what()));
  } catch (...) {
    return std::make_exception_ptr(
        core::Error(core::ErrorKind::device_failed, device + ": an exception that is no std::exception was thrown"));
  }
}

/// The launch's arguments that do not fit the device.
std::vector<const Place*> streamed_places(const UnitLaunch& launch) {
  std::vector<const Place*> places;
  for (const UnitArgument& argument : launch.arguments) {
    const PlacePtr* place = std::get_if<PlacePtr>(&argument);
    if (place != nullptr && dynamic_cast<const MemoryPlace&>(**place).streamed()) places.push_back(place->get());
  }
  return places;
}

std::uint64_t row_bytes_of(const std::vector<const Place*>& places) {
  std::uint64_t bytes = 0;
  for (const Place* place : places) bytes += place->tile()->row_bytes();
  return bytes;
}

bool is_bad_input(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const core::Error& error) {
    return error.kind() == core::ErrorKind::bad_input;
  } catch (...) {
    return false;
  }
}

}  // namespace

MemoryUnit::MemoryUnit(std::string name, DeviceKind kind, std::shared_ptr<Device> device, const Options& options)
    : name_(std::move(name)),
      kind_(kind),
      options_(options),
      device_(std::move(device)),
      store_(std::make_shared<MemoryStore>(device_, limit_of(options, device_->info()))),
      in_(device_->make_queue(core::LaneKind::copy, core::Direction::host_to_device)),
      run_(device_->make_queue(core::LaneKind::kernel, core::Direction::host_to_device)),
      out_(device_->make_queue(core::LaneKind::copy, core::Direction::device_to_host)),
      thread_([] {},
              [this] {
                // CUDA starts commands by itself.
                if (kind_ != DeviceKind::cuda) {
                  guarded([this] {
                    in_->flush();
                    run_->flush();
                  });
                }
              }) {
  times_.device = name_;
  run_->expect_more(true);
  if (!options_.timing) return;
  for (Queue* queue : {in_.get(), run_.get(), out_.get()}) queue->set_stamping(true);
}

MemoryUnit::~MemoryUnit() {
  thread_.drain();
}

std::uint64_t MemoryUnit::room() const {
  return std::min(store_->left(), device_->info().largest_allocation);
}

PlacePtr MemoryUnit::place(const std::shared_ptr<TileState>& tile, std::int64_t first, std::int64_t rows,
                           bool partitioned, bool upload_now) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(rows) * tile->row_bytes();
  const bool fits = bytes <= room();
  if (!fits && !partitioned) {
    core::throw_device_failed("tile " + tile->name + " takes " + bytes_text(bytes) + " whole, and " + name_ +
                              " has room for " + bytes_text(room()) + ": partition it, or use a smaller one");
  }
  std::unique_ptr<HeldMemory> memory;
  // Tiles without elements get a little, so that a launch which names them has something to point at.
  if (fits && (rows > 0 || !partitioned)) {
    try {
      memory = std::make_unique<HeldMemory>(store_, std::max<std::uint64_t>(bytes, 16));
    } catch (const core::Error& error) {
      throw core::Error(error.kind(), name_ + " has no room for tile " + tile->name + " (" + bytes_text(bytes) +
                                          "): " + error.what());
    }
  }
  auto made = std::make_shared<MemoryPlace>(tile, first, rows, partitioned, std::move(memory));
  if (upload_now && made->memory()) {
    thread_.post([this, made] { guarded([&] { upload(*made, made->first(), made->first() + made->rows()); }); });
  }
  return made;
}

std::shared_ptr<ReadyKernel> MemoryUnit::make_ready(const KernelDefinition& kernel) {
  auto ready = std::make_shared<MemoryKernel>();
  const std::string kind = kind_ == DeviceKind::cuda ? "CUDA" : "OpenCL";
  const auto wrapper = kernel.wrappers.find(kind_);
  const auto text = kernel.text_versions.find(kind_);
  const bool libraries = options_.version == VersionWish::automatic;
  const bool product = libraries && kernel.is_matrix_product && kind_ == DeviceKind::cuda;
  if (libraries && wrapper != kernel.wrappers.end()) {
    ready->native = wrapper->second;
    ready->chosen = {"wrapper", "the kernel has a wrapper for " + kind + " devices", {}};
    return ready;
  }
  if (product && !find_cublas().library.empty()) {
    ready->native = make_cublas_product();
    ready->chosen = {"cuBLAS (" + find_cublas().library + ")", find_cublas().reason, {}};
    return ready;
  }
  const bool special = options_.version != VersionWish::generic && text != kernel.text_versions.end();
  const std::string why_generic = options_.version == VersionWish::generic ? "the generic version was asked for"
                                  : product                                ? find_cublas().reason
                                            : "the kernel has no other version for " + kind + " devices";
  ready->chosen = {special ? "specialised" : "generic",
                   special ? "the kernel has a version for " + kind + " devices" : why_generic,
                   {}};
  ready->block = special ? text->second.block : kernel.block;
  core::KernelSource source;
  source.text = device_source(kernel, kind_, special ? &text->second : nullptr);
  source.entry = kEntry;
  source.origin = kernel.origin;
  if (kind_ == DeviceKind::opencl) source.options = "-cl-std=CL1.2";
  ready->kernel = device_->build(kernel.name, source);
  return ready;
}

void MemoryUnit::launch(std::shared_ptr<UnitLaunch> launch) {
  Work work;
  work.stream = stream_for(*launch);
  work.launch = std::move(launch);
  thread_.post([this, work = std::move(work)] { guarded([&] { run(work); }); });
}

/// The buffers that stream the launch's tiles, kept from an earlier launch or made; null where all tiles fit.
std::shared_ptr<Stream> MemoryUnit::stream_for(const UnitLaunch& launch) {
  std::vector<const Place*> places = streamed_places(launch);
  if (places.empty()) return nullptr;
  for (const std::shared_ptr<Stream>& kept : streams_) {
    if (kept->places == places) return kept;
  }
  while (room() < 3 * std::min(kStreamBytes, static_cast<std::uint64_t>(launch.rows) * row_bytes_of(places))) {
    if (!spill_largest(launch)) break;
    places = streamed_places(launch);
  }
  streams_.push_back(make_stream(launch, std::move(places)));
  return streams_.back();
}

/// Frees the largest partitioned tile of the launch that is on the device, which is then streamed as well: tiles that
/// came first must not leave those that are used with them without room. False where there is none.
bool MemoryUnit::spill_largest(const UnitLaunch& launch) {
  PlacePtr largest;
  for (const UnitArgument& argument : launch.arguments) {
    const PlacePtr* place = std::get_if<PlacePtr>(&argument);
    if (place == nullptr || !(*place)->partitioned() || !dynamic_cast<MemoryPlace&>(**place).memory()) continue;
    if (!largest || (*place)->bytes() > largest->bytes()) largest = *place;
  }
  if (!largest) return false;
  bring_back({largest})();
  dynamic_cast<MemoryPlace&>(*largest).drop_memory();
  return true;
}

std::shared_ptr<Stream> MemoryUnit::make_stream(const UnitLaunch& launch, std::vector<const Place*> places) {
  const std::uint64_t row_bytes = row_bytes_of(places);
  const std::uint64_t left = room();
  const std::size_t slots = left / 3 >= row_bytes ? 3 : left / row_bytes;
  if (slots == 0) {
    std::string names;
    for (const Place* place : places) names += (names.empty() ? "" : ", ") + place->tile()->name;
    core::throw_device_failed("kernel " + launch.kernel->name + " on " + name_ + ": one row of " + names + " takes " +
                              bytes_text(row_bytes) + ", and the device has room for " + bytes_text(left) +
                              ": use smaller rows, or attach fewer tiles");
  }
  auto stream = std::make_shared<Stream>();
  const std::uint64_t rows = std::min(left / slots, std::max(kStreamBytes, row_bytes)) / row_bytes;
  stream->rows = std::min(launch.rows, static_cast<std::int64_t>(rows));
  stream->slots.resize(slots);
  for (Stream::Slot& slot : stream->slots) {
    for (const Place* place : places) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(stream->rows) * place->tile()->row_bytes();
      slot.memory.push_back(std::make_unique<HeldMemory>(store_, bytes));
    }
  }
  stream->places = std::move(places);
  return stream;
}

void MemoryUnit::forget_streams_of(const std::vector<PlacePtr>& places) {
  std::erase_if(streams_, [&](const std::shared_ptr<Stream>& stream) {
    return std::any_of(places.begin(), places.end(), [&](const PlacePtr& place) {
      return std::find(stream->places.begin(), stream->places.end(), place.get()) != stream->places.end();
    });
  });
}

Waiter MemoryUnit::bring_back(std::vector<PlacePtr> places) {
  // The ends of the three queues, or why there are none.
  auto ends = std::make_shared<std::promise<std::vector<EventPtr>>>();
  thread_.post([this, ends, places] {
    guarded([&] { copy_back(places); });
    // Also where something failed: what is still under way must not outlive the host's memory.
    std::vector<EventPtr> events;
    for (Queue* queue : {in_.get(), run_.get(), out_.get()}) {
      attempt([&] { events.push_back(mark(*queue)); });
    }
    ends->set_value(std::move(events));
  });
  return [this, ends, places = std::move(places)] {
    const std::vector<EventPtr> events = ends->get_future().get();
    for (const EventPtr& event : events) {
      attempt([&] { event->wait(); });
    }
    forget_streams_of(places);
    if (const std::exception_ptr failure = take_failure()) std::rethrow_exception(failure);
  };
}

void MemoryUnit::guarded(const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
  }
  attempt(work);
}

void MemoryUnit::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    set_failure(named(name_));
  }
}

void MemoryUnit::set_failure(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
}

std::exception_ptr MemoryUnit::take_failure() {
  const std::lock_guard lock(mutex_);
  // What the user gave wrong does not break the device.
  if (failure_ && is_bad_input(failure_)) return std::exchange(failure_, nullptr);
  return failure_;
}

void MemoryUnit::collect_stamps() {
  finish()();
  times_.to_device += seconds_of(in_->take_stamps());
  times_.computation += seconds_of(run_->take_stamps());
  times_.from_device += seconds_of(out_->take_stamps());
}

DeviceTimes MemoryUnit::times() {
  collect_stamps();
  return times_;
}

void MemoryUnit::reset_times() {
  collect_stamps();
  times_ = {};
  times_.device = name_;
}

std::unique_ptr<Unit> make_memory_unit(const std::string& name, DeviceKind kind, std::shared_ptr<Device> device,
                                       const Options& options) {
  return std::make_unique<MemoryUnit>(name, kind, std::move(device), options);
}

}  // namespace forelap::hw::controller
