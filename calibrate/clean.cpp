#include "calibrate/clean.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

/// A sample this many times off its neighbours is broken, not noisy.
constexpr double kGrossRatio = 3;
/// The first of several samples of a point is called cold when it is this many times the others.
constexpr double kColdRatio = 5;

std::string seconds_text(double seconds) {
  return core::display_quantity(seconds, core::Dimension::time);
}

std::string times_text(double ratio) {
  return core::significant(ratio, 3) + " times";
}

using Key =
    std::tuple<Part, Subject, core::MemoryKind, core::ActivitySet, std::string, double, double, double, std::uint32_t>;

Key key_of(const Sample& s) {
  return {s.part, s.subject, s.memory, s.active, s.kernel, s.bytes, s.work, s.items, s.count};
}

/// Positions of the samples of each point, in the order given.
std::vector<std::vector<std::size_t>> positions(std::span<const Sample> samples) {
  std::map<Key, std::size_t> index;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto [at, is_new] = index.try_emplace(key_of(samples[i]), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(i);
  }
  return groups;
}

/// What was taken out for one reason, told in one line.
class Removed {
 public:
  void add(const Sample& sample, double ratio) {
    ++number_;
    if (ratio > worst_) {
      worst_ = ratio;
      where_ = describe(sample);
    }
  }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  std::size_t number_ = 0;
  double worst_ = 0;
  std::string where_;
};

std::vector<Sample> keep(std::span<const Sample> samples, const std::vector<bool>& dropped) {
  std::vector<Sample> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!dropped[i]) kept.push_back(samples[i]);
  }
  return kept;
}

std::vector<double> times_of(std::span<const Sample> samples, std::span<const std::size_t> members) {
  std::vector<double> times;
  for (const std::size_t i : members) times.push_back(samples[i].seconds);
  return times;
}

std::vector<Sample> drop_cold(std::span<const Sample> samples, Warnings& warnings) {
  std::vector<bool> dropped(samples.size(), false);
  Removed cold;
  for (const std::vector<std::size_t>& members : positions(samples)) {
    std::vector<double> warm;
    for (const std::size_t i : members) {
      if (samples[i].round != 0) warm.push_back(samples[i].seconds);
    }
    const bool marked = warm.size() < members.size();
    if (!marked && members.size() > 2) {
      const double first = warm.front();
      warm.erase(warm.begin());
      if (first <= kColdRatio * *std::max_element(warm.begin(), warm.end())) continue;
      dropped[members.front()] = true;
      cold.add(samples[members.front()], first / core::median(warm));
    }
    for (const std::size_t i : members) {
      if (samples[i].round != 0) continue;
      dropped[i] = true;
      if (!warm.empty()) cold.add(samples[i], samples[i].seconds / core::median(warm));
    }
  }
  if (cold.worst() > 2) {
    warnings.push_back("cold first runs are left out (" + std::to_string(cold.number()) + "); the worst, " +
                       cold.where() + ", took " + times_text(cold.worst()) + " as long as the later ones");
  }
  std::vector<Sample> kept = keep(samples, dropped);
  if (kept.empty() && !samples.empty()) {
    core::throw_bad_input("every sample is a cold first run (round 0); measure each point at least twice");
  }
  return kept;
}

std::vector<Sample> drop_zero(std::span<const Sample> samples, Warnings& warnings) {
  std::vector<bool> dropped(samples.size(), false);
  Removed zero;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    dropped[i] = samples[i].seconds <= 0;
    if (dropped[i]) zero.add(samples[i], 1);
  }
  if (zero.number() == 0) return {samples.begin(), samples.end()};
  if (zero.number() == samples.size()) {
    core::throw_bad_input("every duration is zero: the clock stands still; measure with a working clock, or with " +
                          std::string("larger sizes"));
  }
  warnings.push_back("stalled clock: " + std::to_string(zero.number()) + " of " + std::to_string(samples.size()) +
                     " durations are zero and left out, among them " + zero.where());
  return keep(samples, dropped);
}

