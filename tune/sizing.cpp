#include "tune/sizing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/quantity.hpp"
#include "models/kernel.hpp"
#include "models/transfer.hpp"
#include "scenarios/kernel_definition.hpp"

namespace forelap::tune {
namespace {

using core::DeviceModel;
using core::Dimension;
using scenarios::KernelDefinition;
using scenarios::KernelSpec;
using scenarios::SizedKernel;
using scenarios::SizedTask;
using scenarios::SizedTransfer;
using scenarios::TaskSpec;
using scenarios::TransferSpec;

constexpr std::uint64_t kElement = 4;
constexpr std::uint64_t kUsualBuffer = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostRepeats = INT32_MAX;
/// A kernel whose nearest whole repeat misses by more than this works on a part of the buffer instead.
constexpr double kCoarse = 0.02;

std::string time_text(double seconds) {
  return core::display_quantity(seconds, Dimension::time);
}

std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + kElement - 1) / kElement * kElement;
}

/// Sizes the stages of one task on one device; messages begin with the task's name.
class TaskSizing {
 public:
  TaskSizing(const scenarios::Scenario& scenario, const DeviceModel& device, const TaskSpec& task,
             core::MemoryKind memory)
      : scenario_(scenario), device_(device), task_(task), memory_(memory), ideal_(core::is_ideal(device)) {}

  SizedTask run() {
    SizedTask sized;
    for (const TransferSpec& t : task_.htod) sized.htod.push_back(transfer(t, core::Direction::host_to_device));
    for (const TransferSpec& t : task_.dtoh) sized.dtoh.push_back(transfer(t, core::Direction::device_to_host));
    sized.buffer_bytes = buffer(sized);
    for (const KernelSpec& k : task_.kernels) sized.kernels.push_back(kernel(k, sized.buffer_bytes));
    return sized;
  }

  /// As known_kernel_bytes.
  [[nodiscard]] std::vector<std::uint64_t> known_bytes() const {
    const auto timed = [](const TransferSpec& t) { return t.seconds.value_or(0) > 0; };
    const bool any_timed = std::any_of(task_.htod.begin(), task_.htod.end(), timed) ||
                           std::any_of(task_.dtoh.begin(), task_.dtoh.end(), timed);
    if (any_timed && task_.buffer_bytes == 0) return {};
    SizedTask sized;
    const auto add = [](const std::vector<TransferSpec>& from, std::vector<SizedTransfer>& to) {
      for (const TransferSpec& t : from) to.emplace_back().bytes = t.bytes.value_or(0);
    };
    add(task_.htod, sized.htod);
    add(task_.dtoh, sized.dtoh);
    const std::uint64_t bytes = buffer(sized);
    std::vector<std::uint64_t> known;
    for (const KernelSpec& k : task_.kernels) known.push_back(std::min(bytes, k.bytes.value_or(bytes)));
    return known;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    core::throw_bad_input("task \"" + task_.name + "\" on device \"" + device_.name + "\": " + message);
  }

  [[nodiscard]] SizedTransfer transfer(const TransferSpec& spec, core::Direction direction) const {
    SizedTransfer sized;
    if (ideal_) {
      if (spec.bytes.value_or(0) > 0) {
        refuse("a transfer of " + core::display_quantity(static_cast<double>(*spec.bytes), Dimension::bytes) +
               " cannot be timed, because the device has no transfer model; give durations such as \"1 ms\", or name a "
               "calibrated machine with -m");
      }
      sized.duration = core::ticks_from_seconds(spec.seconds.value_or(0));
    } else if (spec.bytes) {
      sized.bytes = *spec.bytes;
    } else if (spec.seconds.value_or(0) > 0) {
      sized.bytes = bytes_for(*spec.seconds, direction);
    }
    return sized;
  }

