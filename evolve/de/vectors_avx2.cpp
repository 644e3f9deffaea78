// For processors of x86-64 since about 2013: compiled with -mavx2 (no fused operations: the same bits).
#include <cstddef>
#include <cstdint>

#include "evolve/de/vectors_x86.hpp"

namespace forelap::evolve::de {
namespace avx2 {

#include "evolve/de/vectors.inc"

}  // namespace avx2

const VectorCode kAvx2Vectors = {"avx2",         avx2::trial,         avx2::sphere,     avx2::rastrigin, avx2::ackley,
                                 avx2::griewank, avx2::schwefel_2_26, avx2::rosenbrock, avx2::rotate};

}  // namespace forelap::evolve::de
