#pragma once
// The kernels of partition.hpp for the CPU, compiled for several generations of processors; the best that this one
// runs is chosen at run time. Nothing but plain pointers and numbers here: code of one generation must not be shared
// with another through inline functions.

#include <cstddef>

namespace forelap::hw::kernels {

/// Works on [begin, end) of a kernel's items on the CPU; `arguments[i]` points at the value of argument i, for a buffer
/// at the memory itself. Threads may work on parts of one launch at once.
using PartitionRange = void (*)(std::size_t begin, std::size_t end, void* const* arguments);

/// One generation's kernels. Items: elements, options, tiles of kTileRows by kTileColumns elements of c (column of
/// tiles by column), points.
struct CpuPartition {
  PartitionRange matrix_add;
  PartitionRange black_scholes_options;
  PartitionRange matrix_multiply_rows;
  PartitionRange mandelbrot;
};

inline constexpr std::size_t kTileRows = 96;
inline constexpr std::size_t kTileColumns = 512;

/// Vectors of 4 floats that every processor has, or is given by the compiler.
extern const CpuPartition kPartitionPlain;

/// The best for this processor.
const CpuPartition& cpu_partition();

}  // namespace forelap::hw::kernels
