#pragma once
// Where one line does not hold: the best few stretches of a sorted series, each with a line of its own. Internal to
// calibrate/.

#include <span>
#include <vector>

#include "calibrate/least_squares.hpp"

namespace forelap::calibrate {

/// All equations at one size (bytes or work), sizes ascending.
struct SizeGroup {
  double size = 0;
  std::vector<Equation> equations;
};

/// A stretch [first, last] of the groups with its fit.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;
  LinearFit fit;
};

struct SplitRules {
  std::size_t parameters = 2;
  std::size_t least_groups = 2;  ///< sizes a stretch
  std::size_t most_stretches = 5;
  double good_enough = 0.01;  ///< a single line that misses no equation by more (relative) is kept
  double penalty = 12;        ///< chi2 that one more stretch must save, where the residuals are as small as sigma says
  bool rising = true;         ///< parameter 1 (the slope) of each stretch must be above 0, where there is a choice
};

/// Dynamic programming over the sorted groups: the number of stretches and their limits that minimise chi2 + penalty *
/// stretches. What not even the most stretches explain is noise, by which the penalty grows (as in Mallows' Cp), so
/// that a noisy series is not cut into pieces that mean nothing. `groups` not empty; fewer than least_groups give one
/// stretch.
std::vector<Stretch> split(std::span<const SizeGroup> groups, const SplitRules& rules);

/// All equations of a stretch.
std::vector<Equation> equations_of(std::span<const SizeGroup> groups, const Stretch& stretch);

/// Joins neighbours into at most `most` groups by putting sizes that lie close together (in the logarithm) into one,
/// with all their equations; for long imported series. The size is that of the last.
std::vector<SizeGroup> thin(std::vector<SizeGroup> groups, std::size_t most);

}  // namespace forelap::calibrate
