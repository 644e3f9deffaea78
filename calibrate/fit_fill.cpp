// How much of a device a launch occupies: from equal launches side by side.

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "calibrate/fit_parts.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

/// Above it a launch is taken to occupy all of the device: launches that do not wait for each other are a little slower
/// side by side than their parts add up to.
constexpr double kWhole = 0.97;
/// Launches side by side that take less than this part of what full ones would leave room, whatever the noise.
constexpr double kLeavesRoom = 0.8;

/// `lanes` equal launches over `items`, and how many times as long as one they take together.
struct SideBySide {
  double items = 0, work = 0, lanes = 0;
  double stretch = 1;  ///< from 1 (none waits) to `lanes` (one after the other)
  double noise = 0;    ///< relative
  std::uint32_t samples = 0;
};

std::vector<SideBySide> side_by_side(std::span<const Sample> samples, const std::string& kernel, double overhead) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    if (s.part == Part::fill && s.kernel == kernel) chosen.push_back(s);
  }
  std::vector<SideBySide> found;
  const std::vector<Point> points = group(chosen);
  for (const Point& alone : points) {
    const double solo = alone.median() - overhead;
    if (alone.what.count != 1 || solo <= 0) continue;
    for (const Point& p : points) {
      if (p.what.work != alone.what.work || p.what.items != alone.what.items || p.what.count < 2) continue;
      const double lanes = p.what.count;
      const Point both[] = {alone, p};
      found.push_back({p.what.items, p.what.work, lanes, std::clamp((p.median() - overhead) / solo, 1.0, lanes),
                       std::hypot(alone.noise, p.noise), count_samples(both)});
    }
  }
  // Of each size the most lanes last.
  std::sort(found.begin(), found.end(), [](const SideBySide& a, const SideBySide& b) {
    return std::tie(a.items, a.work, a.lanes) < std::tie(b.items, b.work, b.lanes);
  });
  return found;
}

double part_of(const SideBySide& s) {
  return s.stretch / s.lanes;
}

/// The parts found with the most lanes at each size, largest size first.
std::string parts_text(const std::vector<SideBySide>& found) {
  std::string text;
  for (std::size_t i = found.size(); i-- > 0;) {
    const bool most =
        i + 1 == found.size() || found[i + 1].items != found[i].items || found[i + 1].work != found[i].work;
    if (!most) continue;
    text += (text.empty() ? "" : ", ") + core::significant(part_of(found[i]), 3) + " at " +
            core::significant(found[i].items, 4) + " items";
  }
  return text;
}

double predicted_stretch(const SideBySide& s, double fill, double full_items) {
  return std::max(1.0, s.lanes * fill * std::min(1.0, s.items / full_items));
}

/// Sum of squares of how far, as logarithms, the stretches are from those that `full_items` foretells.
double misfit(const std::vector<SideBySide>& found, double fill, double full_items) {
  double sum = 0;
  for (const SideBySide& s : found) {
    const double off = std::log(s.stretch / predicted_stretch(s, fill, full_items));
    sum += off * off;
  }
  return sum;
}

/// Where `misfit` is least, as a stretch of logarithms: sizes between which the bend lies leave it open where.
std::pair<double, double> least_misfit(const std::vector<SideBySide>& found, double fill) {
  constexpr int kSteps = 1000;
  const double low = std::log(found.front().items), high = std::log(found.back().items);
  const auto at = [&](int step) { return low + (high - low) * step / kSteps; };
  std::vector<double> values;
  for (int step = 0; step <= kSteps; ++step) values.push_back(misfit(found, fill, std::exp(at(step))));
  const double least = *std::min_element(values.begin(), values.end());
  int first = kSteps, last = 0;
  for (int step = 0; step <= kSteps; ++step) {
    if (values[static_cast<std::size_t>(step)] > least + 1e-9) continue;
    first = std::min(first, step);
    last = std::max(last, step);
  }
  return {at(first), at(last)};
}

core::Parameter full_items_of(const std::vector<SideBySide>& found, double fill, const std::string& how) {
  core::Parameter full;
  const auto leaves_room = [&](const SideBySide& s) {
    return s.items < found.back().items && s.lanes * fill > 1 && s.stretch < kLeavesRoom * s.lanes * fill;
  };
  if (!std::any_of(found.begin(), found.end(), leaves_room)) return full;
  const auto [low, high] = least_misfit(found, fill);
  full.value = std::exp((low + high) / 2);
  // What each launch that shares says of it.
  double squares = 0;
  std::size_t sharing = 0;
  for (const SideBySide& s : found) {
    full.samples += s.samples;
    const double expected = predicted_stretch(s, fill, full.value);
    if (expected <= 1 || s.items >= full.value) continue;
    squares += std::pow(std::log(s.stretch / expected), 2) + s.noise * s.noise;
    ++sharing;
  }
  const double scatter = sharing == 0 ? 0 : std::sqrt(squares / static_cast<double>(sharing));
  full.spread = full.value * std::hypot(scatter, (high - low) / std::sqrt(12));
  full.how = how;
  return full;
}

}  // namespace

Occupied fit_fill(std::span<const Sample> samples, const std::string& kernel, double overhead, const std::string& how) {
  Occupied occupied;
  const std::vector<SideBySide> found = side_by_side(samples, kernel, overhead);
  if (found.empty()) {
    occupied.fill = {1, 0, 0, true, "not measured: taken as the whole device"};
    return occupied;
  }
  const SideBySide& largest = found.back();
  const double part = part_of(largest);
  occupied.fill = {part > kWhole ? 1 : part, largest.noise * part, 0, false, how + ": " + parts_text(found)};
  for (const SideBySide& s : found) {
    if (s.items == largest.items && s.work == largest.work) occupied.fill.samples += s.samples;
  }
  occupied.full_items = full_items_of(found, occupied.fill.value, how);
  return occupied;
}

}  // namespace forelap::calibrate
