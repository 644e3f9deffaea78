#pragma once
// The built-in kernels: one source each for CPU, CUDA and OpenCL, and a plain reference. The `.inc` files beside this
// hold the sources. How a launch is shaped (arguments, items, work expression) is the kernel's definition in
// scenarios/kernel_definition.hpp; the argument order there and here is the same, kept by a test.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/plan.hpp"

namespace forelap::hw::kernels {

struct BuiltinKernel {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// True where each 4-byte element of the buffer depends on itself alone, so that `reference` of any part of the
  /// buffer is that part of the result.
  bool elementwise;
  /// For each parameter the position of its type in core::Argument (0: a buffer).
  std::span<const std::uint8_t> parameters;
  /// Fills a buffer's host side with the kernel's input, from a seed. The buffer is any whole number of bytes.
  void (*fill)(std::span<std::byte> buffer, std::uint64_t seed);
  /// The plain reference: turns the input in `buffer` into what one launch leaves there, or all passes of a kernel that
  /// works in passes (any whole number of its rounds leaves the same). `arguments` are those of the launch, the
  /// buffer's id among them; value arguments are read from it.
  void (*reference)(std::span<std::byte> buffer, std::span<const core::Argument> arguments);
  /// Runs the work-items [begin, end) of a one-dimensional launch on the calling thread. `arguments[i]` points at the
  /// value of argument i; for a buffer, at the memory itself.
  void (*run_on_cpu)(std::size_t begin, std::size_t end, std::span<void* const> arguments);
  /// One word of the result, computed plainly from the input that stands in `buffer` before the launch: true and its
  /// bits where the kernel's result has word `i` (of 4 bytes, from the start of the buffer), else false. Null for
  /// elementwise kernels; all others keep their input and their result apart, so a launch leaves its input as it was.
  bool (*word)(std::span<const std::byte> buffer, std::span<const core::Argument> arguments, std::size_t i,
               std::uint32_t& value) = nullptr;
  /// About how many operations `word` takes.
  double (*word_work)(std::span<const core::Argument> arguments) = nullptr;
  /// 0: the result is the reference's to the bit. Else its words are floats that may differ from the reference's by
  /// this part of the reference or of 1, whichever is larger: exp, log and sqrt are not rounded alike everywhere.
  double tolerance = 0;
};

/// Whether `found`, a word of the kernel's result, is what `expected` says, by the kernel's tolerance.
bool agrees(const BuiltinKernel& kernel, std::uint32_t found, std::uint32_t expected);

/// Complete sources, prelude included; every built-in kernel, those of partition.hpp too, is an entry of each under its
/// own name.
std::string opencl_source();
std::string cuda_source();
/// The words alone (FL_BODY, FL_ENTRY and so on) in which a source for every device is written, to go before it.
std::string opencl_words();
std::string cuda_words();

std::span<const BuiltinKernel> builtin_kernels();
/// The kernel called `name`, or null.
const BuiltinKernel* find_builtin(std::string_view name);

/// Names of all kernels that the sources hold: those of this header, then those of partition.hpp.
std::vector<std::string> kernel_names();

/// Whole numbers among the arguments of a launch, by position; 0 for all others.
using Numbers = std::span<const std::int64_t>;

/// How the pool of CPU threads runs a kernel.
struct CpuForm {
  std::string_view name;
  std::span<const std::uint8_t> parameters;
  /// As BuiltinKernel::run_on_cpu, over the form's own items.
  void (*run)(std::size_t begin, std::size_t end, std::span<void* const> arguments);
  /// Items of a launch with these arguments; null: those of the launch.
  std::size_t (*items)(Numbers numbers) = nullptr;
  std::size_t smallest_block = 256;  ///< items that are not worth dividing
  std::size_t blocks_of_thread = 8;  ///< about how many blocks each thread gets: more where items differ in work
};
/// The form of the kernel called `name`; nothing without such a kernel.
std::optional<CpuForm> cpu_form(std::string_view name);

/// How CUDA and OpenCL devices run a kernel that is not one item for each of its launch's.
struct DeviceForm {
  std::uint32_t group = 0;  ///< items of a group in the first dimension, always; 1 in the others
  std::array<std::uint64_t, 3> (*items)(Numbers numbers) = nullptr;  ///< of a launch with these arguments
};
/// The form of the kernel called `name`, or null where a launch is run as it says.
const DeviceForm* device_form(std::string_view name);

inline constexpr std::size_t kMostArguments = 16;
/// The whole numbers among arguments: variants whose alternatives after the first are core::Argument's.
template <class Argument>
std::array<std::int64_t, kMostArguments> numbers_of(std::span<const Argument> arguments) {
  std::array<std::int64_t, kMostArguments> numbers{};
  for (std::size_t i = 0; i < std::min(arguments.size(), numbers.size()); ++i) {
    if (const auto* small = std::get_if<std::int32_t>(&arguments[i])) numbers[i] = *small;
    if (const auto* large = std::get_if<std::int64_t>(&arguments[i])) numbers[i] = *large;
  }
  return numbers;
}
/// The launch as a device of that form runs it.
template <class Argument>
core::KernelCall shaped(const DeviceForm& form, std::span<const Argument> arguments, core::KernelCall call) {
  call.global_size = form.items(numbers_of(arguments));
  call.group_size = {form.group, 1, 1};
  return call;
}

}  // namespace forelap::hw::kernels
