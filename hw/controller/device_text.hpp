#pragma once
// The source of a kernel for the compilers of CUDA and OpenCL, from its definition.
//
// A tile parameter `a` becomes the arguments fl_data_a, fl_first_a (the row at which the memory begins) and
// fl_extent_a_0, ... (of the whole tile), and the macro a(i, j), so that bodies index the whole tile. After the
// kernel's own parameters come fl_first and fl_last, the rows [first, last) of the launch, and fl_extent_1, fl_extent_2
// of its index space, as many as the kernel has dimensions.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/controller/kernel_definition.hpp"
#include "hw/device.hpp"

namespace forelap::hw::controller {

inline constexpr const char* kEntry = "forelap_kernel";

/// The complete source for `kind` (cuda, opencl). With a text version, its body in place of the generic one, and no
/// guard before it. Throws core::Error (bad_input) where a name of the body is a function of several files and none of
/// them is the kernel's.
std::string device_source(const KernelDefinition& kernel, DeviceKind kind, const TextVersion* version);

/// A tile's part on a device, for arguments.
struct TilePlace {
  DeviceMemory* memory = nullptr;
  std::int64_t first = 0;  ///< the row at which the memory begins
  Extents extents = {0, 1, 1};
};
/// Appends what stands for a tile.
void append_tile(std::vector<ResolvedArgument>& arguments, const TilePlace& place, int dimensions);
/// Appends a value; `value` holds no tile.
void append_value(std::vector<ResolvedArgument>& arguments, const LaunchArgument& value);
/// Appends the rows and index space of a launch of `dimensions` dimensions.
void append_space(std::vector<ResolvedArgument>& arguments, std::int64_t first, std::int64_t last,
                  const Extents& extents, std::size_t dimensions);

}  // namespace forelap::hw::controller
