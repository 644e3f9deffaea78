#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/fit_parts.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::size_t kParameters = 3;
/// A fit that misses no point by more is left as it is.
constexpr double kGoodEnough = 0.02;
/// Launches of fewer work units an item than the limit are left out in steps, as long as this part of the points stays.
constexpr double kLeastPart = 0.6;

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

/// Work-items that one compute unit holds at once (2048 threads on the GPUs of the last ten years).
constexpr double kResidentItems = 2048;

/// Standard deviation, relative, of a launch's time that comes from its last wave: a wave that is filled to any part,
/// all equally likely, takes as long as a full one.
double wave_noise(const Point& p, std::uint32_t compute_units) {
  if (compute_units == 0 || p.what.items <= 0) return 0;
  return 0.29 * kResidentItems * compute_units / std::max(p.what.items, kResidentItems * compute_units);
}

std::vector<SizeGroup> by_items(const std::vector<Point>& points, const core::Parameter& overhead,
                                std::uint32_t compute_units) {
  std::vector<SizeGroup> groups;
  for (const Point& p : points) {
    Equation e = equation_of(p, overhead);
    if (e.y <= 0) continue;
    // A launch of less than a wave has no last one that is emptier than the others.
    if (p.what.part == Part::kernel) e.sigma = std::hypot(e.sigma, wave_noise(p, compute_units) * e.y);
    // Items first: over launches of one size, what an item costs and what the launch does cannot be told apart, and the
    // column that comes first takes both.
    const double count = e.x[0];
    e.x = {count * p.what.items, count * p.what.work, count};
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
Chosen choose_points(const std::vector<Point>& all, const core::Parameter& overhead, std::uint32_t compute_units) {
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
    chosen.groups = by_items(chosen.points, overhead, compute_units);
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

/// The part of the device that one launch occupies, from equal launches side by side: with L of them on as many lanes,
/// L times the part beyond 1 stretches the time.
core::Parameter fill_of(std::span<const Sample> samples, const std::string& kernel, double overhead,
                        const std::string& how) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    if (s.part == Part::fill && s.kernel == kernel) chosen.push_back(s);
  }
  core::Parameter fill{1, 0, 0, true, "not measured: taken as the whole device"};
  double largest = -1;
  std::string others;
  const std::vector<Point> points = group(chosen);
  for (const Point& alone : points) {
    if (alone.what.count != 1) continue;
    const Point* most = nullptr;
    for (const Point& p : points) {
      if (p.what.work != alone.what.work || p.what.items != alone.what.items || p.what.count < 2) continue;
      if (most == nullptr || p.what.count > most->what.count) most = &p;
    }
    const double solo = alone.median() - overhead;
    if (most == nullptr || solo <= 0) continue;
    const double lanes = most->what.count;
    const double part = std::clamp((most->median() - overhead) / (lanes * solo), 1 / lanes, 1.0);
    others += (others.empty() ? "" : ", ") + core::significant(part, 3) + " at " +
              core::significant(alone.what.items, 4) + " items";
    if (alone.what.work <= largest) continue;
    largest = alone.what.work;
    fill = {part > 0.97 ? 1 : part, std::hypot(alone.noise, most->noise) * part, count_samples(points), false, how};
  }
  if (!others.empty()) fill.how += ": " + others;
  return fill;
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
    const Chosen chosen = choose_points(kernel_points(samples, name), run_overhead, compute_units);
    if (chosen.groups.empty()) {
      warnings.push_back("kernel \"" + name + "\": every time is below the run overhead; no model is fitted");
      continue;
    }
    core::KernelModel model;
    model.kernel = name;
    add_pieces(model, chosen, how, warnings);
    model.fill = fill_of(samples, name, run_overhead.value, how);
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace forelap::calibrate
