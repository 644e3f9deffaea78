#pragma once
// Random groups for the tests of order searches.

#include "core/statistics.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tests {

struct ProblemShape {
  std::size_t tasks = 4;
  bool two_engines = true;
  bool missing_htods = false;  ///< else only kernels and dtohs may be missing
};

/// Interference of one of several kinds (none, asymmetric between transfers, with kernels), latencies or none, equal
/// tasks now and then.
tune::order::Problem random_problem(core::Random& random, const ProblemShape& shape);

}  // namespace forelap::tests
