#include "evolve/de/vectors_x86.hpp"

namespace forelap::evolve::de {

const VectorCode& vector_code() {
  const bool avx2 = __builtin_cpu_supports("avx2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return avx512 && avx2 ? kAvx512Vectors : avx2 ? kAvx2Vectors : kPlainVectors;
}

}  // namespace forelap::evolve::de
