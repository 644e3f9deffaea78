#include "hw/controller/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::hw::controller {

void check_weights(std::span<const double> weights, std::size_t devices, const std::string& what) {
  if (weights.size() != devices) {
    core::throw_bad_input("the weights of " + what + " are " + std::to_string(weights.size()) + " numbers for " +
                          std::to_string(devices) + " devices: give one for each device, in their order");
  }
  bool any = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0) {
      const std::string found = std::isnan(weights[i])   ? "not a number"
                                : std::isinf(weights[i]) ? "infinite"
                                                         : core::significant(weights[i], 6);
      core::throw_bad_input("weight " + std::to_string(i + 1) + " of " + what + " is " + found +
                            "; weights are 0 or more");
    }
    any = any || weights[i] > 0;
  }
  if (!any) core::throw_bad_input("the weights of " + what + " are all 0: one at least must be above");
}

std::vector<std::int64_t> split_by_weights(std::int64_t total, std::span<const double> weights) {
  // Scaled by the largest, so that neither tiny nor huge ones leave the range of numbers.
  const double largest = *std::max_element(weights.begin(), weights.end());
  long double sum = 0;
  for (const double weight : weights) sum += static_cast<long double>(weight / largest);
  std::vector<std::int64_t> parts(weights.size(), 0);
  std::vector<long double> remainders(weights.size(), -1);
  std::int64_t left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const long double quota = static_cast<long double>(total) * (static_cast<long double>(weights[i] / largest) / sum);
    const long double floor = std::floor(quota);
    parts[i] = std::min(left, static_cast<std::int64_t>(floor));
    remainders[i] = quota - floor;
    left -= parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t k = 0; left > 0; k = (k + 1) % order.size()) {
    if (weights[order[k]] == 0) continue;
    ++parts[order[k]];
    --left;
  }
  return parts;
}

}  // namespace forelap::hw::controller
