#pragma once
// Prices of `size` European call and put options by Black and Scholes (1973): input, and the check of options spread
// over all against double precision and the library's error function.

#include <cmath>
#include <cstddef>
#include <span>

#include "../case.hpp"

namespace cases {

constexpr float kRate = 0.02F;
constexpr float kVolatility = 0.3F;

inline void fill_black_scholes(std::span<float> price, std::span<float> strike, std::span<float> years) {
  for (std::size_t i = 0; i < price.size(); ++i) {
    price[i] = 5.0F + 0.25F * static_cast<float>(i % 101);
    strike[i] = 1.0F + 0.5F * static_cast<float>(i % 199);
    years[i] = 0.25F + 0.125F * static_cast<float>(i % 79);
  }
}

inline double call_price(double price, double strike, double years) {
  const auto normal = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  const double rate = static_cast<double>(kRate);
  const double spread = static_cast<double>(kVolatility) * std::sqrt(years);
  const double d1 = (std::log(price / strike) + rate * years) / spread + 0.5 * spread;
  return price * normal(d1) - strike * std::exp(-rate * years) * normal(d1 - spread);
}

inline Outcome check_black_scholes(std::span<const float> price, std::span<const float> strike,
                                   std::span<const float> years, std::span<const float> call,
                                   std::span<const float> put) {
  Outcome outcome{0, !call.empty()};
  for (std::size_t i = 0; i < call.size(); ++i) outcome.checksum += static_cast<double>(call[i] + put[i]);
  const std::size_t step = std::max<std::size_t>(1, call.size() / 99991);
  for (std::size_t i = 0; i < call.size(); i += step) {
    const double s = price[i], x = strike[i], t = years[i];
    const double expected = call_price(s, x, t);
    const double expected_put = expected + x * std::exp(-static_cast<double>(kRate) * t) - s;
    const bool right = std::abs(call[i] - expected) < 1e-3 && std::abs(put[i] - expected_put) < 1e-3;
    if (!right) outcome.verified = false;
  }
  return outcome;
}

}  // namespace cases