  /// The multiple of 4 bytes whose transfer comes nearest to `seconds`.
  [[nodiscard]] std::uint64_t bytes_for(double seconds, core::Direction direction) const {
    const std::string words = direction == core::Direction::host_to_device ? "to" : "from";
    const core::TransferModel* model = core::find_transfer(device_, direction, memory_);
    if (model == nullptr || model->pieces.empty()) {
      refuse("no model of " + std::string(memory_ == core::MemoryKind::pinned ? "pinned" : "pageable") + " transfers " +
             words + " the device; calibrate it with `forelap calibrate`, or give sizes");
    }
    const double wished = models::transfer_bytes(*model, seconds);
    const double shortest = models::transfer_seconds(*model, kElement);
    if (wished <= 0 && seconds < shortest) {
      refuse("no transfer " + words + " the device takes " + time_text(seconds) + "; the shortest takes " +
             time_text(shortest) + ", so give longer durations (a larger `unit`)");
    }
    // Sizes in doubles: 2^50 bytes and above are refused, so that they convert.
    if (!(wished < 0x1p50)) {
      refuse("a transfer of " + time_text(seconds) + " " + words + " the device would be too large; check its model");
    }
    const std::uint64_t low = std::max(kElement, static_cast<std::uint64_t>(wished) / kElement * kElement);
    const auto miss = [&](std::uint64_t bytes) {
      return std::abs(models::transfer_seconds(*model, static_cast<double>(bytes)) - seconds);
    };
    return miss(low + kElement) < miss(low) ? low + kElement : low;
  }

  [[nodiscard]] std::uint64_t buffer(const SizedTask& sized) const {
    const auto sum = [](const std::vector<SizedTransfer>& transfers) {
      return std::accumulate(transfers.begin(), transfers.end(), std::uint64_t{0},
                             [](std::uint64_t bytes, const SizedTransfer& t) { return bytes + t.bytes; });
    };
    std::uint64_t bytes = task_.buffer_bytes;
    if (bytes == 0) bytes = room_for(sum(sized.htod), sum(sized.dtoh));
    if (bytes == 0 && !(ideal_ && only_durations())) bytes = kUsualBuffer;
    bytes = round_up(bytes);
    const double largest = device_.largest_allocation > 0 ? device_.largest_allocation : device_.memory_bytes;
    if (largest > 0 && static_cast<double>(bytes) > largest) {
      refuse("its buffer of " + core::display_quantity(static_cast<double>(bytes), Dimension::bytes) +
             " is larger than what the device gives at once, " + core::display_quantity(largest, Dimension::bytes) +
             "; give smaller transfers (a smaller `unit`) or several tasks");
    }
    return bytes;
  }

  /// Room for what goes in at the front, and behind it for a result of which exactly what comes back is fetched: the
  /// largest buffer that ends where the result does. The offset of the result grows with the buffer, so it is
  /// approached from above; from below, results a few rows smaller would be found first.
  [[nodiscard]] std::uint64_t room_for(std::uint64_t in, std::uint64_t out) const {
    const std::uint64_t least = round_up(std::max(in, out));
    const KernelDefinition* last =
        task_.kernels.empty() ? nullptr : scenarios::find_definition(scenario_, task_.kernels.back().kernel);
    if (last == nullptr || !last->result || out == 0 || ideal_) return least;
    const auto end_of_result = [&](std::uint64_t bytes) { return round_up(result_offset(*last, bytes) + out); };
    std::uint64_t bytes = least;
    for (int doublings = 0; end_of_result(bytes) > bytes; bytes *= 2) {
      constexpr int kMostDoublings = 10;
      if (++doublings > kMostDoublings) {
        refuse("no buffer can hold the result of kernel \"" + last->name + "\", which begins at \"" +
               last->result->text() + "\"; give the size of its buffer");
      }
    }
    while (end_of_result(bytes) < bytes) bytes = end_of_result(bytes);
    return std::max(least, bytes);
  }

  /// 0 where the kernel cannot run over a buffer of that size; a larger one is tried then.
  static std::uint64_t result_offset(const KernelDefinition& kernel, std::uint64_t bytes) {
    try {
      return launch(kernel, bytes, 1).result;
    } catch (const core::Error&) {
      return 0;
    }
  }

  [[nodiscard]] bool only_durations() const {
    return std::all_of(task_.kernels.begin(), task_.kernels.end(),
                       [](const KernelSpec& k) { return k.seconds.has_value(); });
  }

