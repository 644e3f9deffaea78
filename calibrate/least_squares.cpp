#include "calibrate/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace forelap::calibrate {
namespace {

struct Solution {
  bool full_rank = false;
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;  ///< for sigmas taken at their word
  double chi2 = std::numeric_limits<double>::infinity();
};

Solution solve(std::span<const Equation> equations, const std::vector<std::size_t>& columns) {
  const auto rows = static_cast<Eigen::Index>(equations.size());
  const auto width = static_cast<Eigen::Index>(columns.size());
  Solution solution;
  solution.values = Eigen::VectorXd::Zero(width);
  if (rows < width) return solution;
  Eigen::MatrixXd a(rows, width);
  Eigen::VectorXd b(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const Equation& e = equations[static_cast<std::size_t>(r)];
    for (Eigen::Index c = 0; c < width; ++c) a(r, c) = e.x[columns[static_cast<std::size_t>(c)]] / e.sigma;
    b(r) = e.y / e.sigma;
  }
  // Columns differ by many orders of magnitude (a latency in seconds, bytes): scale them to length one.
  Eigen::VectorXd scale = a.colwise().norm().transpose();
  for (Eigen::Index c = 0; c < width; ++c) {
    if (scale(c) <= 0) return solution;
    a.col(c) /= scale(c);
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  qr.setThreshold(1e-7);
  solution.full_rank = qr.rank() == width;
  if (!solution.full_rank) return solution;
  const Eigen::VectorXd scaled = width == 0 ? Eigen::VectorXd(0) : Eigen::VectorXd(qr.solve(b));
  solution.values = scaled.cwiseQuotient(scale);
  solution.chi2 = (b - a * scaled).squaredNorm();
  solution.covariance = (a.transpose() * a).inverse();
  solution.covariance.array() /= (scale * scale.transpose()).array();
  return solution;
}

double predicted(const Equation& e, const LinearFit& fit) {
  double y = 0;
  for (std::size_t i = 0; i < kMostParameters; ++i) y += e.x[i] * fit.value[i];
  return y;
}

/// Standard errors by each equation's own residual (White 1980, in the jackknife form of MacKinnon and White 1985), so
/// that sizes which scatter more than their sigma says do not make a parameter uncertain that others determine.
Eigen::MatrixXd covariance_of(std::span<const Equation> equations, const std::vector<std::size_t>& columns,
                              const Solution& solution, const LinearFit& fit) {
  const double freedom = static_cast<double>(equations.size()) - static_cast<double>(columns.size());
  if (freedom <= 0) return solution.covariance;
  // An equation that alone determines a parameter is met exactly, whatever its error: it has that of the others.
  constexpr double kMostLeverage = 0.9;
  const double noise = solution.chi2 / freedom;
  const auto width = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd scatter = Eigen::MatrixXd::Zero(width, width);
  for (const Equation& e : equations) {
    Eigen::VectorXd x(width);
    for (std::size_t c = 0; c < columns.size(); ++c) x(static_cast<Eigen::Index>(c)) = e.x[columns[c]] / e.sigma;
    const double leverage = x.dot(solution.covariance * x);
    const double without = (predicted(e, fit) - e.y) / e.sigma / (1 - std::min(leverage, kMostLeverage));
    scatter += x * x.transpose() * (leverage < kMostLeverage ? without * without : noise);
  }
  return solution.covariance * scatter * solution.covariance;
}

/// Fills the measures of quality that compare the line with the equations.
void judge(std::span<const Equation> equations, const std::vector<std::size_t>& columns, const Solution& solution,
           LinearFit& fit) {
  double weights = 0, misfits = 0;
  for (const Equation& e : equations) {
    if (e.y <= 0) continue;
    const double relative = (predicted(e, fit) - e.y) / e.y;
    const double weight = (e.y / e.sigma) * (e.y / e.sigma);
    weights += weight;
    misfits += weight * relative * relative;
    fit.worst = std::max(fit.worst, std::abs(relative));
  }
  if (weights > 0) fit.misfit = std::sqrt(misfits / weights);
  const Eigen::MatrixXd covariance = covariance_of(equations, columns, solution, fit);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto i = static_cast<Eigen::Index>(c);
    fit.error[columns[c]] = std::sqrt(std::max(0.0, covariance(i, i)));
  }
}

LinearFit finish(std::span<const Equation> equations, const std::vector<std::size_t>& columns,
                 const Solution& solution) {
  LinearFit fit;
  fit.chi2 = solution.chi2;
  for (std::size_t c = 0; c < columns.size(); ++c)
    fit.value[columns[c]] = solution.values(static_cast<Eigen::Index>(c));
  judge(equations, columns, solution, fit);
  return fit;
}

/// The columns, in order, that are not combinations of earlier ones.
std::vector<std::size_t> independent(std::span<const Equation> equations, std::size_t parameters) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < parameters; ++i) {
    columns.push_back(i);
    if (!solve(equations, columns).full_rank) columns.pop_back();
  }
  return columns;
}

}  // namespace

LinearFit fit_nonnegative(std::span<const Equation> equations, std::size_t parameters) {
  const std::vector<std::size_t> usable = independent(equations, parameters);
  LinearFit best;
  best.chi2 = std::numeric_limits<double>::infinity();
  const std::size_t subsets = std::size_t{1} << usable.size();
  for (std::size_t subset = 1; subset < subsets; ++subset) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < usable.size(); ++i) {
      if ((subset >> i & 1U) != 0) columns.push_back(usable[i]);
    }
    const Solution solution = solve(equations, columns);
    if (!solution.full_rank || solution.values.minCoeff() < 0) continue;
    if (solution.chi2 < best.chi2) best = finish(equations, columns, solution);
  }
  best.separable = usable.size() == parameters;
  return best;
}

LinearFit fit_free(std::span<const Equation> equations, std::size_t parameters) {
  const std::vector<std::size_t> usable = independent(equations, parameters);
  if (usable.empty()) return {};
  LinearFit fit = finish(equations, usable, solve(equations, usable));
  fit.separable = usable.size() == parameters;
  return fit;
}

}  // namespace forelap::calibrate
