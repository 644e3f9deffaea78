// The points of a campaign that involve kernels and what runs beside them.

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/campaign_points.hpp"
#include "calibrate/waves.hpp"
#include "core/error.hpp"
#include "core/quantity.hpp"

namespace forelap::calibrate {
namespace {

/// Buffers of the kernel part, bytes; whole words, no round numbers.
constexpr std::array<std::uint64_t, 5> kBuffers = {3'141'592, 17'171'716, 90'909'088, 303'030'304, 582'582'580};
/// Those of kernels whose repetitions are more launches: only sizes tell their launches apart.
constexpr std::array<std::uint64_t, 10> kPassBuffers = {101'012,    313'132,    1'010'100,  3'141'592,   8'080'808,
                                                        17'171'716, 41'414'140, 90'909'088, 170'170'168, 303'030'304};
/// Those of launches that may leave room for others, ascending.
constexpr std::array<std::uint64_t, 9> kSmallBuffers = {6'006,   12'012,  25'028,  50'060,   101'012,
                                                        202'020, 404'404, 808'080, 1'616'168};
/// Length of launches side by side; of shorter ones than the second, their start would be measured.
constexpr double kSideBySide = 1e-3;
constexpr double kShortestSideBySide = 50e-6;
constexpr std::uint32_t kMostSideBySide = 4;
/// Launches of kernels in passes side by side: so long that next to nothing of one is its start, and so many times as
/// long as the start that what is left can be told.
constexpr double kLongPass = 50e-6;
constexpr double kMediumPass = 2.2;
/// Sizes near one that is to be predicted, in parts of it: between the inner two it lies, and what is cut to meet a
/// duration lies between the others.
constexpr std::array<double, 4> kNearParts = {0.985, 1.015, 0.96, 1.05};
/// Stretches, by launches side by side, that count as none and as one after the other.
constexpr double kNoneWaits = 1.05;
constexpr double kAllWait = 0.95 * kMostSideBySide;
constexpr double kShortestLaunch = 0.1e-3;
constexpr double kLongestLaunch = 10e-3;
/// Launches this many times as long as one repetition no longer wait for memory alone.
constexpr double kBeyondMemory = 4;
/// Lengths of the commands whose slowing by others is measured, and of those that keep busy, seconds.
constexpr std::array<double, 3> kLengths = {1.3e-3, 4e-3, 9e-3};
constexpr double kBusyLength = 4e-3;
constexpr std::uint64_t kInterferenceBuffer = 17'171'716;

bool repeats_by_launches(const KernelProbe& probe, std::uint64_t bytes) {
  return probe.launch(core::BufferId{}, bytes, 2).passes > probe.launch(core::BufferId{}, bytes, 1).passes;
}

/// Sizes to try. A kernel that cannot run over one of them says so when it is tried.
std::span<const std::uint64_t> buffers_of(const KernelProbe& probe) {
  try {
    if (repeats_by_launches(probe, kBuffers.front())) return kPassBuffers;
  } catch (const core::Error&) {
    return kBuffers;
  }
  return kBuffers;
}

std::string kernel_text(const KernelProbe& probe, std::uint64_t bytes) {
  return "kernel \"" + probe.name + "\" over " +
         core::display_quantity(static_cast<double>(bytes), core::Dimension::bytes, 3);
}

}  // namespace

void PointFinder::add_kernel(const KernelProbe& probe) {
  std::vector<std::uint64_t> sizes;
  for (const std::uint64_t bytes : buffers_of(probe)) {
    if (bytes <= most_bytes_) sizes.push_back(bytes);
  }
  if (sizes.empty()) sizes.push_back(most_bytes_ / 4 * 4);
  std::vector<std::uint64_t> usable;
  for (const std::uint64_t bytes : sizes) {
    const bool run = attempt(kernel_text(probe, bytes), [&] {
      const Command once{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
      const double one = work_time(once, &probe);
      if (one > 2 * longest_run_ && !usable.empty()) {
        core::throw_unavailable("one launch takes " + core::display_quantity(one, core::Dimension::time) +
                                ", too long for the time budget");
      }
      if (!wants(Part::kernel)) return;
      repeats_by_launches(probe, bytes) ? add_passes(probe, bytes, one) : add_launches(probe, bytes);
    });
    if (!run) break;
    usable.push_back(bytes);
  }
  if (wants(Part::kernel) && !usable.empty()) add_near(probe);
  if (!wants(Part::fill) || usable.empty()) return;
  add_small(probe);
  repeats_by_launches(probe, usable.front()) ? add_passes_fill(probe, usable) : add_large_fill(probe, usable);
}

/// Large launches side by side, the smallest and a large one.
void PointFinder::add_large_fill(const KernelProbe& probe, std::span<const std::uint64_t> usable) {
  // The host keeps a copy of each lane's buffer: the third size is the largest that is worth it.
  for (const std::size_t i : {std::size_t{0}, std::min<std::size_t>(usable.size() - 1, 2)}) {
    attempt("side by side, " + kernel_text(probe, usable[i]), [&] { add_fill(probe, usable[i]); });
    if (usable.size() == 1) break;
  }
}

/// Rows of launches side by side. How the starts of short ones overlap says nothing of large ones: two sizes, from
/// which on a launch takes a few times as long as its start, and so long that the start does not matter; where none
/// does, the largest that the limits allow.
void PointFinder::add_passes_fill(const KernelProbe& probe, std::span<const std::uint64_t> usable) {
  std::optional<std::uint64_t> medium, large;
  for (const std::uint64_t bytes : usable) {
    // Four buffers of a third of the largest, beside those of transfers.
    if (bytes > most_bytes_ / 3 && large) break;
    const Command once{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
    const double row = work_time(once, &probe);
    if (row > longest_run_ && large) break;
    const double each = row / launch_of(probe, once).passes;
    if (!medium && each >= kMediumPass * fixed_[static_cast<std::size_t>(Subject::kernel)]) medium = bytes;
    large = bytes;
    if (each >= kLongPass) break;
  }
  for (const std::optional<std::uint64_t>& bytes : {medium == large ? std::nullopt : medium, large}) {
    if (bytes) attempt("side by side, " + kernel_text(probe, *bytes), [&] { add_fill(probe, *bytes); });
  }
}

/// Launches near those that are to be predicted, where these have so few waves that those of other sizes say little of
/// them.
void PointFinder::add_near(const KernelProbe& probe) {
  const auto launch = [&](std::uint64_t bytes) { return probe.launch(core::BufferId{}, bytes, 1); };
  std::vector<std::pair<double, double>> taken;  // items and work that are not to be measured (again)
  const auto is_taken = [&](const ProbeLaunch& l) {
    return std::find(taken.begin(), taken.end(), std::pair(l.items, l.work)) != taken.end();
  };
  for (const std::uint64_t bytes : probe.near_bytes) {
    attempt(kernel_text(probe, bytes), [&] { taken.emplace_back(launch(bytes).items, launch(bytes).work); });
  }
  for (const std::uint64_t bytes : probe.near_bytes) {
    for (const double part : std::span(kNearParts).first(brief_ ? 2 : 4)) {
      const std::uint64_t near = whole_words(part * static_cast<double>(bytes));
      attempt(kernel_text(probe, near), [&] {
        const ProbeLaunch l = launch(near);
        const double waves = waves_of(l.items, compute_units_);
        if (near > most_bytes_ || waves <= 0 || waves > kFewWaves || is_taken(l)) return;
        taken.emplace_back(l.items, l.work);
        add_near_launches(probe, near);
      });
    }
  }
}

/// One repetition, and a short, a middle and a long launch.
void PointFinder::add_near_launches(const KernelProbe& probe, std::uint64_t bytes) {
  Command command{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
  const double once = work_time(command, &probe);
  if (once > 2 * longest_run_) {
    core::throw_unavailable("one launch takes " + core::display_quantity(once, core::Dimension::time) +
                            ", too long for the time budget");
  }
  if (repeats_by_launches(probe, bytes)) return add_passes(probe, bytes, once);
  const double low = std::max(kShortestLaunch, kBeyondMemory * once), high = std::max(kLongestLaunch, 1.5 * low);
  const std::optional<Command> longest = launch_of_length(probe, bytes, std::min(high, 2 * longest_run_));
  const double most = longest ? static_cast<double>(longest->repeat) : 1;
  const double least = std::min(most, std::max(2.0, std::ceil(most * low / high)));
  for (const double repeat : std::set{1.0, least, std::ceil(std::sqrt(least * most)), most}) {
    command.repeat = static_cast<std::uint64_t>(repeat);
    add({sample_of(Part::kernel, command, &probe), {&probe, {command}, false, -1}});
  }
}

void PointFinder::add_launches(const KernelProbe& probe, std::uint64_t bytes) {
  Command command{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
  const double once = work_time(command, &probe);
  const auto add_level = [&](std::uint64_t repeat, std::uint32_t count) {
    command.repeat = repeat;
    command.count = count;
    add({sample_of(Part::kernel, command, &probe), {&probe, {command}, false, -1}});
  };
  add_level(1, 1);
  add_level(1, 4);
  const double low = std::max(kShortestLaunch, kBeyondMemory * once);
  const double high = std::min(std::max(kLongestLaunch, 4 * low), std::max(2 * longest_run_, 1.5 * low));
  const std::optional<Command> longest = launch_of_length(probe, bytes, high);
  if (!longest || longest->repeat < 2) return;
  const double top = std::max(work_time(*longest, &probe), 1.01 * low);
  std::uint64_t before = 1;
  const std::size_t levels = brief_ ? 3 : 4;
  for (std::size_t level = 0; level < levels; ++level) {
    const double part = static_cast<double>(level) / static_cast<double>(levels - 1);
    const double wish = low * std::pow(top / low, part);
    const auto repeat = static_cast<std::uint64_t>(std::ceil(static_cast<double>(longest->repeat) * wish / top));
    if (repeat <= before) continue;
    before = repeat;
    add_level(repeat, 1);
    if (level == 0) add_level(repeat, 4);
  }
}

/// Repetitions are launches like the first, so that they tell a launch from what a run takes beside it, and no more.
void PointFinder::add_passes(const KernelProbe& probe, std::uint64_t bytes, double once) {
  const double most = std::floor(std::min(kLongestLaunch, 2 * longest_run_) / once);
  const double levels[] = {1, std::floor(std::sqrt(most)), std::min(most, 256.0)};
  double before = 0;
  for (const double level : levels) {
    if (level <= before) continue;
    before = level;
    const Command command{Subject::kernel, bytes, static_cast<std::uint64_t>(level), core::MemoryKind::pinned, 1};
    add({sample_of(Part::kernel, command, &probe), {&probe, {command}, false, -1}});
  }
}

void PointFinder::add_fill(const KernelProbe& probe, std::uint64_t bytes) {
  Command command{Subject::kernel, bytes, 1, core::MemoryKind::pinned, 1};
  if (const std::optional<Command> longer = launch_of_length(probe, bytes, 1e-3)) command = *longer;
  Block block;
  // Three, because two and four at a time do not tell launches that fill a half from those that fill a little less.
  for (std::size_t lanes = 1; lanes <= kMostSideBySide; ++lanes) {
    Experiment experiment{sample_of(Part::fill, command, &probe), {&probe, {}, false, -1}};
    experiment.sample.count = static_cast<std::uint32_t>(lanes);
    experiment.load.lanes.assign(lanes, command);
    block.push_back(std::move(experiment));
  }
  blocks_.push_back(std::move(block));
}

/// How many times as long as one launch over `bytes` four side by side take; nothing where launches are too short for
/// it.
std::optional<double> PointFinder::stretch_of(const KernelProbe& probe, std::uint64_t bytes) {
  const std::optional<Command> command = launch_of_length(probe, bytes, kSideBySide);
  if (!command) return std::nullopt;
  const double one = work_time(*command, &probe);
  if (one < kShortestSideBySide * launch_of(probe, *command).passes) return std::nullopt;
  const Workload together{&probe, std::vector<Command>(kMostSideBySide, *command), false, -1};
  return (quick(together) - overhead_) / one;
}

/// Small launches: the smallest, and from the last size at which none waits for another to the first at which all do.
/// Where those of the smallest wait, as on a device that runs one kernel at a time, there is no more to find.
void PointFinder::add_small(const KernelProbe& probe) {
  struct Size {
    std::uint64_t bytes;
    double stretch;
  };
  std::vector<Size> sizes;
  for (const std::uint64_t bytes : kSmallBuffers) {
    if (bytes > most_bytes_) break;
    std::optional<double> stretch;
    attempt("side by side, " + kernel_text(probe, bytes), [&] { stretch = stretch_of(probe, bytes); });
    if (!stretch) continue;
    sizes.push_back({bytes, *stretch});
    if (*stretch >= kAllWait) break;
  }
  const bool overlap = !sizes.empty() && sizes.front().stretch < kAllWait;
  const auto measure = [&](const Size& size) {
    add_fill(probe, size.bytes);
    if (overlap && wants(Part::kernel)) add_small_launches(probe, size.bytes);
  };
  std::size_t at = 0;
  while (at + 1 < sizes.size() && sizes[at + 1].stretch < kNoneWaits) ++at;
  if (at > 0) measure(sizes.front());
  const std::size_t end = std::min<std::size_t>(sizes.size(), at + (brief_ ? 2 : 4));
  for (; at < end; ++at) measure(sizes[at]);
}

/// The time of small launches themselves, which is not that of the part of a large one.
void PointFinder::add_small_launches(const KernelProbe& probe, std::uint64_t bytes) {
  const std::optional<Command> middle = launch_of_length(probe, bytes, kSideBySide);
  if (!middle || repeats_by_launches(probe, bytes)) return;
  for (const double factor : {0.125, 1.0, 4.0}) {
    Command command = *middle;
    command.repeat = static_cast<std::uint64_t>(std::ceil(static_cast<double>(middle->repeat) * factor));
    add({sample_of(Part::kernel, command, &probe), {&probe, {command}, false, -1}});
  }
}

void PointFinder::add_engines() {
  const Command up = transfer_of(Subject::htod, kBusyLength);
  const Command down = transfer_of(Subject::dtoh, kBusyLength);
  Block block;
  block.push_back({sample_of(Part::engines, up, nullptr), {nullptr, {up}, false, -1}});
  block.push_back({sample_of(Part::engines, down, nullptr), {nullptr, {down}, false, -1}});
  Experiment both{sample_of(Part::engines, up, nullptr), {nullptr, {up, down}, false, -1}};
  both.sample.active =
      static_cast<core::ActivitySet>(core::bit(core::ActivityClass::htod) | core::bit(core::ActivityClass::dtoh));
  block.push_back(std::move(both));
  blocks_.push_back(std::move(block));
}

bool PointFinder::two_engines() {
  const Command up = transfer_of(Subject::htod, kBusyLength);
  const Command down = transfer_of(Subject::dtoh, kBusyLength);
  const double a = work_time(up, nullptr), b = work_time(down, nullptr);
  const double both = std::max(1e-9, quick({nullptr, {up, down}, false, -1}) - overhead_);
  return a + b - both > 0.5 * std::min(a, b);
}

void PointFinder::add_interference() {
  const bool two = two_engines();
  if (!two) notes_.push_back("opposite transfers take turns, so how they slow each other is not measured");
  constexpr std::array<Subject, 3> kSubjects = {Subject::htod, Subject::dtoh, Subject::kernel};
  const KernelProbe* probe = probes_.empty() ? nullptr : &probes_.front();
  const std::uint64_t buffer = std::min(kInterferenceBuffer, most_bytes_ / 4 * 4);
  for (std::size_t s = 0; s < kSubjects.size(); ++s) {
    if (kSubjects[s] == Subject::kernel && probe == nullptr) continue;
    for (const double seconds : kLengths) {
      if (brief_ && seconds > kBusyLength) continue;
      Command measured{Subject::kernel, buffer, 1, core::MemoryKind::pinned, 1};
      if (kSubjects[s] != Subject::kernel) {
        measured = transfer_of(kSubjects[s], seconds);
      } else if (const auto launch = launch_of_length(*probe, buffer, seconds)) {
        measured = *launch;
      }
      Block block;
      Experiment alone{sample_of(Part::interference, measured, probe), {probe, {measured}, false, 0}};
      alone.sample.active = core::bit(activity_of(kSubjects[s]));
      block.push_back(alone);
      for (unsigned set = 1; set < 8; ++set) {
        const auto active = static_cast<core::ActivitySet>(set);
        const bool opposite = (set & 3U) == 3U;
        const bool has_kernel = (set & 4U) != 0;
        if ((active & alone.sample.active) == 0 || active == alone.sample.active) continue;
        if ((opposite && !two) || (has_kernel && probe == nullptr)) continue;
        add_company(s, measured, active, block);
      }
      blocks_.push_back(std::move(block));
    }
  }
}

void PointFinder::add_company(std::size_t subject, const Command& measured, core::ActivitySet set, Block& block) {
  const KernelProbe* probe = probes_.empty() ? nullptr : &probes_.front();
  const std::uint64_t buffer = std::min(kInterferenceBuffer, most_bytes_ / 4 * 4);
  Experiment experiment{sample_of(Part::interference, measured, probe), {probe, {measured}, false, 0}};
  experiment.sample.active = set;
  const double own = work_time(measured, probe);
  for (std::size_t other = 0; other < 3; ++other) {
    if (other == subject || (set >> other & 1U) == 0) continue;
    Command busy{Subject::kernel, buffer, 1, core::MemoryKind::pinned, 1};
    if (other < 2) {
      busy = transfer_of(static_cast<Subject>(other), kBusyLength);
    } else if (const auto launch = launch_of_length(*probe, buffer, kBusyLength)) {
      busy = *launch;
    }
    busy.count = static_cast<std::uint32_t>(std::clamp(std::ceil(1.5 * own / work_time(busy, probe)) + 1, 2.0, 64.0));
    experiment.load.lanes.push_back(busy);
  }
  lengthen_company(experiment);
  block.push_back(std::move(experiment));
}

/// Slowed, the measured command may outlast the others: give them more to do until it does not.
void PointFinder::lengthen_company(Experiment& experiment) {
  for (int tries = 0; tries < 3; ++tries) {
    Prepared prepared(executor_, experiment.load, filled_);
    prepared.interval(fixed_);
    const Timed timed = prepared.interval(fixed_);
    if (timed.outside < 0.03 * timed.seconds) return;
    for (std::size_t lane = 1; lane < experiment.load.lanes.size(); ++lane) {
      std::uint32_t& count = experiment.load.lanes[lane].count;
      count = std::min(2 * count, 256U);
    }
  }
}

}  // namespace forelap::calibrate
