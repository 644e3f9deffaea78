#pragma once
// Small functions to try the searches on.

#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "evolve/de/objective.hpp"

namespace forelap::evolve::de {

/// Any function of one vector, counting its calls.
class AnyFunction : public Objective {
 public:
  using Code = std::function<double(std::span<const double>)>;
  AnyFunction(std::size_t dimension, Code code) : dimension_(dimension), code_(std::move(code)) {}
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  void evaluate(std::span<const double> rows, std::span<double> values) override {
    for (std::size_t k = 0; k < values.size(); ++k) {
      ++calls;
      values[k] = code_(rows.subspan(k * dimension_, dimension_));
    }
  }
  std::uint64_t calls = 0;

 private:
  std::size_t dimension_;
  Code code_;
};

inline double sum_of_squares(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return sum;
}

/// Not finite in a good part of every box around 0: NaN, +infinity and -infinity.
inline double often_unusable(std::span<const double> x) {
  if (x[0] > 0.5) return std::nan("");
  if (x[0] < -0.5) return -std::numeric_limits<double>::infinity();
  if (x[1] > 0.7) return std::numeric_limits<double>::infinity();
  return sum_of_squares(x);
}

}  // namespace forelap::evolve::de
