// How much of a device a launch occupies: from equal launches side by side.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "calibrate/fit_parts.hpp"
#include "core/number_text.hpp"
#include "models/kernel.hpp"

namespace forelap::calibrate {
namespace {

/// Launches side by side that take more than this part of the time of one after the other each occupy all of the
/// device.
constexpr double kWhole = 0.97;
/// Those that take less than this part of what large ones would leave room, whatever the noise.
constexpr double kLeavesRoom = 0.8;
/// Of kernels in passes: the most of a launch's time that may be its start where what is left tells how much of the
/// device a large launch occupies, and where it tells whether a small one leaves room. A start overlaps what runs on
/// other lanes, whatever that occupies.
constexpr double kLongLaunch = 0.25;
constexpr double kMediumLaunch = 0.5;

/// `lanes` equal launches over `items`, and how many times as long as one they take together.
struct SideBySide {
  double items = 0, work = 0, lanes = 0;
  double stretch = 1;  ///< from 1 (none waits) to `lanes` (one after the other); of rows, by what is not start alone
  double start = 0;    ///< part of one lane's time that its launches' start takes; 0 where it is a single long launch
  double noise = 0;    ///< relative
  std::uint32_t samples = 0;
};

/// Seconds that one more of the smallest launches of all adds to a row of them; infinite where not measured.
double smallest_launch(std::span<const Sample> samples) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    if (s.part == Part::latency && s.subject == Subject::kernel) chosen.push_back(s);
  }
  const std::vector<Point> points = group(chosen);
  const auto fewer = [](const Point& a, const Point& b) { return a.what.count < b.what.count; };
  const auto [least, most] = std::minmax_element(points.begin(), points.end(), fewer);
  if (points.empty() || least->what.count == most->what.count) return HUGE_VAL;
  return std::max(0.0, (most->median() - least->median()) / (most->what.count - least->what.count));
}

/// Seconds of one launch of a kernel in passes, by its items, from makespans of many in a row.
class PassTimes {
 public:
  PassTimes(std::span<const Sample> samples, const std::string& kernel, double overhead)
      : smallest_launch_(smallest_launch(samples)) {
    std::vector<Sample> chosen;
    for (const Sample& s : samples) {
      if (s.part == Part::kernel && s.kernel == kernel && s.count > 1) chosen.push_back(s);
    }
    for (const Point& p : group(chosen)) add(p, (p.median() - overhead) / p.what.count);
    std::sort(times_.begin(), times_.end(), [](const Time& a, const Time& b) { return a.items < b.items; });
  }

  /// Of launches over so many items; nothing where they were not measured.
  [[nodiscard]] std::optional<double> seconds(double items, double work) const {
    for (const Time& t : times_) {
      if (t.items == items && t.work == work) return t.seconds;
    }
    return std::nullopt;
  }

  /// What every launch takes, however small: the line through the smallest and the largest at no items. Where launches
  /// that fill a part of the device take as long as those that just fill it, that is too much: no more than the
  /// smallest of any kernel.
  [[nodiscard]] double start() const { return std::min(smallest_launch_, own_start()); }

 private:
  [[nodiscard]] double own_start() const {
    if (times_.empty()) return 0;
    const Time &small = times_.front(), &large = times_.back();
    if (large.items <= small.items) return 0;
    const double per_item = std::max(0.0, (large.seconds - small.seconds) / (large.items - small.items));
    return std::max(0.0, small.seconds - per_item * small.items);
  }

  struct Time {
    double items, work, count, seconds;
  };

  /// Of few launches a row's time is that of the run as much as theirs; of several rows with many, the shortest holds,
  /// since the host may fall behind in handing over very long ones.
  void add(const Point& p, double seconds) {
    constexpr double kMany = 8;
    const double count = std::min<double>(p.what.count, kMany);
    for (Time& t : times_) {
      if (t.items != p.what.items || t.work != p.what.work) continue;
      const bool better = count > t.count || (count == t.count && seconds < t.seconds);
      if (better) t = {t.items, t.work, count, seconds};
      return;
    }
    times_.push_back({p.what.items, p.what.work, count, seconds});
  }

  std::vector<Time> times_;
  double smallest_launch_;
};

/// Seconds of `solo`, one lane's time, that are its launches' start where it is a row of launches.
double start_in(const Point& alone, double solo, const PassTimes& passes) {
  const std::optional<double> each = passes.seconds(alone.what.items, alone.what.work);
  if (!each || *each <= 0) return 0;
  const double launches = std::round(solo / *each);
  return launches < 2 ? 0 : std::min(solo, launches * passes.start());
}

