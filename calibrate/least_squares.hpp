#pragma once
// Weighted least squares with parameters that cannot be negative. Internal to calibrate/.

#include <array>
#include <span>

namespace forelap::calibrate {

inline constexpr std::size_t kMostParameters = 3;

/// One equation: y = sum of x[i] * parameter[i], to within `sigma` (same unit as y, > 0).
struct Equation {
  std::array<double, kMostParameters> x{};
  double y = 0;
  double sigma = 1;
};

struct LinearFit {
  std::array<double, kMostParameters> value{};
  std::array<double, kMostParameters> error{};  ///< standard errors, each equation having its own where they are enough
  double chi2 = 0;                              ///< sum of squared residuals in units of sigma
  double worst = 0;                             ///< largest |residual| / y
  double misfit = 0;                            ///< root mean square of residual / y, weighted by 1 / (sigma / y)^2
  bool separable = true;  ///< false: some parameters cannot be told apart by these equations and are 0
};

/// The exact minimum over parameters >= 0 (the first `parameters` of them), found by trying which are zero. Columns
/// that are linear combinations of earlier ones are left at 0.
LinearFit fit_nonnegative(std::span<const Equation> equations, std::size_t parameters);

/// The minimum without the bound.
LinearFit fit_free(std::span<const Equation> equations, std::size_t parameters);

}  // namespace forelap::calibrate
