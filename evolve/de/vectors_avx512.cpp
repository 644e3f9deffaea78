// For processors of x86-64 with vectors of 512 bits (no fused operations: the same bits).
#include <cstddef>
#include <cstdint>

#include "evolve/de/vectors_x86.hpp"

namespace forelap::evolve::de {
namespace avx512 {

#include "evolve/de/vectors.inc"

}  // namespace avx512

const VectorCode kAvx512Vectors = {"avx512",       avx512::trial,    avx512::sphere,        avx512::rastrigin,
                                   avx512::ackley, avx512::griewank, avx512::schwefel_2_26, avx512::rosenbrock,
                                   avx512::rotate};

}  // namespace forelap::evolve::de
