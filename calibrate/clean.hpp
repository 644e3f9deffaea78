#pragma once
// From raw samples to points that can be fitted: what is broken is taken out and named, never hidden. Internal to
// calibrate/.

#include <span>
#include <string>
#include <vector>

#include "calibrate/samples.hpp"

namespace forelap::calibrate {

using Warnings = std::vector<std::string>;

/// The samples that a fit may use: without cold first runs (round 0, or a first sample that is many times the later
/// ones of its point), zero durations, outliers, and times too short for the clock that took them. Each is named in
/// `warnings`, once with its number and the worst case. Throws core::Error (bad_input) where every time is zero or the
/// clock is too coarse for all of them.
std::vector<Sample> clean(std::span<const Sample> samples, Warnings& warnings);

/// All samples that were measured in the same way.
struct Point {
  Sample what;                        ///< of the first of them; `seconds` is the median
  std::vector<double> seconds;        ///< in the order given
  std::vector<std::uint32_t> rounds;  ///< of each
  /// Standard deviation of one sample, relative to the median: its own robust one, or where that is larger what is
  /// usual among the points beside it (few samples of one point tell little).
  double noise = 0;

  [[nodiscard]] double median() const { return what.seconds; }
  /// Standard deviation of the median, relative; at least `floor`.
  [[nodiscard]] double median_noise(double floor) const;
};

/// Groups samples by same_point, in the order of their first sample.
std::vector<Point> group(std::span<const Sample> samples);

/// How much the rounds differ as wholes: the standard deviation over rounds of the median over a round's samples of
/// seconds / median of the point; 0 for fewer than two rounds. It holds the drift that no repetition within a round
/// averages out.
double round_deviation(std::span<const Point> points);

}  // namespace forelap::calibrate
