// Prices of options by Black and Scholes on any devices, with forelap.

#include <forelap/controller.hpp>

#include "case.hpp"

namespace {

/// Formula 26.2.17 of Abramowitz and Stegun.
FORELAP_FUNCTION(float, normal_distribution, (float d), {
  const float t = 1.0F / (1.0F + 0.2316419F * fabs(d));
  const float series =
      t * (0.319381530F + t * (-0.356563782F + t * (1.781477937F + t * (-1.821255978F + t * 1.330274429F))));
  const float tail = 0.398942280F * exp(-0.5F * d * d) * series;
  return d > 0.0F ? 1.0F - tail : tail;
});

FORELAP_KERNEL(price_options, (i),
               (in<float> price, in<float> strike, in<float> years, out<float> call, out<float> put, float rate,
                float volatility),
               {
                 const float spread = volatility * sqrt(years(i));
                 const float d1 =
                     (log(price(i) / strike(i)) + (rate + 0.5F * volatility * volatility) * years(i)) / spread;
                 const float d2 = d1 - spread;
                 const float owed = strike(i) * exp(-rate * years(i));
                 call(i) = price(i) * normal_distribution(d1) - owed * normal_distribution(d2);
                 put(i) = owed * normal_distribution(-d2) - price(i) * normal_distribution(-d1);
               });

int run(const cases::Options& options) {
  forelap::MultiController devices(options.devices, {.weights = options.weights});
  auto price = devices.tile<float>({options.size}, "price");
  auto strike = devices.tile<float>({options.size}, "strike");
  auto years = devices.tile<float>({options.size}, "years");
  auto call = devices.tile<float>({options.size}, "call");
  auto put = devices.tile<float>({options.size}, "put");
  cases::fill_black_scholes(price.values(), strike.values(), years.values());
  const double seconds = cases::lowest_seconds(options.repetitions, [&] {
    devices.partition(price, strike, years, call, put);
    devices.launch(price_options, price, strike, years, call, put, cases::kRate, cases::kVolatility);
    devices.detach(price, strike, years, call, put);
  });
  return cases::report(
      "black_scholes with forelap", options, seconds,
      cases::check_black_scholes(price.values(), strike.values(), years.values(), call.values(), put.values()));
}

}  // namespace

int main(int argc, char** argv) {
  return cases::run(argc, argv, {.size = 300000000}, run);
}
