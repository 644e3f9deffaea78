#pragma once
// Generations of x86-64 processors beside the plain one.

#include "hw/kernels/cpu_partition.hpp"

namespace forelap::hw::kernels {

extern const CpuPartition kPartitionAvx2;
extern const CpuPartition kPartitionAvx512;

}  // namespace forelap::hw::kernels
