#include "calibrate/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/statistics.hpp"

namespace forelap::calibrate {
namespace {

Equation line(double x, double y) {
  return {{1, x, 0}, y, 0.01 * y};
}

TEST(LeastSquares, FindsTheLineThatItsEquationsLieOn) {
  const std::vector<Equation> equations = {line(1, 5.5), line(10, 10), line(1000, 505)};
  const LinearFit fit = fit_nonnegative(equations, 2);
  EXPECT_NEAR(fit.value[0], 5, 1e-9);
  EXPECT_NEAR(fit.value[1], 0.5, 1e-12);
  EXPECT_NEAR(fit.worst, 0, 1e-12);
  EXPECT_TRUE(fit.separable);
}

TEST(LeastSquares, HoldsAParameterAtZeroThatWouldBeNegative) {
  // y = -1 + 2 x at 1 and 10: the free line has a negative intercept.
  const std::vector<Equation> equations = {line(1, 1), line(10, 19)};
  EXPECT_NEAR(fit_free(equations, 2).value[0], -1, 1e-9);
  const LinearFit fit = fit_nonnegative(equations, 2);
  EXPECT_EQ(fit.value[0], 0);
  // Weights are 1/y^2: slope = sum(x/y) / sum(x^2/y^2) = (1 + 10/19) / (1 + 100/361).
  EXPECT_NEAR(fit.value[1], (1 + 10.0 / 19) / (1 + 100.0 / 361), 1e-9);
}

TEST(LeastSquares, SaysWhenTwoParametersCannotBeToldApart) {
  const std::vector<Equation> equations = {{{1, 2, 0}, 3, 0.1}, {{2, 4, 0}, 6, 0.1}};
  const LinearFit fit = fit_nonnegative(equations, 2);
  EXPECT_FALSE(fit.separable);
  EXPECT_NEAR(fit.value[0], 3, 1e-9);
  EXPECT_EQ(fit.value[1], 0);
}

TEST(LeastSquares, WeighsRelativeErrorsSoThatSmallTimesCount) {
  // Microseconds beside seconds: an unweighted fit would lose the latency in the noise of the largest.
  const std::vector<Equation> equations = {line(1e3, 5e-6 + 1e3 * 2e-11), line(1e6, 5e-6 + 1e6 * 2e-11),
                                           line(5e8, 1.001 * (5e-6 + 5e8 * 2e-11))};
  EXPECT_NEAR(fit_nonnegative(equations, 2).value[0], 5e-6, 5e-8);
}

TEST(LeastSquares, StandardErrorsAreThoseOfRepeatedExperiments) {
  // Sizes that scatter by what their sigma says, and small ones that scatter by ten times as much.
  core::Random random(3);
  std::vector<double> intercepts, slopes;
  double errors[2] = {0, 0};
  constexpr int kExperiments = 400;
  for (int i = 0; i < kExperiments; ++i) {
    std::vector<Equation> equations;
    for (int k = 0; k < 30; ++k) {
      const double x = std::pow(1.5, k), y = 5 + 0.01 * x;
      equations.push_back({{1, x, 0}, y * (1 + (x < 1000 ? 0.1 : 0.01) * random.normal()), 0.01 * y});
    }
    const LinearFit fit = fit_free(equations, 2);
    intercepts.push_back(fit.value[0]);
    slopes.push_back(fit.value[1]);
    for (std::size_t k = 0; k < 2; ++k) errors[k] += fit.error[k] / kExperiments;
  }
  EXPECT_NEAR(errors[0] / core::standard_deviation(intercepts), 1, 0.15);
  EXPECT_NEAR(errors[1] / core::standard_deviation(slopes), 1, 0.15);
}

TEST(LeastSquares, AnEquationThatAloneTellsAParameterHasTheErrorOfTheOthers) {
  const std::vector<Equation> equations = {line(1, 5.01), line(1e5, 1.02e3), line(2e5, 1.98e3), line(3e5, 3e3)};
  const LinearFit fit = fit_nonnegative(equations, 2);
  EXPECT_GT(fit.error[0], 0.03);
  EXPECT_LT(fit.error[0], 0.3);
}

}  // namespace
}  // namespace forelap::calibrate
