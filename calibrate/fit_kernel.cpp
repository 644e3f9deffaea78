#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/fit_parts.hpp"
#include "calibrate/waves.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::size_t kParameters = 3;
/// A fit that misses no point by more is left as it is.
constexpr double kGoodEnough = 0.02;
/// Launches of fewer work units an item than the limit are left out in steps, as long as this part of the points stays.
constexpr double kLeastPart = 0.6;
/// Launches of few waves over sizes this close to each other, relative, have a stretch from each size to the next.
constexpr double kNear = 1.1;
/// More sizes as close as that are a dense series, which the usual stretches describe.
constexpr std::size_t kMostNear = 24;

double intensity(const Point& p) {
  return p.what.items > 0 ? p.what.work / p.what.items : 0;
}

std::vector<Point> kernel_points(std::span<const Sample> samples, const std::string& kernel) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    const bool launch = s.part == Part::kernel || (s.part == Part::latency && s.count <= 8);
    if (launch && s.subject == Subject::kernel && s.kernel == kernel) chosen.push_back(s);
  }
  std::vector<Point> points = group(chosen);
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.what.items < b.what.items; });
  return points;
}

/// Standard deviation, relative, of a launch's time that comes from its last wave: a wave that is filled to any part,
/// all equally likely, takes as long as a full one.
double wave_noise(const Point& p, std::uint32_t compute_units) {
  if (compute_units == 0 || p.what.items <= 0) return 0;
  return 0.29 / std::max(1.0, waves_of(p.what.items, compute_units));
}

/// What the device would have to do for the time that one launch takes, in launches that fill it: 1 where this one
/// does.
double per_part(double items, double full_items) {
  return items > 0 && items < full_items ? full_items / items : 1;
}

std::vector<SizeGroup> by_items(const std::vector<Point>& points, const core::Parameter& overhead,
                                std::uint32_t compute_units, double full_items) {
  std::vector<SizeGroup> groups;
  for (const Point& p : points) {
    Equation e = equation_of(p, overhead);
    if (e.y <= 0) continue;
    // A launch of less than a wave has no last one that is emptier than the others.
    if (p.what.part == Part::kernel) e.sigma = std::hypot(e.sigma, wave_noise(p, compute_units) * e.y);
    // Items first: over launches of one size, what an item costs and what the launch does cannot be told apart, and the
    // column that comes first takes both.
    const double count = e.x[0];
    const double work_count = count * per_part(p.what.items, full_items);
    e.x = {work_count * p.what.items, work_count * p.what.work, count};
    if (groups.empty() || groups.back().size != p.what.items) groups.push_back({p.what.items, {}});
    groups.back().equations.push_back(e);
  }
  return thin(std::move(groups), 48);
}

std::vector<Stretch> fit_points(const std::vector<SizeGroup>& groups) {
  SplitRules rules;
  rules.parameters = kParameters;
  rules.least_groups = 1;
  rules.most_stretches = 5;
  rules.good_enough = 0.01;
  rules.penalty = 16;
  rules.rising = false;
  return split(groups, rules);
}

double worst_of(const std::vector<Stretch>& stretches) {
  double misfit = 0;
  for (const Stretch& s : stretches) misfit = std::max(misfit, s.fit.misfit);
  return misfit;
}

struct Chosen {
  std::vector<Point> points;
  std::vector<SizeGroup> groups;
  std::vector<Stretch> stretches;
  double least_intensity = 0;  ///< of the points used; 0 where all are
};