/// The step of the clock, where all times are whole multiples of one step and few values occur.
std::optional<double> clock_step(std::span<const Sample> samples) {
  if (samples.size() < 5) return std::nullopt;
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.seconds);
  std::sort(values.begin(), values.end());
  double step = values.front();
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double gap = values[i] - values[i - 1];
    if (gap <= 1e-6 * values[i]) continue;
    ++distinct;
    step = std::min(step, gap);
  }
  // Two values are always multiples of something; a coarse clock shows itself by values of few steps, or by many that
  // come again.
  const bool few_steps = values.front() < 3.5 * step;
  if (distinct == values.size() || (distinct < 3 && !few_steps)) return std::nullopt;
  for (const double value : values) {
    const double multiple = value / step;
    // A clock of 15.625 ms written with three digits is a multiple to within a digit only.
    if (std::abs(multiple - std::round(multiple)) > std::min(0.1, 0.02 + 1e-3 * multiple) || multiple > 1e4)
      return std::nullopt;
  }
  return step;
}

std::vector<Sample> drop_too_short(std::span<const Sample> samples, Warnings& warnings) {
  constexpr double kLeastSteps = 20;  // half a step of rounding is then 2.5 %
  const std::optional<double> step = clock_step(samples);
  if (!step) return {samples.begin(), samples.end()};
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.seconds);
  if (*step < 0.01 * core::quantile(values, 0.1)) return {samples.begin(), samples.end()};
  std::vector<bool> dropped(samples.size(), false);
  std::size_t number = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    dropped[i] = samples[i].seconds < kLeastSteps * *step;
    number += dropped[i] ? 1 : 0;
  }
  const std::string clock = "the clock that took these times steps by " + seconds_text(*step);
  const std::string wish = "times of at least " + seconds_text(kLeastSteps * *step) + " are needed";
  if (number == samples.size()) {
    core::throw_bad_input(clock + ", too coarse for every one of them; " + wish +
                          ": measure larger sizes or many commands at once (count)");
  }
  warnings.push_back(clock + "; " + wish + ", so " + std::to_string(number) + " of " + std::to_string(samples.size()) +
                     " are left out");
  return keep(samples, dropped);
}

/// Outliers among the samples of one point: far from the median by the median absolute deviation, and grossly.
void mark_by_deviation(std::span<const Sample> samples, std::vector<bool>& dropped, Removed& outliers) {
  for (const std::vector<std::size_t>& members : positions(samples)) {
    if (members.size() < 3) continue;
    const std::vector<double> times = times_of(samples, members);
    const double middle = core::median(times);
    const double allowed = std::max(8 * core::robust_deviation(times), 0.5 * middle);
    for (const std::size_t i : members) {
      if (std::abs(samples[i].seconds - middle) <= allowed) continue;
      dropped[i] = true;
      outliers.add(samples[i], std::max(samples[i].seconds / middle, middle / samples[i].seconds));
    }
  }
}

/// How far the time of `at` is above (or, below 1, under) what `other`, of the same series, allows: a time grows with
/// the size, and at most in proportion to it.
double excess(const Sample& at, const Sample& other) {
  const double ratio = at.seconds / other.seconds;
  const double size = at.bytes / other.bytes;
  const double most = std::max(1.0, size), least = std::min(1.0, size);
  if (ratio > most) return ratio / most;
  return ratio < least ? ratio / least : 1;
}

/// Outliers in a series of sizes with one or two samples each: off against most of up to four neighbours.
void mark_by_neighbours(std::span<const Sample> samples, std::vector<bool>& dropped, Removed& outliers) {
  std::map<Key, std::vector<std::size_t>> series;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Sample s = samples[i];
    if (s.part != Part::transfer || s.bytes <= 0) continue;
    s.bytes = 0;
    series[key_of(s)].push_back(i);
  }
  for (auto& [key, members] : series) {
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return samples[a].bytes < samples[b].bytes; });
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::size_t first = m < 2 ? 0 : m - 2, last = std::min(m + 3, members.size());
      std::vector<double> off;
      for (std::size_t n = first; n < last; ++n) {
        if (n != m) off.push_back(excess(samples[members[m]], samples[members[n]]));
      }
      if (off.size() < 2) continue;
      // All but one of the neighbours must agree: the one may be the broken sample itself.
      const auto agree = static_cast<std::ptrdiff_t>(std::max<std::size_t>(2, off.size() - 1));
      const bool high = std::count_if(off.begin(), off.end(), [](double x) { return x > kGrossRatio; }) >= agree;
      const bool low = std::count_if(off.begin(), off.end(), [](double x) { return x < 1 / kGrossRatio; }) >= agree;
      if (!high && !low) continue;
      const double middle = core::median(off);
      if (dropped[members[m]]) continue;
      dropped[members[m]] = true;
      outliers.add(samples[members[m]], std::max(middle, 1 / middle));
    }
  }
}

