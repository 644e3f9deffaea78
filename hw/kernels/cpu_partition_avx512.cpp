// For processors of x86-64 with vectors of 512 bits: compiled with -mavx512f and its companions.

#include <immintrin.h>

#include <cstdint>

#include "hw/kernels/cpu_partition_x86.hpp"

namespace forelap::hw::kernels {
namespace avx512 {

#define FL_WIDTH 16
#define FL_ROWS 12
#define FL_FMA(a, b, c) __builtin_fmaf(a, b, c)

using Vector = __m512;

static inline Vector fused(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline Vector exact_fused(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}

#include "hw/kernels/cpu_partition.inc"

}  // namespace avx512

const CpuPartition kPartitionAvx512 = avx512::kKernels;

}  // namespace forelap::hw::kernels
