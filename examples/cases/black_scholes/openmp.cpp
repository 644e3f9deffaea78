// Prices of options by Black and Scholes on the cores of one host, with OpenMP.

#include <cmath>
#include <vector>

#include "case.hpp"

namespace {

/// Formula 26.2.17 of Abramowitz and Stegun.
float normal_distribution(float d) {
  const float t = 1.0F / (1.0F + 0.2316419F * std::fabs(d));
  const float series =
      t * (0.319381530F + t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  const float tail = 0.398942280F * std::exp(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
}

void price_options(const float* price, const float* strike, const float* years, float* call, float* put, float rate,
                   float volatility, std::int64_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    const float spread = volatility * std::sqrt(years[i]);
    const float d1 = (std::log(price[i] / strike[i]) + (rate + 0.5F * volatility * volatility) * years[i]) / spread;
    const float d2 = d1 - spread;
    const float owed = strike[i] * std::exp(-rate * years[i]);
    call[i] = price[i] * normal_distribution(d1) - owed * normal_distribution(d2);
    put[i] = owed * normal_distribution(-d2) - price[i] * normal_distribution(-d1);
  }
}

int run(const cases::Options& options) {
  const std::size_t count = static_cast<std::size_t>(options.size);
  std::vector<float> price(count), strike(count), years(count), call(count), put(count);
  cases::fill_black_scholes(price, strike, years);
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    price_options(price.data(), strike.data(), years.data(), call.data(), put.data(), cases::kRate, cases::kVolatility,
                  options.size);
  });
  return cases::report("black_scholes with OpenMP", options, seconds,
                       cases::check_black_scholes(price, strike, years, call, put));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 300000000}, run);
}
