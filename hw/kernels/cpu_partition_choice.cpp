#include "hw/kernels/cpu_partition.hpp"

namespace forelap::hw::kernels {

const CpuPartition& cpu_partition() {
  return kPartitionPlain;
}

}  // namespace forelap::hw::kernels