std::vector<SideBySide> side_by_side(std::span<const Sample> samples, const std::string& kernel, double overhead) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    if (s.part == Part::fill && s.kernel == kernel) chosen.push_back(s);
  }
  const PassTimes passes(samples, kernel, overhead);
  std::vector<SideBySide> found;
  const std::vector<Point> points = group(chosen);
  for (const Point& alone : points) {
    const double solo = alone.median() - overhead;
    if (alone.what.count != 1 || solo <= 0) continue;
    const double start = start_in(alone, solo, passes);
    const double least = 1e-3 * solo;  // all of it start: no stretch can be told
    for (const Point& p : points) {
      if (p.what.work != alone.what.work || p.what.items != alone.what.items || p.what.count < 2) continue;
      const double lanes = p.what.count;
      const Point both[] = {alone, p};
      const double stretch = (p.median() - overhead) / std::max(solo - start, least);
      found.push_back({p.what.items, p.what.work, lanes, std::clamp(stretch, 1.0, lanes), start / solo,
                       std::hypot(alone.noise, p.noise), count_samples(both)});
    }
  }
  // Of each size the most lanes last.
  std::sort(found.begin(), found.end(), [](const SideBySide& a, const SideBySide& b) {
    return std::tie(a.items, a.work, a.lanes) < std::tie(b.items, b.work, b.lanes);
  });
  return found;
}

bool same_size(const SideBySide& a, const SideBySide& b) {
  return a.items == b.items && a.work == b.work;
}

/// Those in which the launches' start takes no more than `part`.
std::vector<SideBySide> longer_than_start(const std::vector<SideBySide>& found, double part) {
  std::vector<SideBySide> longer;
  std::copy_if(found.begin(), found.end(), std::back_inserter(longer),
               [&](const SideBySide& s) { return s.start <= part; });
  return longer;
}

/// The stretches found with the most lanes at each size, largest size first: "4 take 3.98 at 2.273e+07 items".
std::string stretches_text(const std::vector<SideBySide>& found) {
  std::string text;
  for (std::size_t i = found.size(); i-- > 0;) {
    if (i + 1 < found.size() && same_size(found[i + 1], found[i])) continue;
    text += (text.empty() ? "" : ", ") + core::significant(found[i].lanes, 2) + " take " +
            core::significant(found[i].stretch, 3) + " at " + core::significant(found[i].items, 4) + " items";
  }
  const bool in_passes = std::any_of(found.begin(), found.end(), [](const SideBySide& s) { return s.start > 0; });
  return text + (in_passes ? "; by what is not the start of launches" : "");
}

/// Single launches wait by the order of their start. In rows each launch queues up anew, so that the device is never
/// idle where they want all of it, and no row is faster than one alone.
double predicted_stretch(const SideBySide& s, double fill) {
  if (s.start > 0) return std::clamp(s.lanes * fill, std::min(s.lanes, 1 / (1 - s.start)), s.lanes);
  return models::side_by_side_stretch(fill, static_cast<std::uint32_t>(s.lanes));
}

/// How far, as a logarithm, a stretch is from the one that a fill foretells.
double off(const SideBySide& s, double fill) {
  return std::log(s.stretch / predicted_stretch(s, fill));
}

/// The logarithm between `low` and `high` at which the sum of squares `misfit` of `count` stretches is least, and half
/// the width of the range where it is, but for noise: some sizes and parts cannot be told from others.
template <class Misfit>
std::pair<double, double> least(double low, double high, std::size_t count, const Misfit& misfit) {
  constexpr int kSteps = 1000;
  const double noise = static_cast<double>(count) * kNoiseFloor * kNoiseFloor;
  const auto at = [&](int step) { return low + (high - low) * step / kSteps; };
  std::vector<double> values;
  for (int step = 0; step <= kSteps; ++step) values.push_back(misfit(std::exp(at(step))));
  const double smallest = *std::min_element(values.begin(), values.end());
  int first = kSteps, last = 0;
  for (int step = 0; step <= kSteps; ++step) {
    if (values[static_cast<std::size_t>(step)] > smallest + noise) continue;
    first = std::min(first, step);
    last = std::max(last, step);
  }
  return {(at(first) + at(last)) / 2, (at(last) - at(first)) / 2};
}

/// `value` with a spread, relative, from what is left unexplained in `used` and from the range that is left open.
template <class Off>
core::Parameter parameter_of(double value, double half_range, const std::vector<SideBySide>& used, const Off& off_of,
                             const std::string& how) {
  core::Parameter parameter{value, 0, 0, false, how};
  double squares = 0;
  for (const SideBySide& s : used) {
    parameter.samples += s.samples;
    squares += std::pow(off_of(s), 2) + s.noise * s.noise;
  }
  const double scatter = used.empty() ? 0 : std::sqrt(squares / static_cast<double>(used.size()));
  parameter.spread = value * std::hypot(scatter, half_range / std::sqrt(3));
  return parameter;
}

