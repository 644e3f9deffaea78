#include "hw/kernels/cpu_partition_x86.hpp"

namespace forelap::hw::kernels {

const CpuPartition& cpu_partition() {
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return wide && fused ? kPartitionAvx512 : fused ? kPartitionAvx2 : kPartitionPlain;
}

}  // namespace forelap::hw::kernels
