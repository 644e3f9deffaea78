#pragma once
// What is minimised: a function object that evaluates many vectors at once. Threads, a device or other processes can
// stand behind it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "evolve/de/box.hpp"

namespace forelap::evolve::de {

/// A function to be minimised. One object is used by one thread at a time.
class Objective {
 public:
  Objective() = default;
  Objective(const Objective&) = delete;
  Objective& operator=(const Objective&) = delete;
  virtual ~Objective() = default;

  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// values[k] = f(row k). `rows` holds values.size() vectors of dimension() numbers one after the other. Values that
  /// are not finite are allowed: the search counts and drops them. A row's value may not depend on the other rows.
  virtual void evaluate(std::span<const double> rows, std::span<double> values) = 0;

  /// The function of `variables` alone (in that order), all others held at `context` (dimension() numbers, copied).
  /// The part refers to this object and may not outlive it. Whoever can evaluate a part for less than a whole vector
  /// overrides this; the value may then differ from the whole's by rounding.
  [[nodiscard]] virtual std::unique_ptr<Objective> part(std::span<const double> context,
                                                        std::span<const std::uint32_t> variables);
};

/// A part that puts its variables into copies of the context and evaluates whole vectors.
class WholePart : public Objective {
 public:
  WholePart(Objective& whole, std::span<const double> context, std::span<const std::uint32_t> variables);
  [[nodiscard]] std::size_t dimension() const override { return variables_.size(); }
  void evaluate(std::span<const double> rows, std::span<double> values) override;

 private:
  Objective& whole_;
  std::vector<double> context_;
  Variables variables_;
  std::vector<double> vectors_;  // as many copies of the context as rows were asked for at most
};

}  // namespace forelap::evolve::de
