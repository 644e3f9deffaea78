#pragma once
// What forelap must know of a kernel to size, predict and launch it: its arguments, its index space and its work as
// expressions of the buffer's size and of one free number, `repeat`. Built-in kernels and users' kernels are described
// alike.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/plan.hpp"
#include "scenarios/expression.hpp"

namespace forelap::scenarios {

/// One argument of a launch: the task's buffer, a number from an expression of bytes, n and repeat, or the number of
/// the pass (an int32, from 0).
struct KernelArgument {
  enum class Type : std::uint8_t { buffer, int32, int64, float32, float64, pass };
  Type type = Type::buffer;
  Expression value;  ///< unused for the buffer and the pass
};

/// The names that a kernel's expressions may use, in the order of their values: bytes, n, repeat.
const std::vector<std::string>& expression_names();

/// Expressions see: `bytes` (size of the task's buffer), `n` = floor(bytes / 4), `repeat` (whole number >= 1).
struct KernelDefinition {
  std::string name;
  std::string summary;
  std::vector<KernelArgument> arguments;
  Expression items;  ///< work-items of one launch (one dimension)
  Expression work;   ///< of all passes together: each has its part of the m in T = launch + per_work m + per_item items
  std::string work_unit;  ///< for people
  /// Launches in a row that make up the kernel: a whole number, 1 where not set. With a pass argument each is told its
  /// number.
  std::optional<Expression> passes;
  /// Where in the buffer the result begins, bytes; it reaches to the buffer's end. 0 where not set.
  std::optional<Expression> result;
  std::uint32_t group = 0;  ///< work-group size, 0 = the executor's default
  std::string opencl_file;  ///< path of a user's kernel, empty for built-in ones or where there is none
  std::string cuda_file;
  std::string entry;    ///< function name in those files; empty = name
  std::string options;  ///< compiler options
};

/// What a KernelStep needs.
struct Launch {
  core::KernelCall call;
  std::vector<core::Argument> arguments;
  double work = 0;           ///< of one pass
  double items = 0;          ///< of one pass
  std::uint32_t passes = 1;  ///< launches: the step's count
  std::uint64_t result = 0;  ///< offset of the result in the buffer, bytes
};

/// The launch of `kernel` over `buffer` of `bytes` with `repeat` >= 1. Throws core::Error (bad_input) naming the kernel
/// and the expression where a size comes out negative, not finite or beyond its type.
Launch make_launch(const KernelDefinition& kernel, core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat);

/// Definitions of the kernels of hw/kernels.
std::span<const KernelDefinition> builtin_definitions();

}  // namespace forelap::scenarios