std::vector<Sample> drop_outliers(std::span<const Sample> samples, Warnings& warnings) {
  std::vector<bool> dropped(samples.size(), false);
  Removed outliers;
  mark_by_deviation(samples, dropped, outliers);
  mark_by_neighbours(samples, dropped, outliers);
  if (outliers.number() > 0) {
    warnings.push_back("outliers are left out (" + std::to_string(outliers.number()) + "); the worst, " +
                       outliers.where() + ", is off by " + times_text(outliers.worst()));
  }
  return keep(samples, dropped);
}

void warn_of_noise(std::span<const Sample> samples, Warnings& warnings) {
  constexpr double kNoisy = 0.1;
  std::vector<double> noises;
  for (const Point& p : group(samples)) {
    if (p.seconds.size() > 2) noises.push_back(p.noise);
  }
  if (noises.empty() || core::median(noises) < kNoisy) return;
  warnings.push_back("times of the same command scatter by " + core::significant(100 * core::median(noises), 2) +
                     " % (median over the points): something else uses the machine, or its clocks change; predictions "
                     "will be as uncertain");
}

}  // namespace

std::vector<Sample> clean(std::span<const Sample> samples, Warnings& warnings) {
  std::vector<Sample> kept = drop_cold(samples, warnings);
  kept = drop_zero(kept, warnings);
  kept = drop_too_short(kept, warnings);
  kept = drop_outliers(kept, warnings);
  warn_of_noise(kept, warnings);
  return kept;
}

double Point::median_noise(double floor) const {
  // The median of n normal samples scatters 1.25 times as far as their mean.
  return std::max(floor, 1.25 * noise / std::sqrt(static_cast<double>(seconds.size())));
}

namespace {

/// A few samples of one point may agree by chance: its noise is at least what is usual, relative to the time or in
/// seconds, whichever asks for less (short times scatter by more of themselves, long ones by more seconds).
void raise_to_usual_noise(std::vector<Point>& points) {
  std::vector<double> relative, seconds;
  for (const Point& p : points) {
    if (p.seconds.size() < 2) continue;
    relative.push_back(p.noise);
    seconds.push_back(p.noise * p.median());
  }
  if (relative.empty()) return;
  const double usual = core::median(relative), usual_seconds = core::median(seconds);
  for (Point& p : points) p.noise = std::max(p.noise, std::min(usual, usual_seconds / p.median()));
}

}  // namespace

std::vector<Point> group(std::span<const Sample> samples) {
  std::vector<Point> points;
  for (const std::vector<std::size_t>& members : positions(samples)) {
    Point point;
    point.what = samples[members.front()];
    point.seconds = times_of(samples, members);
    for (const std::size_t i : members) point.rounds.push_back(samples[i].round);
    point.what.seconds = core::median(point.seconds);
    point.noise = core::robust_deviation(point.seconds) / point.what.seconds;
    points.push_back(std::move(point));
  }
  raise_to_usual_noise(points);
  return points;
}

double round_deviation(std::span<const Point> points) {
  std::map<std::uint32_t, std::vector<double>> by_round;
  for (const Point& p : points) {
    for (std::size_t i = 0; i < p.seconds.size(); ++i) by_round[p.rounds[i]].push_back(p.seconds[i] / p.median());
  }
  std::vector<double> rounds;
  for (const auto& [round, ratios] : by_round) rounds.push_back(core::median(ratios));
  return core::standard_deviation(rounds);
}

}  // namespace forelap::calibrate
