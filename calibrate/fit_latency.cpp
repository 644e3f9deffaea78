#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/fit_parts.hpp"
#include "core/quantity.hpp"
#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

/// One class's chain on its own lane: seconds = overhead + count * each.
struct Chain {
  double overhead = 0;
  double each = 0;
  double error = 0;  ///< of overhead, seconds
};

std::vector<Point> latency_points(std::span<const Sample> samples, Subject subject) {
  std::vector<Sample> chosen;
  for (const Sample& s : samples) {
    if (s.part == Part::latency && s.subject == subject) chosen.push_back(s);
  }
  return group(chosen);
}

std::optional<Chain> fit_chain(const std::vector<Point>& points, Subject subject, Warnings& warnings) {
  if (points.empty()) return std::nullopt;
  std::vector<Equation> equations;
  for (const Point& p : points) {
    Equation e;
    e.x = {1, static_cast<double>(p.what.count), 0};
    e.y = p.median();
    e.sigma = p.median_noise(kNoiseFloor) * e.y;
    equations.push_back(e);
  }
  const LinearFit fit = fit_nonnegative(equations, 2);
  if (!fit.separable) {
    warnings.push_back("latency of " + std::string(name_of(subject)) +
                       ": one chain length only, so the overhead of a run cannot be told from that of a command; add "
                       "lengths such as 1, 4 and 16");
    return std::nullopt;
  }
  const LinearFit unbounded = fit_free(equations, 2);
  if (unbounded.value[0] < -2 * unbounded.error[0] && unbounded.value[0] < -0.02 * points.front().median()) {
    warnings.push_back("latency of " + std::string(name_of(subject)) + ": negative intercept of " +
                       core::display_quantity(-unbounded.value[0], core::Dimension::time) +
                       " below zero, taken as 0 (commands in a row cost more each than one alone)");
  }
  const double drift = round_deviation(points) * points.front().median();
  return Chain{fit.value[0], fit.value[1], std::hypot(fit.error[0], drift)};
}

core::Parameter overhead_of(const std::map<Subject, Chain>& chains, std::uint32_t samples, const std::string& how) {
  core::Parameter overhead;
  if (chains.empty()) {
    overhead.how = "not measured: part of the fixed times";
    overhead.assumed = true;
    return overhead;
  }
  std::vector<double> values, errors;
  for (const auto& [subject, chain] : chains) {
    values.push_back(chain.overhead);
    errors.push_back(chain.error);
  }
  overhead.value = core::median(values);
  double squares = 0;
  for (const double v : values) squares += (v - overhead.value) * (v - overhead.value);
  overhead.spread = std::hypot(core::median(errors), std::sqrt(squares / static_cast<double>(values.size())));
  overhead.samples = samples;
  overhead.how = how;
  return overhead;
}

core::Parameter hop_of(const std::vector<Point>& chain, const std::map<Subject, Chain>& lanes, double overhead,
                       const std::string& how) {
  core::Parameter hop;
  if (chain.empty() || lanes.size() < 3) {
    hop.how = "not measured";
    hop.assumed = true;
    return hop;
  }
  double each = 0;
  for (const auto& [subject, lane] : lanes) each += lane.each / 3;
  std::vector<Equation> equations;
  for (const Point& p : chain) {
    const double count = p.what.count;
    Equation e;
    e.x = {count - 1, 0, 0};
    e.y = p.median() - overhead - count * each;
    e.sigma = p.median_noise(kNoiseFloor) * p.median();
    if (count > 1) equations.push_back(e);
  }
  const LinearFit fit = fit_nonnegative(equations, 1);
  hop.value = fit.value[0];
  const double drift = round_deviation(chain) * (hop.value + each);
  hop.spread = std::hypot(fit.error[0], drift);
  hop.samples = count_samples(chain);
  hop.how = how;
  return hop;
}

}  // namespace

Latencies fit_latencies(std::span<const Sample> samples, const std::string& how, Warnings& warnings) {
  std::map<Subject, Chain> chains;
  std::uint32_t used = 0;
  for (const Subject subject : {Subject::htod, Subject::dtoh, Subject::kernel}) {
    const std::vector<Point> points = latency_points(samples, subject);
    if (const auto chain = fit_chain(points, subject, warnings)) {
      chains[subject] = *chain;
      used += count_samples(points);
    }
  }
  Latencies latencies;
  latencies.run_overhead = overhead_of(chains, used, how);
  latencies.hop = hop_of(latency_points(samples, Subject::chain), chains, latencies.run_overhead.value, how);
  return latencies;
}

}  // namespace forelap::calibrate