/// Launches with little work an item wait for memory, not for arithmetic, and T = launch + eta m + iota n does not hold
/// across the two: where leaving out the lightest makes the line hold, it is theirs to go.
Chosen choose_points(const std::vector<Point>& all, const core::Parameter& overhead, std::uint32_t compute_units,
                     double full_items) {
  std::set<double> intensities;
  for (const Point& p : all) intensities.insert(intensity(p));
  Chosen first;
  for (const double least : intensities) {
    Chosen chosen;
    for (const Point& p : all) {
      if (intensity(p) >= least) chosen.points.push_back(p);
    }
    const double part = static_cast<double>(chosen.points.size()) / static_cast<double>(all.size());
    if (part < kLeastPart) break;
    chosen.groups = by_items(chosen.points, overhead, compute_units, full_items);
    if (chosen.groups.empty()) break;
    chosen.stretches = fit_points(chosen.groups);
    chosen.least_intensity = chosen.points.size() == all.size() ? 0 : least;
    const bool good = worst_of(chosen.stretches) <= kGoodEnough;
    if (good) return chosen;
    if (first.points.empty()) first = std::move(chosen);
  }
  return first;
}

core::KernelPiece make_piece(const LinearFit& fit, std::span<const Equation> equations, double from, double to,
                             std::span<const Point> points, const std::string& how) {
  const auto spreads = relative_spreads(fit, equations, points);
  const std::uint32_t samples = count_samples(points);
  const auto parameter = [&](std::size_t i) {
    return core::Parameter{fit.value[i], spreads[i] * fit.value[i], samples, false, how};
  };
  core::KernelPiece piece;
  piece.from_items = from;
  piece.to_items = to;
  const auto less = [](const Point& a, const Point& b) { return a.what.work < b.what.work; };
  const auto [least, most] = std::minmax_element(points.begin(), points.end(), less);
  piece.least_work = least->what.work;
  piece.most_work = most->what.work;
  piece.launch = parameter(2);
  piece.per_work = parameter(1);
  piece.per_item = parameter(0);
  return piece;
}

/// Launches over one number of items cannot tell what an item costs from what the launch does, and one amount of work
/// not even that from the work.
LinearFit fit_one_size(const SizeGroup& group, bool one_work) {
  if (!one_work) return fit_nonnegative(group.equations, 2);
  std::vector<Equation> equations = group.equations;
  const std::size_t column = equations.front().x[1] > 0 ? 1 : 2;
  for (Equation& e : equations) e.x = {e.x[column], 0, 0};
  LinearFit fit = fit_nonnegative(equations, 1);
  std::swap(fit.value[0], fit.value[column]);
  std::swap(fit.error[0], fit.error[column]);
  return fit;
}

void add_one_size(core::KernelModel& model, const Chosen& chosen, const std::string& how, Warnings& warnings) {
  const SizeGroup& group = chosen.groups.front();
  const auto same_work = [&](const Point& p) { return p.what.work == chosen.points.front().what.work; };
  const bool one_work = std::all_of(chosen.points.begin(), chosen.points.end(), same_work);
  if (one_work) {
    warnings.push_back("kernel \"" + model.kernel +
                       "\": one amount of work only, so launch and work cannot be told apart; add launches of a "
                       "tenth and of ten times the work");
  }
  model.pieces.push_back(make_piece(fit_one_size(group, one_work), group.equations, group.size, group.size,
                                    chosen.points, how + (one_work ? " at one size" : " over one number of items")));
}

void add_pieces(core::KernelModel& model, const Chosen& chosen, const std::string& how, Warnings& warnings) {
  const std::string what = "kernel \"" + model.kernel + "\"";
  const std::vector<SizeGroup>& groups = chosen.groups;
  if (groups.size() == 1) return add_one_size(model, chosen, how, warnings);
  for (std::size_t i = 0; i < chosen.stretches.size(); ++i) {
    const Stretch& s = chosen.stretches[i];
    const double below = i == 0 ? -1 : groups[s.first - 1].size, high = groups[s.last].size;
    const double from = i == 0 ? chosen.points.front().what.items : model.pieces.back().to_items;
    const bool last = i + 1 == chosen.stretches.size();
    const double to = last ? high : std::sqrt(high * groups[s.last + 1].size);
    std::vector<Point> points;
    for (const Point& p : chosen.points) {
      if (p.what.items > below && p.what.items <= high) points.push_back(p);
    }
    model.pieces.push_back(make_piece(s.fit, equations_of(groups, s), from, to, points, how));
    if (s.fit.misfit > 0.03) {
      warnings.push_back(what + ": no line holds from " + core::significant(from, 4) + " to " +
                         core::significant(to, 4) + " items; it misses the medians by " +
                         core::significant(100 * s.fit.misfit, 2) + " % (root mean square)");
    }
  }
  if (chosen.least_intensity > 0) {
    warnings.push_back(what + ": launches of fewer than " + core::significant(chosen.least_intensity, 3) +
                       " units of work an item wait for memory and are left out of the fit; times of such launches "
                       "are not predicted well");
  }
}

