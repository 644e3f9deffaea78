// For every processor.
#include <cstddef>
#include <cstdint>

#include "evolve/de/vectors.hpp"

namespace forelap::evolve::de {
namespace plain {

#include "evolve/de/vectors.inc"

}  // namespace plain

const VectorCode kPlainVectors = {"plain",       plain::trial,    plain::sphere,        plain::rastrigin,
                                  plain::ackley, plain::griewank, plain::schwefel_2_26, plain::rosenbrock,
                                  plain::rotate};

double put_back(double value, double lower, double upper) {
  return plain::back(value, lower, upper);
}

}  // namespace forelap::evolve::de
