#include "calibrate/bench.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace forelap::calibrate {
namespace {

/// Buffers have one place each in every plan, so that executors which keep memory between plans find it again.
enum Slot : std::size_t { kUp, kDown, kKernel, kUpPageable, kDownPageable, kMoreKernels };
constexpr std::size_t kSlots = kMoreKernels + 3;
/// Behind the slots lie, for each kernel lane, those of kernels over several buffers; the first is the lane's slot.
constexpr std::size_t kKernelLanes = 4;
constexpr std::uint64_t kSmallestBuffer = 64;

std::size_t slot_of(const Command& command, std::size_t kernel_lane) {
  if (command.subject == Subject::kernel) return kernel_lane == 0 ? kKernel : kMoreKernels + (kernel_lane - 1);
  const bool up = command.subject == Subject::htod;
  if (command.memory == core::MemoryKind::pinned) return up ? kUp : kDown;
  return up ? kUpPageable : kDownPageable;
}

bool is_kernel_slot(std::size_t slot) {
  return slot == kKernel || slot >= kMoreKernels;
}

bool pageable_slot(std::size_t slot) {
  return slot == kUpPageable || slot == kDownPageable;
}

/// Buffer slot of each lane.
std::vector<std::size_t> slots_of(const Workload& workload) {
  std::vector<std::size_t> slots;
  std::size_t kernels = 0;
  for (const Command& command : workload.lanes) {
    slots.push_back(slot_of(command, kernels));
    kernels += command.subject == Subject::kernel ? 1 : 0;
  }
  return slots;
}

/// Place of buffer `i` of the launches on a kernel lane whose slot is `slot`.
std::size_t place_of(std::size_t slot, std::size_t i) {
  const std::size_t lane = slot == kKernel ? 0 : slot - kMoreKernels + 1;
  return i == 0 ? slot : kSlots + lane * (kMostProbeBuffers - 1) + (i - 1);
}

/// Length of the part of [from, to] that is not covered by `spans`, which are sorted.
core::Tick uncovered(core::Tick from, core::Tick to, const std::vector<std::pair<core::Tick, core::Tick>>& spans) {
  core::Tick missing = 0;
  core::Tick at = from;
  for (const auto& [begin, end] : spans) {
    if (begin > at) missing += std::min(begin, to) - at;
    at = std::max(at, end);
    if (at >= to) return missing;
  }
  return missing + (to - at);
}

}  // namespace

void FilledBuffers::fill(core::BufferId slot, std::span<std::byte> bytes, const KernelProbe* probe) {
  const bool for_kernel = is_kernel_slot(core::index(slot)) && probe != nullptr && probe->fill;
  std::size_t& filled = filled_[{core::index(slot), for_kernel ? probe->name : std::string()}];
  if (bytes.size() <= filled) return;
  // What one kernel's input overwrites, another's must write again.
  std::erase_if(filled_,
                [&](const auto& entry) { return entry.first.first == core::index(slot) && &entry.second != &filled; });
  filled = bytes.size();
  if (for_kernel) {
    probe->fill(bytes);
    return;
  }
  std::uint32_t state = 1;
  for (std::size_t at = 0; at + sizeof state <= bytes.size(); at += sizeof state) {
    state = state * 1664525U + 1013904223U;
    const std::uint32_t word = 0x3F800000U | (state >> 9);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

Prepared::Prepared(core::Executor& executor, const Workload& workload, FilledBuffers& filled) : workload_(workload) {
  build_plan();
  const KernelProbe* probe = workload_.probe;
  if (probe != nullptr && !probe->source.text.empty()) bindings_.kernels[probe->name] = probe->source;
  bindings_.fill = [&filled, probe](core::BufferId buffer, std::span<std::byte> bytes) {
    filled.fill(buffer, bytes, probe);
  };
  prepared_ = executor.prepare(plan_, bindings_);
}

/// Bytes of the buffer at each place.
std::vector<std::uint64_t> Prepared::buffer_bytes() const {
  const std::vector<std::size_t> slots = slots_of(workload_);
  std::vector<std::uint64_t> bytes(kSlots, kSmallestBuffer);
  for (std::size_t lane = 0; lane < slots.size(); ++lane) {
    const Command& command = workload_.lanes[lane];
    std::vector<std::uint64_t> wanted = {command.bytes};
    if (command.subject == Subject::kernel) {
      const ProbeLaunch launch = launch_of(*workload_.probe, command);
      if (!launch.buffers.empty()) wanted = launch.buffers;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::size_t place = place_of(slots[lane], i);
      if (place >= bytes.size()) bytes.resize(kSlots + kKernelLanes * (kMostProbeBuffers - 1), kSmallestBuffer);
      bytes[place] = std::max(bytes[place], wanted[i]);
    }
  }
  return bytes;
}

void Prepared::build_plan() {
  const std::vector<std::uint64_t> bytes = buffer_bytes();
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    core::Buffer buffer;
    buffer.bytes = bytes[place];
    buffer.memory = pageable_slot(place) ? core::MemoryKind::pageable : core::MemoryKind::pinned;
    builder_.add_buffer(buffer);
  }
  std::uint32_t most = 0;
  for (const Command& command : workload_.lanes) {
    core::Lane lane;
    lane.kind = command.subject == Subject::kernel ? core::LaneKind::kernel : core::LaneKind::copy;
    lane.device = core::DeviceId{0};
    lane.name = std::string(name_of(command.subject)) + " " + std::to_string(lanes_.size());
    lanes_.push_back(builder_.add_lane(lane));
    most = std::max(most, command.count);
  }
  steps_.resize(lanes_.size());
  for (std::uint32_t i = 0; i < most; ++i) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (i < workload_.lanes[lane].count) add_command(lane);
    }
  }
  plan_ = builder_.build();
}

