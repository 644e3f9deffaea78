#pragma once
// A kernel without its types: what a controller keeps of it. Users write kernels by the macros of kernel.hpp.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hw/controller/tile.hpp"

namespace forelap::hw::controller {

enum class Role : std::uint8_t { in, out, inout, value };
enum class DeviceKind : std::uint8_t { cpu, cuda, opencl };

/// How the accesses of neighbouring work-items to memory fall together.
enum class Coalescing : std::uint8_t { full, medium, scatter };
enum class Level : std::uint8_t { low, medium, high };

/// What a kernel's author says of it; chooses the block geometry and the granularity on CPU cores.
struct Character {
  Coalescing coalescing = Coalescing::full;
  Level arithmetic = Level::medium;  ///< operations per access to memory
  Level sharing = Level::low;        ///< data that the items of a block share, per access to memory
};

/// Work-items of a group in each dimension of the kernel, in the order of its indices (the slowest first). 0 in the
/// first: chosen by the kernel's character.
using Block = std::array<std::uint32_t, 3>;

struct Parameter {
  std::string name;
  Role role = Role::value;
  std::string type;               ///< of an element, or of the value: "float"
  int dimensions = 0;             ///< of a tile
  std::size_t element_bytes = 0;  ///< of a tile
};

/// A tile or a value, in a launch.
using LaunchArgument = std::variant<std::shared_ptr<TileState>, int, long, float, double>;

/// An argument on the CPU: where the tile's first element or the value is.
struct CpuArgument {
  void* data = nullptr;
  Extents extents = {1, 1, 1};
};

/// The part of a launch that one call of a CPU version does: indices [first, last) of the two leading dimensions, and
/// all of the third.
struct CpuSlice {
  std::array<std::int64_t, 2> first = {0, 0};
  std::array<std::int64_t, 2> last = {0, 1};
  Extents extents = {0, 1, 1};  ///< of the whole launch
  std::span<const CpuArgument> arguments;
};
using CpuFunction = std::function<void(const CpuSlice&)>;

/// A launch as a wrapper around a library sees it, on a thread where the device is current. All of it is valid during
/// the call only, which enqueues and does not wait.
struct NativeLaunch {
  void* queue = nullptr;  ///< CUstream or cl_command_queue; null on CPU cores
  struct Argument {
    /// Of a tile: the address (CUDA, CPU) or cl_mem of the rows [first, first + extents[0]) that are here.
    std::uint64_t memory = 0;
    std::int64_t first = 0;
    Extents extents = {1, 1, 1};
    LaunchArgument value;  ///< of a value
  };
  std::vector<Argument> arguments;
  std::int64_t first = 0;  ///< the rows of the index space to do: [first, first + rows)
  std::int64_t rows = 0;
  Extents space = {0, 1, 1};
};
using NativeFunction = std::function<void(const NativeLaunch&)>;

/// The text of a kernel's body in the language of a device kind. It sees the kernel's parameters and indices and must
/// itself leave out items beyond the index space (`inside` tells), so that barriers are reached by all.
struct TextVersion {
  std::string body;
  Block block = {0, 1, 1};
};

struct KernelDefinition {
  std::string name;
  std::string file;                  ///< that defines it
  std::string origin;                ///< file and line, for messages
  std::vector<std::string> indices;  ///< their names; as many as it has dimensions
  std::vector<Parameter> parameters;
  std::string body;  ///< of the generic version, braces included; empty: there is none
  CpuFunction run_on_cpu;

  Character character;
  Block block = {0, 1, 1};   ///< wished for; {0}: by the character
  double work_per_item = 1;  ///< for the choice of weights, in the unit of a profile's model of the kernel
  CpuFunction cpu_version;   ///< specialised; called with whole rows
  std::map<DeviceKind, TextVersion> text_versions;
  std::map<DeviceKind, NativeFunction> wrappers;
  bool is_matrix_product = false;  ///< third = first * second: a BLAS may do it
};

/// A function that kernels may call: its text goes before every kernel that names it. Registered when the program
/// starts.
class KernelFunction {
 public:
  KernelFunction(const char* result, const char* name, const char* parameters, const char* body, const char* file);
};

/// Splits "(in<float, 2> a, float b)" and gives the names. Throws std::invalid_argument where the text is not one.
std::vector<std::string> parameter_names(const std::string& text);

}  // namespace forelap::hw::controller
