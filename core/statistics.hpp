#pragma once
// Order statistics of samples, rank correlation and seeded random numbers that are the same on every platform.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace forelap::core {

/// Median of at least one sample (the mean of the middle two for an even number).
double median(std::span<const double> samples);
/// Quantile q in [0, 1] by linear interpolation between order statistics (Hyndman and Fan, type 7).
double quantile(std::span<const double> samples, double q);
double mean(std::span<const double> samples);
/// Sample standard deviation; 0 for fewer than two samples.
double standard_deviation(std::span<const double> samples);
/// Standard deviation estimated from the median absolute deviation (1.4826 MAD): unmoved by outliers.
double robust_deviation(std::span<const double> samples);
double geometric_mean(std::span<const double> samples);

struct Interval90 {
  double low = 0;
  double high = 0;
};
/// Distribution-free confidence interval of the median, at least 90 % where the number of samples allows (5 or more;
/// else the extremes), by binomial order statistics.
Interval90 median_interval(std::span<const double> samples);

/// Kendall's tau between two rankings, over the pairs that `noise` does not explain: a pair whose `measured` values
/// differ by no more than `noise` says nothing and is left out; a pair that `predicted` ties counts as neither. Nothing
/// where no pair is left. Sizes equal.
std::optional<double> kendall_tau(std::span<const double> predicted, std::span<const double> measured, double noise);

/// splitmix64: 64 random bits a step; equal on every platform (std distributions are not).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform whole number in [0, n), n > 0.
  std::uint64_t below(std::uint64_t n);
  /// Standard normal.
  double normal();

 private:
  std::uint64_t state_;
};

}  // namespace forelap::core
