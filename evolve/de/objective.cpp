#include "evolve/de/objective.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace forelap::evolve::de {

std::unique_ptr<Objective> Objective::part(std::span<const double> context, std::span<const std::uint32_t> variables) {
  return std::make_unique<WholePart>(*this, context, variables);
}

WholePart::WholePart(Objective& whole, std::span<const double> context, std::span<const std::uint32_t> variables)
    : whole_(whole), context_(context.begin(), context.end()), variables_(variables.begin(), variables.end()) {
  if (context_.size() != whole.dimension()) {
    core::throw_bad_input("a context of " + std::to_string(context_.size()) + " numbers for a function of " +
                          std::to_string(whole.dimension()) + " variables");
  }
  for (const std::uint32_t i : variables_) {
    if (i >= context_.size())
      core::throw_bad_input("a part names variable " + std::to_string(i) + ", which is not there");
  }
}

void WholePart::evaluate(std::span<const double> rows, std::span<double> values) {
  const std::size_t whole = context_.size(), part = variables_.size();
  // Only the part's variables change between calls, so the copies of the context are made once.
  while (vectors_.size() < values.size() * whole) vectors_.insert(vectors_.end(), context_.begin(), context_.end());
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t j = 0; j < part; ++j) vectors_[k * whole + variables_[j]] = rows[k * part + j];
  }
  whole_.evaluate(std::span<const double>(vectors_).first(values.size() * whole), values);
}

}  // namespace forelap::evolve::de
