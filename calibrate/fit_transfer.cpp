#include <algorithm>
#include <cmath>

#include "calibrate/fit_parts.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

/// Longest latency chain whose commands also count as transfers: as many as other points repeat a size.
constexpr std::uint32_t kLongestChain = 8;
constexpr std::size_t kMostSizes = 64;

std::string bytes_text(double bytes) {
  return core::display_quantity(bytes, core::Dimension::bytes, 3);
}

/// Points of one direction and memory kind with a size, by size.
std::vector<Point> transfer_points(std::span<const Sample> samples, Subject subject, core::MemoryKind memory) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    const bool chain = s.part == Part::latency && s.count <= kLongestChain;
    if ((s.part == Part::transfer || chain) && s.subject == subject && s.memory == memory && s.bytes > 0) {
      chosen.push_back(s);
    }
  }
  std::vector<Point> points = group(chosen);
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.what.bytes < b.what.bytes; });
  return points;
}

std::vector<SizeGroup> by_size(const std::vector<Point>& points, const core::Parameter& overhead) {
  std::vector<SizeGroup> groups;
  for (const Point& p : points) {
    const Equation e = equation_of(p, overhead);
    if (e.y <= 0) continue;
    if (groups.empty() || groups.back().size != p.what.bytes) groups.push_back({p.what.bytes, {}});
    groups.back().equations.push_back(e);
  }
  return thin(std::move(groups), kMostSizes);
}

/// What the first of several equal transfers takes beside the time that each takes: from sizes measured alone and in
/// rows of several, T(c) = start + c each.
std::optional<core::Parameter> start_of(const std::vector<Point>& points, const std::string& how) {
  std::vector<double> starts;
  for (const Point& alone : points) {
    if (alone.what.count != 1) continue;
    for (const Point& row : points) {
      if (row.what.bytes != alone.what.bytes || row.what.count < 4) continue;
      const double count = row.what.count;
      starts.push_back((count * alone.median() - row.median()) / (count - 1));
    }
  }
  if (starts.size() < 3) return std::nullopt;
  const double deviation = core::robust_deviation(starts);
  return core::Parameter{std::max(0.0, core::median(starts)), deviation / std::sqrt(static_cast<double>(starts.size())),
                         static_cast<std::uint32_t>(starts.size()), false, how};
}

/// Where the line of `left` hands over to that of `right`, between two sampled sizes, so that time never falls with
/// size; nothing where there is no such place.
std::optional<double> handover(const LinearFit& left, const LinearFit& right, double low, double high) {
  const double steeper = right.value[1] - left.value[1];
  const double crossing = steeper == 0 ? 0 : (left.value[0] - right.value[0]) / steeper;
  if (crossing >= low && crossing <= high) return crossing;
  const auto gap = [&](double s) { return right.value[0] - left.value[0] + steeper * s; };
  if (gap(low) < 0 && gap(high) < 0) return std::nullopt;
  return std::sqrt(low * high);
}

struct Pieces {
  std::vector<Stretch> stretches;
  std::vector<double> limits;  ///< between them
};

Pieces monotone_pieces(const std::vector<SizeGroup>& groups) {
  SplitRules rules;
  rules.least_groups = groups.size() >= 9 ? 3 : 2;
  for (;; --rules.most_stretches) {
    Pieces pieces{split(groups, rules), {}};
    for (std::size_t i = 1; i < pieces.stretches.size(); ++i) {
      const Stretch& left = pieces.stretches[i - 1];
      const Stretch& right = pieces.stretches[i];
      const auto limit = handover(left.fit, right.fit, groups[left.last].size, groups[right.first].size);
      if (limit) pieces.limits.push_back(*limit);
    }
    if (pieces.limits.size() + 1 == pieces.stretches.size()) return pieces;
  }
}

void warn_of_range(const std::vector<SizeGroup>& groups, const std::vector<Point>& points, const std::string& what,
                   Warnings& warnings) {
  const double low = groups.front().size, high = groups.back().size;
  if (count_samples(points) == 1) {
    warnings.push_back(what + ": one sample only, of " + bytes_text(low) +
                       "; its spread is unknown and taken as 10 %: measure each size several times");
  }
  if (groups.size() == 1) {
    warnings.push_back(what + ": one size only (" + bytes_text(low) +
                       "), so latency and rate cannot be told apart and the latency is taken as 0; add sizes such as " +
                       bytes_text(std::max(1.0, low / 100)) + " and " + bytes_text(low * 10));
  } else if (high < 4 * low) {
    warnings.push_back(what + ": the sizes span only " + bytes_text(low) + " to " + bytes_text(high) +
                       "; latency and rate are uncertain: add sizes at least ten times apart");
  }
}

void warn_of_intercept(const std::vector<SizeGroup>& groups, const Stretch& first, const std::string& what,
                       Warnings& warnings) {
  const std::vector<Equation> equations = equations_of(groups, first);
  const LinearFit fit = fit_free(equations, 2);
  const double smallest = equations.front().y / equations.front().x[0];
  if (fit.value[0] >= -2 * fit.error[0] || fit.value[0] >= -0.01 * smallest) return;
  warnings.push_back(what + ": negative intercept (" + core::display_quantity(-fit.value[0], core::Dimension::time) +
                     " below zero) in the fit from " + bytes_text(groups.front().size) +
                     " on; the latency is taken as 0: add smaller sizes");
}

