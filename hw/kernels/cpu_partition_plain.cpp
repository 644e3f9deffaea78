#include <cstdint>

#include "hw/kernels/cpu_partition.hpp"

namespace forelap::hw::kernels {
namespace plain {

#define FL_WIDTH 4
#define FL_ROWS 4
#define FL_FMA(a, b, c) ((a) * (b) + (c))

using Vector __attribute__((vector_size(16))) = float;

static inline Vector fused(Vector a, Vector b, Vector c) {
  return a * b + c;
}
static inline Vector exact_fused(Vector a, Vector b, Vector c) {
  Vector result;
  for (int i = 0; i < FL_WIDTH; ++i) result[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return result;
}

#include "hw/kernels/cpu_partition.inc"

}  // namespace plain

const CpuPartition kPartitionPlain = plain::kKernels;

}  // namespace forelap::hw::kernels
