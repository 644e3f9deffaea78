#include "scenarios/kernel_definition.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::scenarios {
namespace {

constexpr double kElementBytes = 4;
constexpr double kLargestCount = 9007199254740992.0;  // 2^53: beyond it a double no longer holds every whole number

[[noreturn]] void refuse(const KernelDefinition& kernel, const std::string& what, const Expression& expression,
                         double value, std::uint64_t bytes, const std::string& why) {
  core::throw_bad_input("kernel \"" + kernel.name + "\": " + what + " (\"" + expression.text() + "\") comes to " +
                        core::shortest(value) + " for a buffer of " + std::to_string(bytes) + " bytes, " + why);
}

/// A whole number in [low, high], or an error that names the expression.
double whole(const KernelDefinition& kernel, const std::string& what, const Expression& expression, double value,
             std::uint64_t bytes, double low, double high) {
  if (!(value >= low && value <= high)) {
    refuse(kernel, what, expression, value, bytes,
           "outside " + core::shortest(low) + " to " + core::shortest(high) +
               "; choose another buffer size, or another type in `arguments`");
  }
  if (value != std::floor(value)) {
    refuse(kernel, what, expression, value, bytes, "not a whole number; use floor(...)");
  }
  return value;
}

core::Argument argument_value(const KernelDefinition& kernel, std::size_t position, const std::vector<double>& values,
                              std::uint64_t bytes) {
  const KernelArgument& argument = kernel.arguments[position];
  const std::string what = "argument " + std::to_string(position + 1);
  const double value = argument.value.evaluate(values);
  switch (argument.type) {
    case KernelArgument::Type::int32: {
      constexpr double kLow = std::numeric_limits<std::int32_t>::min();
      constexpr double kHigh = std::numeric_limits<std::int32_t>::max();
      return static_cast<std::int32_t>(whole(kernel, what + ", int32", argument.value, value, bytes, kLow, kHigh));
    }
    case KernelArgument::Type::int64:
      return static_cast<std::int64_t>(
          whole(kernel, what + ", int64", argument.value, value, bytes, -kLargestCount, kLargestCount));
    case KernelArgument::Type::float32:
      if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
        refuse(kernel, what + ", float32", argument.value, value, bytes, "which that type cannot hold");
      }
      return static_cast<float>(value);
    default:
      if (!std::isfinite(value)) {
        refuse(kernel, what + ", float64", argument.value, value, bytes, "which is not a finite number");
      }
      return value;
  }
}

/// One or more launches, as many as an int32 can number.
std::uint32_t passes_of(const KernelDefinition& kernel, const std::vector<double>& values, std::uint64_t bytes) {
  if (!kernel.passes) return 1;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(
      whole(kernel, "its number of passes", *kernel.passes, kernel.passes->evaluate(values), bytes, 1, kMost));
}

std::uint64_t result_of(const KernelDefinition& kernel, const std::vector<double>& values, std::uint64_t bytes) {
  if (!kernel.result) return 0;
  return static_cast<std::uint64_t>(whole(kernel, "the offset of its result", *kernel.result,
                                          kernel.result->evaluate(values), bytes, 0, static_cast<double>(bytes)));
}

KernelArgument buffer_argument() {
  return {KernelArgument::Type::buffer, {}};
}

KernelArgument int32_argument(std::string_view expression) {
  return {KernelArgument::Type::int32, Expression::parse(expression, expression_names())};
}

KernelArgument pass_argument() {
  return {KernelArgument::Type::pass, {}};
}

/// Where the result of a built-in kernel begins, and in how many passes it works; empty: at 0, in one.
struct Form {
  std::string_view result;
  std::string_view passes;
};

KernelDefinition define(std::string name, std::string summary, std::vector<KernelArgument> arguments,
                        std::string_view items, std::string_view work, std::string unit, const Form& form) {
  KernelDefinition kernel;
  kernel.name = std::move(name);
  kernel.summary = std::move(summary);
  kernel.arguments = std::move(arguments);
  kernel.items = Expression::parse(items, expression_names());
  kernel.work = Expression::parse(work, expression_names());
  kernel.work_unit = std::move(unit);
  if (!form.result.empty()) kernel.result = Expression::parse(form.result, expression_names());
  if (!form.passes.empty()) kernel.passes = Expression::parse(form.passes, expression_names());
  return kernel;
}

/// The other kernels of the ordering paper's real tasks. Inputs lie at the front of the buffer, results at its back, so
/// that every round of passes reads what was sent and leaves the same.
/// The side of the square matrices in the three thirds of a buffer, in whole tiles of 32 from two tiles on: rows that do
/// not begin where memory transactions do cost several per cent, by the side's last digits, which no model of the size
/// would follow.
std::string side_of_thirds() {
  return "max(32 * floor(sqrt(n / 3) / 32), min(floor(sqrt(n / 3)), 63))";
}