/// Launches too small to fill the device, and the others.
struct BySize {
  std::vector<Point> small, others;
};

BySize split_by_size(std::vector<Point> points, double full_items) {
  BySize result;
  for (Point& p : points) {
    const bool small = p.what.part == Part::kernel && p.what.items < full_items;
    (small ? result.small : result.others).push_back(std::move(p));
  }
  const auto is_launch = [](const Point& p) { return p.what.part == Part::kernel; };
  if (std::none_of(result.others.begin(), result.others.end(), is_launch)) {
    // All are small: the usual fit serves them.
    std::vector<Point> all = std::move(result.others);
    all.insert(all.end(), result.small.begin(), result.small.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const Point& a, const Point& b) { return a.what.items < b.what.items; });
    return {{}, std::move(all)};
  }
  return result;
}

double least_launch(const std::vector<Point>& points) {
  double least = HUGE_VAL;
  for (const Point& p : points) {
    if (p.what.part == Part::kernel) least = std::min(least, p.what.items);
  }
  return least;
}

/// Puts a stretch for each size of small launches before those of `model`. The part of the device that a launch gets is
/// not quite in proportion to its items, and each size's rate says by how much.
void add_small_pieces(core::KernelModel& model, const BySize& all, const core::Parameter& overhead,
                      const std::string& how) {
  const std::vector<SizeGroup> groups = by_items(all.small, overhead, 0, model.full_items.value);
  std::vector<core::KernelPiece> pieces;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double size = groups[i].size;
    const double from = pieces.empty() ? size : pieces.back().to_items;
    const double next = i + 1 < groups.size() ? groups[i + 1].size : least_launch(all.others);
    std::vector<Point> points;
    for (const Point& p : all.small) {
      if (p.what.items == size) points.push_back(p);
    }
    const auto same_work = [&](const Point& p) { return p.what.work == points.front().what.work; };
    const bool one_work = std::all_of(points.begin(), points.end(), same_work);
    pieces.push_back(
        make_piece(fit_one_size(groups[i], one_work), groups[i].equations, from, std::sqrt(size * next), points, how));
  }
  if (pieces.empty()) return;
  // The smallest launches of all, from which latencies come, are among the others.
  const double bend = pieces.back().to_items;
  for (core::KernelPiece& piece : model.pieces) {
    if (piece.to_items <= bend) continue;
    piece.from_items = std::max(piece.from_items, bend);
    pieces.push_back(piece);
  }
  pieces[groups.size()].from_items = bend;
  model.pieces = std::move(pieces);
}

/// Sizes close together, ascending.
using Run = std::vector<double>;

/// Where launches of few waves were measured over sizes close together: around those that will be predicted.
std::vector<Run> near_sizes(const std::vector<Point>& points, std::uint32_t compute_units) {
  std::vector<Run> runs;
  std::size_t joined = 0;
  for (const Point& p : points) {
    const double items = p.what.items;
    if (p.what.part != Part::kernel || items <= 0) continue;
    const double before = runs.empty() ? 0 : runs.back().back();
    if (items == before) continue;
    if (before > 0 && items <= kNear * before && waves_of(items, compute_units) <= kFewWaves) {
      runs.back().push_back(items);
      ++joined;
    } else {
      runs.push_back({items});
    }
  }
  if (joined > kMostNear) return {};
  std::erase_if(runs, [](const Run& run) { return run.size() < 2; });
  return runs;
}