  /// 0 for all of it.
  [[nodiscard]] std::uint64_t part_of_buffer(const KernelSpec& spec, std::uint64_t bytes) const {
    const std::uint64_t part = spec.bytes.value_or(0);
    if (part > bytes) {
      refuse("kernel \"" + spec.kernel + "\" would work on " +
             core::format_quantity(static_cast<double>(part), Dimension::bytes) + " of a buffer of " +
             core::format_quantity(static_cast<double>(bytes), Dimension::bytes) + "; give a larger `buffer`");
    }
    return part == bytes ? 0 : part;
  }

  [[nodiscard]] SizedKernel kernel(const KernelSpec& spec, std::uint64_t bytes) const {
    SizedKernel sized;
    sized.kernel = spec.kernel;
    const KernelDefinition* definition = scenarios::find_definition(scenario_, spec.kernel);
    if (definition == nullptr) refuse("unknown kernel \"" + spec.kernel + "\"");
    if (spec.seconds && (ideal_ || *spec.seconds == 0)) {
      sized.duration = core::ticks_from_seconds(*spec.seconds);
      return sized;
    }
    const core::KernelModel* model = core::find_kernel(device_, spec.kernel);
    if (spec.repeat) {
      sized.repeat = *spec.repeat;
      sized.bytes = part_of_buffer(spec, bytes);
    } else if (spec.work) {
      sized.repeat = repeat_for_work(*definition, *spec.work, bytes);
    } else if (model == nullptr || model->pieces.empty()) {
      refuse("no model of kernel \"" + spec.kernel +
             "\"; calibrate it with `forelap calibrate --scenario FILE`, or give `repeat`");
    } else {
      size_for_duration(*definition, *model, *spec.seconds, bytes, sized);
    }
    if (ideal_ && model == nullptr) {
      refuse("kernel \"" + spec.kernel +
             "\" by repeat or work cannot be timed, because the device has no model of "
             "it; give its duration, or name a calibrated machine with -m");
    }
    return sized;
  }

  static scenarios::Launch launch(const KernelDefinition& kernel, std::uint64_t bytes, std::uint64_t repeat) {
    return scenarios::make_launch(kernel, core::BufferId{}, bytes, repeat);
  }

  /// The smallest repeat from 1 on for which `reached` holds, kMostRepeats where none; it must not fall with repeat.
  template <class Reached>
  static std::uint64_t first_repeat(Reached&& reached) {
    std::uint64_t high = 1;
    while (high < kMostRepeats && !reached(high)) high = std::min(kMostRepeats, high * 2);
    std::uint64_t low = high / 2;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (reached(middle) ? high : low) = middle;
    }
    return high;
  }

  [[nodiscard]] std::uint64_t repeat_for_work(const KernelDefinition& kernel, double work, std::uint64_t bytes) const {
    const auto work_of = [&](std::uint64_t repeat) {
      const scenarios::Launch l = launch(kernel, bytes, repeat);
      return l.work * l.passes;
    };
    const std::uint64_t high = first_repeat([&](std::uint64_t repeat) { return work_of(repeat) >= work; });
    if (high == kMostRepeats && work_of(high) < work) refuse("kernel \"" + kernel.name + "\" cannot do that much work");
    const bool lower_is_nearer = high > 1 && work - work_of(high - 1) < work_of(high) - work;
    return lower_is_nearer ? high - 1 : high;
  }

  void size_for_duration(const KernelDefinition& kernel, const core::KernelModel& model, double seconds,
                         std::uint64_t bytes, SizedKernel& sized) const {
    const auto time = [&](std::uint64_t size, std::uint64_t repeat) {
      const scenarios::Launch l = launch(kernel, size, repeat);
      return models::kernel_seconds(model, l.work, l.items) * l.passes;
    };
    const std::uint64_t high = first_repeat([&](std::uint64_t repeat) { return time(bytes, repeat) >= seconds; });
    const double above = time(bytes, high) - seconds;
    if (above < 0) {
      refuse("kernel \"" + kernel.name + "\" cannot be made to take " + time_text(seconds) + "; " +
             std::to_string(high) + " repeats take " + time_text(time(bytes, high)) + " by its model");
    }
    const double below = high > 1 ? seconds - time(bytes, high - 1) : HUGE_VAL;
    sized.repeat = below < above ? high - 1 : high;
    if (std::min(above, below) <= kCoarse * seconds) return;
    sized.repeat = high;
    sized.bytes = part_for_duration(kernel, seconds, bytes, [&](std::uint64_t size) { return time(size, high); });
  }

  /// The largest front part of the buffer that `time` lets finish within `seconds`, or the one after it where nearer.
  template <class Time>
  [[nodiscard]] std::uint64_t part_for_duration(const KernelDefinition& kernel, double seconds, std::uint64_t bytes,
                                                Time&& time) const {
    const std::uint64_t smallest = smallest_part(kernel, bytes);
    if (time(smallest) > seconds * (1 + kCoarse)) {
      refuse("kernel \"" + kernel.name + "\" cannot be made as short as " + time_text(seconds) +
             "; its shortest launch takes " + time_text(time(smallest)) +
             ", so give longer durations (a larger `unit`)");
    }
    std::uint64_t low = smallest / kElement;
    std::uint64_t high = bytes / kElement;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (time(middle * kElement) > seconds ? high : low) = middle;
    }
    const bool high_is_nearer = time(high * kElement) - seconds < seconds - time(low * kElement);
    return (high_is_nearer ? high : low) * kElement;
  }

  /// The smallest part that the kernel launches anything on: a matrix product needs three elements, for one.
  static std::uint64_t smallest_part(const KernelDefinition& kernel, std::uint64_t bytes) {
    for (std::uint64_t size = kElement; size < bytes; size *= 2) {
      try {
        launch(kernel, size, 1);
        return size;
      } catch (const core::Error&) {
        continue;
      }
    }
    return bytes;
  }

  const scenarios::Scenario& scenario_;
  const DeviceModel& device_;
  const TaskSpec& task_;
  core::MemoryKind memory_;
  bool ideal_;
};