void add_real_tasks(std::vector<KernelDefinition>& kernels) {
  kernels.push_back(define("black_scholes",
                           "prices a call and a put for each number in the first third, `repeat` times",
                           {buffer_argument(), int32_argument("floor(n / 3)"), int32_argument("repeat")},
                           "floor(n / 3)", "floor(n / 3) * repeat", "options", {"4 * floor(n / 3)", {}}));
  kernels.push_back(define("fast_walsh", "Walsh transform of 2^k integers, `repeat` rounds of k passes",
                           {buffer_argument(), int32_argument("floor(log2(n / 2))"), pass_argument()},
                           "floor(min(n / 2, max(1, 2 ^ (floor(log2(n / 2)) - 1))))",
                           "max(1, 2 ^ (floor(log2(n / 2)) - 1) * floor(log2(n / 2))) * repeat", "pairs",
                           {"4 * 2 ^ floor(log2(n / 2))", "max(1, floor(log2(n / 2))) * repeat"}));
  const std::string side = side_of_thirds();
  kernels.push_back(define("floyd_warshall", "shortest paths of a full graph, `repeat` rounds of a pass a vertex",
                           {buffer_argument(), int32_argument(side), pass_argument()}, side + " ^ 2",
                           side + " ^ 3 * repeat", "paths", {"4 * " + side + " ^ 2", side + " * repeat"}));
  kernels.push_back(define("convolution", "separable convolution with 17 by 17 taps, `repeat` rounds of two passes",
                           {buffer_argument(), int32_argument("floor(sqrt(n / 3))"), pass_argument()},
                           "floor(sqrt(n / 3)) ^ 2", "34 * floor(sqrt(n / 3)) ^ 2 * repeat", "multiply-adds",
                           {"8 * floor(sqrt(n / 3)) ^ 2", "2 * repeat"}));
  kernels.push_back(define("transpose", "transposes a square matrix, in `repeat` passes",
                           {buffer_argument(), int32_argument("floor(sqrt(n / 2))")},
                           "64 * ceil(floor(sqrt(n / 2)) / 8) ^ 2", "floor(sqrt(n / 2)) ^ 2 * repeat", "elements",
                           {"4 * floor(sqrt(n / 2)) ^ 2", "repeat"}));
  kernels.push_back(define("dct", "cosine transform of blocks of 8 by 8, `repeat` rounds of two passes",
                           {buffer_argument(), int32_argument("8 * floor(sqrt(n / 3) / 8)"), pass_argument()},
                           "8 * floor(sqrt(n / 3) / 8) ^ 2", "128 * floor(sqrt(n / 3) / 8) ^ 2 * repeat", "elements",
                           {"512 * floor(sqrt(n / 3) / 8) ^ 2", "2 * repeat"}));
}

std::vector<KernelDefinition> make_builtin() {
  std::vector<KernelDefinition> kernels;
  kernels.push_back(define("synthetic", "multiplies each element of an int array by a factor, `repeat` times",
                           {buffer_argument(), int32_argument("n"), int32_argument("repeat"), int32_argument("3")}, "n",
                           "n * repeat", "element iterations", {}));
  kernels.push_back(define("vector_add", "c = a + b over the three thirds of the buffer, `repeat` times",
                           {buffer_argument(), int32_argument("floor(n / 3)"), int32_argument("repeat")},
                           "floor(n / 3)", "floor(n / 3) * repeat", "additions", {"8 * floor(n / 3)", {}}));
  const std::string side = side_of_thirds();
  kernels.push_back(define("matrix_multiply", "C = A B of square float matrices in the three thirds, `repeat` times",
                           {buffer_argument(), int32_argument(side), int32_argument("repeat")}, side + " ^ 2",
                           side + " ^ 3 * repeat", "multiply-adds", {"8 * " + side + " ^ 2", {}}));
  add_real_tasks(kernels);
  return kernels;
}

}  // namespace

const std::vector<std::string>& expression_names() {
  static const std::vector<std::string> names = {"bytes", "n", "repeat"};
  return names;
}

Launch make_launch(const KernelDefinition& kernel, core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat) {
  const auto size = static_cast<double>(bytes);
  const std::vector<double> values = {size, std::floor(size / kElementBytes), static_cast<double>(repeat)};
  Launch launch;
  launch.items =
      whole(kernel, "its number of work-items", kernel.items, kernel.items.evaluate(values), bytes, 1, kLargestCount);
  launch.work = kernel.work.evaluate(values);
  if (!(launch.work >= 0) || !std::isfinite(launch.work)) {
    refuse(kernel, "its work", kernel.work, launch.work, bytes, "expected a finite number, 0 or more");
  }
  launch.passes = passes_of(kernel, values, bytes);
  launch.work /= launch.passes;
  launch.result = result_of(kernel, values, bytes);
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].type == KernelArgument::Type::buffer) {
      launch.arguments.emplace_back(buffer);
    } else if (kernel.arguments[i].type == KernelArgument::Type::pass) {
      launch.call.pass_argument = static_cast<std::int32_t>(i);
      launch.arguments.emplace_back(std::int32_t{0});
    } else {
      launch.arguments.push_back(argument_value(kernel, i, values, bytes));
    }
  }
  launch.call.global_size = {static_cast<std::uint64_t>(launch.items), 1, 1};
  launch.call.group_size = {kernel.group, 1, 1};
  return launch;
}

std::span<const KernelDefinition> builtin_definitions() {
  static const std::vector<KernelDefinition> kernels = make_builtin();
  return kernels;
}

}  // namespace forelap::scenarios
