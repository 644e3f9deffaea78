#include "evolve/gp/fitness.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "evolve/gp/cases.hpp"
#include "evolve/gp/syntax.hpp"

namespace forelap::evolve::gp {

Fitness::Fitness(const FitnessRule& rule, Type type) : type_(type) {
  if (rule.name != "expression" && !rule.expression.empty()) {
    core::throw_bad_input("fitness '" + core::printable(rule.name) +
                          "' takes no expression; name it 'expression' to use one");
  }
  if (rule.name == "rmse") {
    combine_ = Combine::root_mean;
  } else if (rule.name == "mean_error") {
    measure_ = Measure::absolute;
    combine_ = Combine::mean;
  } else if (rule.name == "largest_error") {
    measure_ = Measure::absolute;
    combine_ = Combine::largest;
  } else if (rule.name == "correct") {
    measure_ = Measure::correct;
  } else if (rule.name == "wrong_bits") {
    measure_ = Measure::wrong_bits;
  } else if (rule.name == "expression") {
    set_expression(rule);
  } else {
    core::throw_bad_input("unknown fitness '" + core::printable(rule.name) +
                          "'; known are rmse, mean_error, largest_error, correct, wrong_bits and expression");
  }
}

void Fitness::set_expression(const FitnessRule& rule) {
  measure_ = Measure::expression;
  if (rule.combine == "mean") {
    combine_ = Combine::mean;
  } else if (rule.combine == "root_mean") {
    combine_ = Combine::root_mean;
  } else if (rule.combine == "largest") {
    combine_ = Combine::largest;
  } else if (rule.combine != "sum") {
    core::throw_bad_input("fitness cannot be combined by '" + core::printable(rule.combine) +
                          "'; expected sum, mean, root_mean or largest");
  }
  Scope scope;
  scope.add("result", type_, 0, false);
  scope.add("expected", type_, 0, false);
  const Syntax syntax = parse_expression(scope, rule.expression, Type::float32);
  if (!syntax.ok()) core::throw_bad_input("fitness expression, " + syntax.refusal);
  program_ = emit_value(syntax, 2);
}

double Fitness::of_case(std::uint32_t result, std::uint32_t expected) const {
  const double difference = number_of(result, type_) - number_of(expected, type_);
  switch (measure_) {
    case Measure::squared:
      return difference * difference;
    case Measure::absolute:
      return std::fabs(difference);
    case Measure::correct:
      return difference == 0 ? 1 : 0;
    case Measure::wrong_bits:
      return std::popcount(result ^ expected);
    case Measure::expression:
      break;
  }
  std::array<std::uint32_t, 3> slots = {result, expected, 0};
  std::vector<std::uint32_t> stack;
  run(program_, slots, stack);
  return number_of(slots[2], Type::float32);
}

double Fitness::of(std::span<const std::uint32_t> results, std::span<const std::uint32_t> expected) const {
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double value = of_case(results[i], expected[i]);
    sum += value;
    if (i == 0 || value > largest || std::isnan(value)) largest = std::isnan(largest) ? largest : value;
  }
  const auto count = static_cast<double>(results.size());
  switch (combine_) {
    case Combine::sum:
      return sum;
    case Combine::mean:
      return sum / count;
    case Combine::root_mean:
      return std::sqrt(sum / count);
    case Combine::largest:
      break;
  }
  return largest;
}

}  // namespace forelap::evolve::gp