std::uint32_t engines_of(const scenarios::TaskGroup& group, const DeviceModel& device) {
  if (group.engines != 0) return group.engines;
  constexpr double kBetweenOneAndTwo = 1.5;
  return device.copy_engines.value > kBetweenOneAndTwo ? 2 : 1;
}

}  // namespace

scenarios::TaskGroupTuning size_case(const scenarios::Scenario& scenario, std::size_t case_index,
                                     const core::Machine& machine) {
  return size_case(scenario, case_index, machine, machine);
}

scenarios::TaskGroupTuning size_case(const scenarios::Scenario& scenario, std::size_t case_index,
                                     const core::Machine& machine, const core::Machine& sized_for) {
  const auto& group = std::get<scenarios::TaskGroup>(scenario.body);
  const auto& tasks = group.cases.at(case_index).tasks;
  scenarios::TaskGroupTuning tuning;
  tuning.case_index = case_index;
  tuning.device_count = static_cast<std::uint32_t>(std::max<std::size_t>(1, group.devices.size()));
  if (tuning.device_count > machine.devices.size()) {
    core::throw_bad_input("scenario \"" + scenario.name + "\" uses " + std::to_string(tuning.device_count) +
                          " devices, but machine \"" + machine.name + "\" has " +
                          std::to_string(machine.devices.size()) + "; name another machine with -m");
  }
  for (std::uint32_t d = 0; d < tuning.device_count; ++d) {
    tuning.engines.push_back(engines_of(group, machine.devices[d]));
  }
  tuning.submission = group.submission;
  const std::uint32_t lanes = group.cases.at(case_index).kernel_lanes;
  tuning.kernel_lanes = std::max(1U, lanes != 0 ? lanes : group.kernel_lanes);
  tuning.memory = group.memory;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const DeviceModel& device = sized_for.devices.at(tasks[i].device);
    tuning.tasks.push_back(TaskSizing(scenario, device, tasks[i], group.memory).run());
    tuning.device.push_back(tasks[i].device);
    tuning.order.push_back(static_cast<std::uint32_t>(i));
  }
  return tuning;
}

std::vector<std::uint64_t> known_kernel_bytes(const scenarios::Scenario& scenario, const scenarios::TaskSpec& task) {
  DeviceModel any;
  any.transfers.resize(1);  // not ideal: what has a size is asked for it
  return TaskSizing(scenario, any, task, core::MemoryKind::pinned).known_bytes();
}

}  // namespace forelap::tune
