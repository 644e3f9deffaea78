#include "core/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace forelap::core {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("a statistic of no samples");
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

/// Deviations from the median scaled so that normal samples give their standard deviation.
constexpr double kMadToDeviation = 1.482602218505602;

}  // namespace

double quantile(std::span<const double> samples, double q) {
  const std::vector<double> s = sorted(samples);
  const double at = q * static_cast<double>(s.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, s.size() - 1);
  return s[low] + (at - static_cast<double>(low)) * (s[high] - s[low]);
}

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double mean(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("a statistic of no samples");
  double sum = 0;
  for (const double x : samples) sum += x;
  return sum / static_cast<double>(samples.size());
}

double standard_deviation(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const double centre = mean(samples);
  double sum = 0;
  for (const double x : samples) sum += (x - centre) * (x - centre);
  return std::sqrt(sum / static_cast<double>(samples.size() - 1));
}

double robust_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> deviations(samples.begin(), samples.end());
  for (double& x : deviations) x = std::abs(x - centre);
  return kMadToDeviation * median(deviations);
}

double geometric_mean(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("a statistic of no samples");
  double sum = 0;
  for (const double x : samples) sum += std::log(x);
  return std::exp(sum / static_cast<double>(samples.size()));
}

Interval90 median_interval(std::span<const double> samples) {
  const std::vector<double> s = sorted(samples);
  const std::size_t n = s.size();
  // P(fewer than k of n samples lie below the median) for a fair coin; widen until both tails hold at most 5 %.
  double tail = std::pow(0.5, static_cast<double>(n));
  double term = tail;
  std::size_t k = 0;  // the interval is [s[k], s[n - 1 - k]]
  while (k + 1 < n - 1 - k) {
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    tail += term;
    if (tail > 0.05) break;
    ++k;
  }
  return {s[k], s[n - 1 - k]};
}

std::optional<double> kendall_tau(std::span<const double> predicted, std::span<const double> measured, double noise) {
  if (predicted.size() != measured.size()) throw std::invalid_argument("rankings of different sizes");
  double pairs = 0;
  double agreement = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    for (std::size_t j = i + 1; j < measured.size(); ++j) {
      const double m = measured[i] - measured[j];
      if (std::abs(m) <= noise) continue;
      const double p = predicted[i] - predicted[j];
      pairs += 1;
      if (p * m > 0) agreement += 1;
      if (p * m < 0) agreement -= 1;
    }
  }
  if (pairs == 0) return std::nullopt;
  return agreement / pairs;
}

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

double Random::uniform() {
  return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

std::uint64_t Random::below(std::uint64_t n) {
  // Rejection keeps every value equally likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  std::uint64_t x = next();
  while (x >= limit) x = next();
  return x % n;
}

double Random::normal() {
  // Sum of uniforms would cut the tails; Box and Muller's second value is dropped to keep the state one word.
  constexpr double kTwoPi = 6.283185307179586;
  const double u = 1 - uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(kTwoPi * uniform());
}

}  // namespace forelap::core