/// One size of each run stands for it where all sizes are fitted: many would count for more than those far apart.
std::vector<Point> thin_runs(std::vector<Point> points, const std::vector<Run>& runs) {
  std::erase_if(points, [&](const Point& p) {
    if (p.what.part != Part::kernel) return false;
    return std::any_of(runs.begin(), runs.end(), [&](const Run& run) {
      const bool in_run = p.what.items >= run.front() && p.what.items <= run.back();
      return in_run && p.what.items != run[run.size() / 2];
    });
  });
  return points;
}

/// Puts `piece` in the place of what it covers of `pieces`, which stay ascending and adjacent.
void insert(std::vector<core::KernelPiece>& pieces, const core::KernelPiece& piece) {
  std::vector<core::KernelPiece> result;
  for (core::KernelPiece p : pieces) {
    core::KernelPiece rest = p;
    p.to_items = std::min(p.to_items, piece.from_items);
    rest.from_items = std::max(rest.from_items, piece.to_items);
    if (p.from_items < p.to_items) result.push_back(p);
    if (rest.from_items < rest.to_items) result.push_back(rest);
  }
  result.push_back(piece);
  const auto less = [](const core::KernelPiece& a, const core::KernelPiece& b) { return a.from_items < b.from_items; };
  std::sort(result.begin(), result.end(), less);
  for (std::size_t i = 1; i < result.size(); ++i) result[i].from_items = result[i - 1].to_items;
  pieces = std::move(result);
}

/// From each size of a run to the next a stretch through both.
void add_near_pieces(core::KernelModel& model, const std::vector<Point>& all, const std::vector<Run>& runs,
                     double least_intensity, const core::Parameter& overhead, const std::string& how) {
  for (const Run& run : runs) {
    for (std::size_t i = 0; i + 1 < run.size(); ++i) {
      std::vector<Point> points;
      for (const Point& p : all) {
        const bool at_end = p.what.items == run[i] || p.what.items == run[i + 1];
        if (p.what.part == Part::kernel && at_end && intensity(p) >= least_intensity) points.push_back(p);
      }
      const std::vector<SizeGroup> groups = by_items(points, overhead, 0, model.full_items.value);
      if (groups.size() < 2) continue;
      const std::vector<Equation> equations = equations_of(groups, {0, groups.size() - 1, {}});
      insert(model.pieces,
             make_piece(fit_nonnegative(equations, kParameters), equations, run[i], run[i + 1], points, how));
    }
  }
}

}  // namespace

std::vector<core::KernelModel> fit_kernels(std::span<const Sample> samples, const core::Parameter& run_overhead,
                                           std::uint32_t compute_units, const std::string& how, Warnings& warnings) {
  std::vector<std::string> names;
  for (const Sample& s : samples) {
    if (s.part != Part::kernel || s.kernel.empty()) continue;
    if (std::find(names.begin(), names.end(), s.kernel) == names.end()) names.push_back(s.kernel);
  }
  std::vector<core::KernelModel> models;
  for (const std::string& name : names) {
    core::KernelModel model;
    model.kernel = name;
    Occupied occupied = fit_fill(samples, name, run_overhead.value, how, warnings);
    model.fill = std::move(occupied.fill);
    model.full_items = std::move(occupied.full_items);
    const BySize points = split_by_size(kernel_points(samples, name), model.full_items.value);
    const std::vector<Run> runs = near_sizes(points.others, compute_units);
    const Chosen chosen =
        choose_points(thin_runs(points.others, runs), run_overhead, compute_units, model.full_items.value);
    if (chosen.groups.empty()) {
      warnings.push_back("kernel \"" + name + "\": every time is below the run overhead; no model is fitted");
      continue;
    }
    add_pieces(model, chosen, how, warnings);
    add_small_pieces(model, points, run_overhead, how);
    add_near_pieces(model, points.others, runs, chosen.least_intensity, run_overhead, how);
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace forelap::calibrate
