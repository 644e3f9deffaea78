#include "evolve/de/box.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::evolve::de {

Box uniform_box(std::size_t dimension, double lower, double upper) {
  return {std::vector<double>(dimension, lower), std::vector<double>(dimension, upper)};
}

void check(const Box& box) {
  if (box.lower.size() != box.upper.size()) {
    core::throw_bad_input(std::to_string(box.lower.size()) + " lower and " + std::to_string(box.upper.size()) +
                          " upper bounds: give one of each for every variable");
  }
  if (box.lower.empty()) core::throw_bad_input("a problem without variables: give at least one");
  for (std::size_t i = 0; i < box.dimension(); ++i) {
    const double lower = box.lower[i], upper = box.upper[i];
    if (!std::isfinite(lower) || !std::isfinite(upper) || !std::isfinite(upper - lower)) {
      core::throw_bad_input("the bounds of variable " + std::to_string(i) + " are not finite: give numbers");
    }
    if (lower > upper) {
      core::throw_bad_input("variable " + std::to_string(i) + " has the lower bound " + core::shortest(lower) +
                            " above its upper bound " + core::shortest(upper) + ": exchange them");
    }
  }
}

Box part_of(const Box& box, std::span<const std::uint32_t> variables) {
  Box part;
  for (const std::uint32_t i : variables) {
    part.lower.push_back(box.lower.at(i));
    part.upper.push_back(box.upper.at(i));
  }
  return part;
}

}  // namespace forelap::evolve::de
