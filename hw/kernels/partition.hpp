#pragma once
// Built-in kernels over several buffers, made to be divided over devices: a launch works on the part that its buffers
// hold. One source each for CUDA and OpenCL (the `.inc` files beside this) and, for elements and options, the CPU; the
// matrix product and the Mandelbrot set have their own form for the CPU. Arguments, in this order:
//
//   matrix_add(a, b, c, int64 count)                                           c = a + b
//   black_scholes_options(price, strike, years, call, put, float rate, float volatility, int64 count)
//   matrix_multiply_rows(a, b, c, int32 rows, int32 inner, int32 columns)      c = a b; b is whole on every device
//   mandelbrot(image, int32 width, int32 height, int32 first_row, int32 rows, int32 iterations)
//
// Index spaces have one dimension: count; count; rows * columns; rows * width. How a device walks them is its own
// matter (device_form in library.hpp).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/plan.hpp"

namespace forelap::hw::kernels {

/// What a launch does with an argument.
enum class Use : std::uint8_t { value, in, out };

/// The buffers of a launch as they stand on the host, by argument; empty for values.
using PartBuffers = std::span<const std::span<const std::byte>>;

struct PartitionKernel {
  std::string_view name;
  std::string_view summary;
  std::span<const std::uint8_t> parameters;  ///< position of each parameter's type in core::Argument
  std::span<const Use> uses;                 ///< of each parameter; no buffer is both read and written
  /// Input for the buffer of each parameter, as BuiltinKernel::fill; null for results and values.
  std::span<void (*const)(std::span<std::byte> buffer, std::uint64_t seed)> fills;
  /// One word (4 bytes) of the result in the buffer of argument `position`, plainly from the input: true and its bits
  /// where the launch writes word `i` of that buffer, else false.
  bool (*word)(PartBuffers buffers, std::span<const core::Argument> arguments, std::size_t position, std::size_t i,
               std::uint32_t& value);
  /// About how many operations `word` takes.
  double (*word_work)(std::span<const core::Argument> arguments);
  /// 0: words are equal to the bit. Else floats that may differ by this part of the reference or of 1, whichever is
  /// larger (see `agrees` in library.hpp).
  double tolerance = 0;
};

std::span<const PartitionKernel> partition_kernels();
/// The kernel called `name`, or null.
const PartitionKernel* find_partition_kernel(std::string_view name);

/// Whether `found`, a word of the kernel's result, is what `expected` says, by its tolerance.
bool agrees(const PartitionKernel& kernel, std::uint32_t found, std::uint32_t expected);

/// Work of a row of an irregular kernel, in its unit of work (mandelbrot: iterations of a point).
struct RowCost {
  double items = 0;  ///< the sum over the row: what a core does that works on one point after the other
  double warps = 0;  ///< 32 times the sum of the largest in each 32 neighbours: what a GPU does that runs them together
};

/// Costs of `rows`, row numbers of the whole index space that `arguments` describe as one part (mandelbrot: first_row 0
/// and rows = height; the image is not touched). False where the rows of the kernel called `name` all cost the same.
/// Takes some tenths of a second for hundreds of rows: points that stay long are followed for 4096 iterations and then
/// taken for ones that never escape.
bool sample_row_costs(std::string_view name, std::span<const core::Argument> arguments,
                      std::span<const std::uint64_t> rows, std::span<RowCost> costs);

}  // namespace forelap::hw::kernels