/// Larger transfers that take less time are no transfers: columns or units are mixed up.
void refuse_falling(const std::vector<SizeGroup>& groups, const std::string& what) {
  const auto seconds = [](const SizeGroup& group) {
    std::vector<double> all;
    for (const Equation& e : group.equations) all.push_back(e.y / e.x[0]);
    return core::median(all);
  };
  const SizeGroup& small = groups.front();
  const SizeGroup& large = groups.back();
  if (large.size < 8 * small.size || seconds(large) > seconds(small) / 2) return;
  core::throw_bad_input(
      what + ": " + bytes_text(large.size) + " take " + core::display_quantity(seconds(large), core::Dimension::time) +
      ", but " + bytes_text(small.size) + " take " + core::display_quantity(seconds(small), core::Dimension::time) +
      "; expected times that grow with the size: are columns or units mixed up?");
}

/// One size cannot tell latency from rate: all of it is rate.
LinearFit through_zero(const SizeGroup& group) {
  std::vector<Equation> equations = group.equations;
  for (Equation& e : equations) e.x = {e.x[1], 0, 0};
  LinearFit fit = fit_nonnegative(equations, 1);
  std::swap(fit.value[0], fit.value[1]);
  std::swap(fit.error[0], fit.error[1]);
  return fit;
}

core::TransferPiece make_piece(const LinearFit& fit, std::span<const Equation> equations, double from, double to,
                               std::span<const Point> points, const std::string& how) {
  const auto spreads = relative_spreads(fit, equations, points);
  core::TransferPiece piece;
  piece.from_bytes = from;
  piece.to_bytes = to;
  const std::uint32_t samples = count_samples(points);
  piece.fixed = {fit.value[0], spreads[0] * fit.value[0], samples, false, how};
  piece.per_byte = {fit.value[1], spreads[1] * fit.value[1], samples, false, how};
  return piece;
}

/// Points of the sizes in (below, high].
std::vector<Point> between(const std::vector<Point>& points, double below, double high) {
  std::vector<Point> chosen;
  for (const Point& p : points) {
    if (p.what.bytes > below && p.what.bytes <= high) chosen.push_back(p);
  }
  return chosen;
}

core::TransferModel fit_one(const std::vector<Point>& points, const std::vector<SizeGroup>& groups,
                            const std::string& how, const std::string& what, Warnings& warnings) {
  core::TransferModel model;
  warn_of_range(groups, points, what, warnings);
  if (groups.size() == 1) {
    const double size = groups.front().size;
    model.pieces.push_back(
        make_piece(through_zero(groups.front()), groups.front().equations, size, size, points, how + " at one size"));
    return model;
  }
  refuse_falling(groups, what);
  const Pieces pieces = monotone_pieces(groups);
  warn_of_intercept(groups, pieces.stretches.front(), what, warnings);
  const double smallest = points.front().what.bytes;
  for (std::size_t i = 0; i < pieces.stretches.size(); ++i) {
    const Stretch& stretch = pieces.stretches[i];
    const double from = i == 0 ? smallest : pieces.limits[i - 1];
    const double to = i == pieces.limits.size() ? groups.back().size : pieces.limits[i];
    const double below = i == 0 ? 0 : groups[pieces.stretches[i - 1].last].size;
    model.pieces.push_back(make_piece(stretch.fit, equations_of(groups, stretch), from, to,
                                      between(points, below, groups[stretch.last].size), how));
    if (stretch.fit.misfit > 0.03) {
      warnings.push_back(what + ": from " + bytes_text(from) + " to " + bytes_text(to) +
                         " no line holds; it misses the medians by " + core::significant(100 * stretch.fit.misfit, 2) +
                         " % (root mean square)");
    }
  }
  return model;
}

}  // namespace

Transfers fit_transfers(std::span<const Sample> samples, const core::Parameter& run_overhead, const std::string& how,
                        Warnings& warnings) {
  Transfers transfers;
  for (const core::MemoryKind memory : {core::MemoryKind::pinned, core::MemoryKind::pageable}) {
    for (const Subject subject : {Subject::htod, Subject::dtoh}) {
      const std::vector<Point> points = transfer_points(samples, subject, memory);
      const bool only_chains =
          std::none_of(points.begin(), points.end(), [](const Point& p) { return p.what.part == Part::transfer; });
      if (only_chains) continue;
      const std::string what = std::string(name_of(subject)) +
                               (memory == core::MemoryKind::pinned ? ", pinned memory" : ", pageable memory");
      const std::optional<core::Parameter> start = start_of(points, how);
      if (!transfers.start && subject == Subject::htod) transfers.start = start;
      const std::vector<SizeGroup> groups = by_size(points, start.value_or(run_overhead));
      if (groups.empty()) {
        warnings.push_back(what + ": every time is below the run overhead; no model is fitted");
        continue;
      }
      core::TransferModel model = fit_one(points, groups, how, what, warnings);
      model.memory = memory;
      model.direction = subject == Subject::htod ? core::Direction::host_to_device : core::Direction::device_to_host;
      transfers.models.push_back(std::move(model));
    }
  }
  return transfers;
}

}  // namespace forelap::calibrate
