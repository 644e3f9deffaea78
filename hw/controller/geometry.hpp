#pragma once
// The geometry of launches: work-items of a group on devices, rows of a block on CPU cores, both from a kernel's
// character; chunks of a part.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/controller/kernel_definition.hpp"

namespace forelap::hw::controller {

/// The group of a kernel of `dimensions` dimensions over the index space `extents`, slowest dimension first.
///
/// Neighbours in the last dimension are neighbours in memory, so a group is a warp wide there (more where the kernel is
/// one-dimensional), except where accesses scatter: then small groups let more of them be under way at once. Kernels
/// whose items share data get square groups, which share most; kernels with much arithmetic get smaller groups, whose
/// ends are waited for less. The extents narrow a group that is wider than the index space. After the characterisation
/// of Torres, Gonzalez-Escribano and Llanos (uBench, 2013), with the warps and groups of present devices.
Block group_by_character(const Character& character, std::size_t dimensions, const Extents& extents);

/// How a launch is cut for the threads of a group of cores.
struct CpuBlocks {
  std::int64_t rows = 1;     ///< of a block, in the leading dimension
  std::int64_t columns = 1;  ///< of a block, in the second dimension
  std::int64_t row_blocks = 0;
  std::int64_t column_blocks = 1;
};
/// Blocks for `rows` rows of the index space on `threads` threads: 8 a thread where the work is regular, 32 where
/// arithmetic dominates (items may differ then), none smaller than what it costs to hand out. The second dimension is
/// cut only where rows alone are too few.
CpuBlocks cpu_blocks(const Character& character, std::size_t dimensions, std::int64_t rows, const Extents& extents,
                     std::size_t threads);

/// Where chunks of a part of `rows` rows begin, and its end: at most `chunks` of them, as equal as they can be.
std::vector<std::int64_t> chunk_bounds(std::int64_t rows, std::int64_t chunks);
/// As many chunks as give 16 MiB or more each, 1 to 16.
std::int64_t chunks_by_size(std::uint64_t bytes);

}  // namespace forelap::hw::controller
