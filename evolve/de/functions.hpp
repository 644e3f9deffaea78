#pragma once
// The usual functions to try a search on, all with the minimum 0, shifted and rotated on wish.
//
// Formulas (n variables; Yao, Liu, Lin 1999 and the CEC large-scale suites):
//   sphere         sum z^2                                                      minimum at 0
//   rosenbrock     sum 100 (z[i+1] - z[i]^2)^2 + (1 - z[i])^2                   minimum at 1
//   rastrigin      sum z^2 - 10 cos(2 pi z) + 10                                minimum at 0
//   ackley         20 + e - 20 exp(-0.2 sqrt(mean z^2)) - exp(mean cos(2 pi z)) minimum at 0
//   griewank       1 + sum z^2 / 4000 - product cos(z[i] / sqrt(i))             minimum at 0 (i counts from 1)
//   schwefel_1_2   sum over i of (sum of z[j], j <= i)^2                        minimum at 0
//   schwefel_2_26  sum 418.98288727243369 - z sin(sqrt |z|), |z| <= 500         minimum (about 0) at 420.9687
// Beyond 500, where the last one would fall without end, z is taken as +-500 and the excess squared is added.
// With m the minimum's place in a function's formula, o the shift and R the rotation: z = m + R (x - m - o), so that
// the minimum lies at x = m + o. Rastrigin and Ackley are worked out by 1 - cos t = 2 sin^2(t / 2): no digits are lost
// near the minimum, and a value there may be smaller than what the formulas as written could show.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "evolve/de/box.hpp"
#include "evolve/de/objective.hpp"

namespace forelap::evolve::de {

enum class Function : std::uint8_t { sphere, rosenbrock, rastrigin, ackley, griewank, schwefel_1_2, schwefel_2_26 };

std::string_view name_of(Function function);
/// Throws bad input that lists the names.
Function function_named(std::string_view name);
/// The usual bounds: 100, 30, 5.12, 32, 600, 100, 500 to both sides.
Box usual_box(Function function, std::size_t dimension);

struct FunctionSettings {
  Function function = Function::sphere;
  std::size_t dimension = 0;  ///< at least 1; for rosenbrock at least 2
  std::vector<double> shift;  ///< o; empty for none, else one number a variable
  /// Orthogonal blocks on the diagonal of R, each block_size x block_size, row by row, one after the other; variables
  /// beyond the last block are not turned. Empty for none.
  std::vector<double> rotation;
  std::size_t block_size = 0;
};

/// A shift within the inner `share` (0 to 1) of the box, from the seed.
std::vector<double> random_shift(const Box& box, double share, std::uint64_t seed);
/// `blocks` random orthogonal matrices (Gram-Schmidt of normal numbers) from the seed.
std::vector<double> random_rotation(std::size_t block_size, std::size_t blocks, std::uint64_t seed);

/// Evaluates by vector code that gives the same bits on every processor, but for the few calls of sqrt, exp and the
/// like an evaluation makes outside of its loops. Without rotation, sphere, rastrigin, ackley, griewank and
/// schwefel_2_26 evaluate a part by its own terms alone (cost of the part, not of the whole).
class BenchmarkFunction : public Objective {
 public:
  /// Throws bad input when a size does not fit.
  explicit BenchmarkFunction(FunctionSettings settings);
  [[nodiscard]] std::size_t dimension() const override { return settings_.dimension; }
  void evaluate(std::span<const double> rows, std::span<double> values) override;
  [[nodiscard]] std::unique_ptr<Objective> part(std::span<const double> context,
                                                std::span<const std::uint32_t> variables) override;
  /// Where the minimum lies.
  [[nodiscard]] std::vector<double> minimum() const;
  [[nodiscard]] const FunctionSettings& settings() const { return settings_; }

 private:
  void turn(const double* x);
  [[nodiscard]] double value_of(const double* x, const double* shift);

  FunctionSettings settings_;
  std::vector<double> shift_;    // zeros where there is none
  std::vector<double> scale_;    // griewank: 1 / (2 pi sqrt(i))
  std::vector<double> centred_;  // scratch: x - m - o
  std::vector<double> turned_;   // scratch: z
  std::vector<double> nothing_;  // zeros
};

}  // namespace forelap::evolve::de