void Prepared::add_command(std::size_t lane) {
  const Command& command = workload_.lanes[lane];
  const core::BufferId buffer = core::make_id<core::BufferId>(slots_of(workload_)[lane]);
  const std::span<const core::StepId> after = workload_.chained ? std::span(last_) : std::span<const core::StepId>();
  core::StepId id{};
  if (command.subject == Subject::kernel) {
    ProbeLaunch launch = workload_.probe->launch(buffer, command.bytes, command.repeat);
    for (core::Argument& argument : launch.arguments) {
      auto* named = std::get_if<core::BufferId>(&argument);
      if (named == nullptr || launch.buffers.empty()) continue;
      *named = core::make_id<core::BufferId>(place_of(core::index(buffer), core::index(*named)));
    }
    core::KernelStep step;
    step.lane = lanes_[lane];
    step.call = launch.call;
    step.call.kernel = builder_.kernel(workload_.probe->name);
    step.work = launch.work;
    step.items = launch.items;
    step.count = launch.passes;
    id = builder_.add(step, launch.arguments, after);
  } else {
    core::CopyStep step;
    step.lane = lanes_[lane];
    step.direction =
        command.subject == Subject::htod ? core::Direction::host_to_device : core::Direction::device_to_host;
    step.memory = command.memory;
    step.buffer = buffer;
    step.bytes = command.bytes;
    id = builder_.add(step, after);
  }
  steps_[lane].push_back(id);
  last_ = {id};
}

double Prepared::makespan() {
  return core::seconds_from_ticks(prepared_->run({}).makespan);
}

Timed Prepared::interval(const FixedParts& fixed) {
  core::RunOptions options;
  options.intervals = true;
  const core::Timeline timeline = prepared_->run(options);
  const auto measured = static_cast<std::size_t>(workload_.measured);
  const auto at = [&](core::StepId step) { return timeline.intervals.at(core::index(step)); };
  const auto fixed_of = [&](std::size_t lane) {
    return core::ticks_from_seconds(fixed[static_cast<std::size_t>(workload_.lanes[lane].subject)]);
  };
  const core::Interval own = at(steps_[measured].front());
  const core::Tick work_begin = std::min(own.begin + fixed_of(measured), own.end);
  // The longest of the other lanes' absences; they overlap where several are away at once, mostly at the end.
  core::Tick outside = 0;
  for (std::size_t lane = 0; lane < steps_.size(); ++lane) {
    if (lane == measured) continue;
    std::vector<std::pair<core::Tick, core::Tick>> spans;
    for (const core::StepId step : steps_[lane]) {
      const core::Interval other = at(step);
      spans.emplace_back(std::min(other.begin + fixed_of(lane), other.end), other.end);
    }
    std::sort(spans.begin(), spans.end());
    outside = std::max(outside, uncovered(work_begin, own.end, spans));
  }
  return {core::seconds_from_ticks(own.end - own.begin), core::seconds_from_ticks(outside)};
}

Timed Prepared::time(const FixedParts& fixed) {
  if (workload_.measured >= 0) return interval(fixed);
  return {makespan(), 0};
}

double quick_time(core::Executor& executor, const Workload& workload, FilledBuffers& filled) {
  Prepared prepared(executor, workload, filled);
  const double cold = prepared.makespan();
  const double first = prepared.makespan();
  constexpr double kLong = 5e-3;  // the first run's surprises no longer matter much, and time does
  return std::min(first, first > kLong ? cold : prepared.makespan());
}

ProbeLaunch launch_of(const KernelProbe& probe, const Command& command) {
  return probe.launch(core::make_id<core::BufferId>(kKernel), command.bytes, command.repeat);
}

Sample sample_of(Part part, const Command& command, const KernelProbe* probe) {
  Sample sample;
  sample.part = part;
  sample.subject = command.subject;
  sample.memory = command.memory;
  sample.bytes = static_cast<double>(command.bytes);
  sample.count = command.count;
  if (command.subject == Subject::kernel && probe != nullptr) {
    const ProbeLaunch launch = launch_of(*probe, command);
    sample.kernel = probe->name;
    sample.work = launch.work;
    sample.items = launch.items;
    // The fill part counts lanes.
    if (part != Part::fill) sample.count *= launch.passes;
  }
  return sample;
}

}  // namespace forelap::calibrate