core::Parameter fill_of(const std::vector<SideBySide>& found, const std::string& how) {
  // A larger launch occupies no less than a smaller one, so the most of all is what the largest does. With few lanes a
  // part below 1 / lanes does not show.
  const auto shows_less = [](const SideBySide& a, const SideBySide& b) {
    return std::tie(a.lanes, a.stretch) < std::tie(b.lanes, b.stretch);
  };
  const SideBySide& most = *std::max_element(found.begin(), found.end(), shows_less);
  std::vector<SideBySide> used;
  std::copy_if(found.begin(), found.end(), std::back_inserter(used),
               [&](const SideBySide& s) { return same_size(s, most); });
  const auto misfit = [&](double fill) {
    double sum = 0;
    for (const SideBySide& s : used) sum += off(s, fill) * off(s, fill);
    return sum;
  };
  auto [fill, half_range] = least(std::log(1 / most.lanes), 0, used.size(), misfit);
  if (most.stretch > kWhole * most.lanes) fill = half_range = 0;
  const double value = std::exp(fill);
  core::Parameter result = parameter_of(
      value, half_range, used, [value](const SideBySide& s) { return off(s, value); },
      how + ", times as long as one: " + stretches_text(found));
  // What noise can explain is no room.
  if (1 - result.value <= 2 * result.spread) result.value = 1;
  return result;
}

/// Where launches of a kernel in passes were too short to tell: what large ones do is not to be seen in how starts
/// overlap, and most fill the device.
core::Parameter unknown_fill(const std::vector<SideBySide>& found, const std::string& kernel, Warnings& warnings) {
  const auto longest = std::min_element(found.begin(), found.end(),
                                        [](const SideBySide& a, const SideBySide& b) { return a.start < b.start; });
  const std::string why = "launches side by side were too short: at least " +
                          core::significant(100 * longest->start, 2) + " % of the time of each is its start";
  warnings.push_back("kernel \"" + kernel + "\": " + why +
                     ", which overlaps whatever they occupy; fill is taken as 1, as if a large one left no room");
  return {1, 0, 0, true, "not measured, " + why + "; taken as the whole device"};
}

core::Parameter full_items_of(const std::vector<SideBySide>& found, double fill, const std::string& how) {
  if (found.empty()) return {};
  const auto leaves_room = [&](const SideBySide& s) {
    return s.items < found.back().items && s.stretch < kLeavesRoom * predicted_stretch(s, fill);
  };
  if (!std::any_of(found.begin(), found.end(), leaves_room)) return {};
  const auto off_of = [&](const SideBySide& s, double full_items) {
    return off(s, fill * std::min(1.0, s.items / full_items));
  };
  const auto misfit = [&](double full_items) {
    double sum = 0;
    for (const SideBySide& s : found) sum += off_of(s, full_items) * off_of(s, full_items);
    return sum;
  };
  const auto [best, half_range] =
      least(std::log(found.front().items), std::log(found.back().items), found.size(), misfit);
  const double value = std::exp(best);
  // Launches that fill the device, and those of which all have room, say nothing of where between them the bend lies.
  std::vector<SideBySide> used;
  std::copy_if(found.begin(), found.end(), std::back_inserter(used), [&](const SideBySide& s) {
    return s.items < value && predicted_stretch(s, fill * s.items / value) > 1;
  });
  core::Parameter full = parameter_of(
      value, half_range, used, [&](const SideBySide& s) { return off_of(s, value); }, how);
  full.samples = 0;
  for (const SideBySide& s : found) full.samples += s.samples;
  return full;
}

}  // namespace

Occupied fit_fill(std::span<const Sample> samples, const std::string& kernel, double overhead, const std::string& how,
                  Warnings& warnings) {
  Occupied occupied;
  const std::vector<SideBySide> found = side_by_side(samples, kernel, overhead);
  if (found.empty()) {
    occupied.fill = {1, 0, 0, true, "not measured: taken as the whole device"};
    return occupied;
  }
  const std::vector<SideBySide> large = longer_than_start(found, kLongLaunch);
  occupied.fill = large.empty() ? unknown_fill(found, kernel, warnings) : fill_of(large, how);
  occupied.full_items = full_items_of(longer_than_start(found, kMediumLaunch), occupied.fill.value, how);
  return occupied;
}

}  // namespace forelap::calibrate
