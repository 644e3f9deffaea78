#include "calibrate/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

LinearFit fit_range(std::span<const SizeGroup> groups, std::size_t first, std::size_t last, std::size_t parameters) {
  std::vector<Equation> equations;
  for (std::size_t i = first; i <= last; ++i) {
    equations.insert(equations.end(), groups[i].equations.begin(), groups[i].equations.end());
  }
  return fit_nonnegative(equations, parameters);
}

/// Equations that a thinned group keeps: enough for its line, few enough for thousands of fits.
constexpr std::size_t kMostEquations = 8;

std::vector<Equation> sample_evenly(const std::vector<Equation>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Equation> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

/// Costs of every stretch [first, last] that is long enough; infinite elsewhere.
std::vector<std::vector<LinearFit>> all_fits(std::span<const SizeGroup> groups, const SplitRules& rules) {
  std::vector<std::vector<LinearFit>> fits(groups.size(), std::vector<LinearFit>(groups.size()));
  for (std::size_t first = 0; first < groups.size(); ++first) {
    for (std::size_t last = first; last < groups.size(); ++last) {
      fits[first][last].chi2 = kInfinite;
      if (last + 1 < first + rules.least_groups) continue;
      const LinearFit fit = fit_range(groups, first, last, rules.parameters);
      if (!rules.rising || fit.value[1] > 0) fits[first][last] = fit;
    }
  }
  return fits;
}

/// The stretches that end in best[k][n].
std::vector<Stretch> trace_back(const std::vector<std::vector<std::size_t>>& from,
                                const std::vector<std::vector<LinearFit>>& fits, std::size_t k, std::size_t n) {
  std::vector<Stretch> stretches;
  for (std::size_t end = n;; --k) {
    const std::size_t begin = from[k][end];
    stretches.push_back({begin, end - 1, fits[begin][end - 1]});
    if (begin == 0) break;
    end = begin;
  }
  std::reverse(stretches.begin(), stretches.end());
  return stretches;
}

/// What `stretches` leave unexplained, as a variance in units of sigma^2; by the median, so that a few sizes which no
/// line fits do not hide a bend elsewhere.
double noise_of(std::span<const SizeGroup> groups, const std::vector<Stretch>& stretches) {
  std::vector<double> residuals;
  for (const Stretch& stretch : stretches) {
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
      for (const Equation& e : groups[i].equations) {
        double y = 0;
        for (std::size_t c = 0; c < kMostParameters; ++c) y += e.x[c] * stretch.fit.value[c];
        residuals.push_back(std::abs(y - e.y) / e.sigma);
      }
    }
  }
  const double typical = core::median(residuals) / 0.6745;
  return typical * typical;
}

}  // namespace

std::vector<Stretch> split(std::span<const SizeGroup> groups, const SplitRules& rules) {
  const std::size_t n = groups.size();
  const LinearFit whole = fit_range(groups, 0, n - 1, rules.parameters);
  if (n < 2 * rules.least_groups || whole.worst <= rules.good_enough) return {{0, n - 1, whole}};
  const std::vector<std::vector<LinearFit>> fits = all_fits(groups, rules);
  // best[k][j]: least chi2 of the groups before j in k + 1 stretches; from[k][j]: where the last of them begins.
  const std::size_t most = std::min(rules.most_stretches, n / rules.least_groups);
  std::vector<std::vector<double>> best(most, std::vector<double>(n + 1, kInfinite));
  std::vector<std::vector<std::size_t>> from(most, std::vector<std::size_t>(n + 1, 0));
  for (std::size_t j = 1; j <= n; ++j) best[0][j] = fits[0][j - 1].chi2;
  for (std::size_t k = 1; k < most; ++k) {
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t begin = 1; begin < j; ++begin) {
        const double cost = best[k - 1][begin] + fits[begin][j - 1].chi2;
        if (cost < best[k][j]) {
          best[k][j] = cost;
          from[k][j] = begin;
        }
      }
    }
  }
  std::size_t finest = most - 1;
  while (finest > 0 && best[finest][n] == kInfinite) --finest;
  if (best[finest][n] == kInfinite) return {{0, n - 1, whole}};
  const double penalty = rules.penalty * std::max(1.0, noise_of(groups, trace_back(from, fits, finest, n)));
  std::size_t chosen = 0;
  for (std::size_t k = 1; k < most; ++k) {
    const auto extra = static_cast<double>(k - chosen);
    if (best[k][n] + penalty * extra < best[chosen][n]) chosen = k;
  }
  if (best[chosen][n] == kInfinite) return {{0, n - 1, whole}};
  return trace_back(from, fits, chosen, n);
}

std::vector<Equation> equations_of(std::span<const SizeGroup> groups, const Stretch& stretch) {
  std::vector<Equation> equations;
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    equations.insert(equations.end(), groups[i].equations.begin(), groups[i].equations.end());
  }
  return equations;
}

std::vector<SizeGroup> thin(std::vector<SizeGroup> groups, std::size_t most) {
  if (groups.size() <= most) return groups;
  const double low = std::log(std::max(groups.front().size, 1.0));
  const double high = std::log(std::max(groups.back().size, 1.0));
  const double width = (high - low) / static_cast<double>(most);
  if (width <= 0) return groups;
  std::vector<SizeGroup> thinned;
  std::size_t filled = most;
  for (SizeGroup& group : groups) {
    const double place = (std::log(std::max(group.size, 1.0)) - low) / width;
    const std::size_t bin = std::min(static_cast<std::size_t>(std::max(place, 0.0)), most - 1);
    if (thinned.empty() || bin != filled) {
      thinned.push_back({group.size, {}});
      filled = bin;
    }
    thinned.back().size = group.size;
    thinned.back().equations.insert(thinned.back().equations.end(), group.equations.begin(), group.equations.end());
  }
  for (SizeGroup& group : thinned) group.equations = sample_evenly(group.equations, kMostEquations);
  return thinned;
}

}  // namespace forelap::calibrate
