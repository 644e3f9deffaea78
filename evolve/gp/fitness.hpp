#pragma once
// How good a program is: from its result on every case and the expected one to one number. Sums are made in double in
// the order of the cases, so that equal results give equal fitness bit for bit.

#include <cstdint>
#include <span>
#include <string>

#include "evolve/gp/bytecode.hpp"
#include "evolve/gp/op.hpp"

namespace forelap::evolve::gp {

/// By name:
///   rmse            root of the mean squared difference
///   mean_error      mean absolute difference
///   largest_error   largest absolute difference
///   correct         number of cases whose result is the expected one
///   wrong_bits      number of bits in which results and expected ones differ
///   expression      `expression` in `result` and `expected` (the C subset, as float) for every case, put together by
///                   `combine`: sum, mean, root_mean or largest
struct FitnessRule {
  std::string name = "rmse";
  std::string expression;
  std::string combine = "sum";
};

class Fitness {
 public:
  /// For results of `type`. Throws core::Error (bad_input) for unknown names and expressions outside the subset.
  Fitness(const FitnessRule& rule, Type type);

  /// One result and one expected word a case, both of the same length. May be NaN or infinite; such a fitness is the
  /// worst there is (direction.hpp).
  [[nodiscard]] double of(std::span<const std::uint32_t> results, std::span<const std::uint32_t> expected) const;

 private:
  enum class Measure { squared, absolute, correct, wrong_bits, expression };
  enum class Combine { sum, mean, root_mean, largest };

  void set_expression(const FitnessRule& rule);
  [[nodiscard]] double of_case(std::uint32_t result, std::uint32_t expected) const;

  Type type_;
  Measure measure_ = Measure::squared;
  Combine combine_ = Combine::sum;
  Bytecode program_;
};

}  // namespace forelap::evolve::gp
