// For processors of x86-64 since about 2013: compiled with -mavx2 -mfma.

#include <immintrin.h>

#include <cstdint>

#include "hw/kernels/cpu_partition_x86.hpp"

namespace forelap::hw::kernels {
namespace avx2 {

#define FL_WIDTH 8
#define FL_ROWS 6
#define FL_FMA(a, b, c) __builtin_fmaf(a, b, c)

using Vector = __m256;

static inline Vector fused(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
static inline Vector exact_fused(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}

#include "hw/kernels/cpu_partition.inc"

}  // namespace avx2

const CpuPartition kPartitionAvx2 = avx2::kKernels;

}  // namespace forelap::hw::kernels
