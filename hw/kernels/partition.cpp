#include "hw/kernels/partition.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "hw/kernels/agreement.hpp"
#include "hw/kernels/cpu_partition.hpp"
#include "hw/kernels/partition_references.hpp"

namespace forelap::hw::kernels {
namespace {

using Fill = void (*)(std::span<std::byte>, std::uint64_t);

// Positions in core::Argument.
constexpr std::uint8_t kBuffer = 0;
constexpr std::uint8_t kInt32 = 1;
constexpr std::uint8_t kInt64 = 2;
constexpr std::uint8_t kFloat = 3;

constexpr std::array<std::uint8_t, 4> kAddParameters = {kBuffer, kBuffer, kBuffer, kInt64};
constexpr std::array<Use, 4> kAddUses = {Use::in, Use::in, Use::out, Use::value};
constexpr std::array<Fill, 4> kAddFills = {fill_matrix_add, fill_matrix_add, nullptr, nullptr};

constexpr std::array<std::uint8_t, 8> kOptionsParameters = {kBuffer, kBuffer, kBuffer, kBuffer,
                                                            kBuffer, kFloat,  kFloat,  kInt64};
constexpr std::array<Use, 8> kOptionsUses = {Use::in,  Use::in,    Use::in,    Use::out,
                                             Use::out, Use::value, Use::value, Use::value};
constexpr std::array<Fill, 8> kOptionsFills = {fill_prices, fill_strikes, fill_years, nullptr,
                                               nullptr,     nullptr,      nullptr,    nullptr};

constexpr std::array<std::uint8_t, 6> kProductParameters = {kBuffer, kBuffer, kBuffer, kInt32, kInt32, kInt32};
constexpr std::array<Use, 6> kProductUses = {Use::in, Use::in, Use::out, Use::value, Use::value, Use::value};
constexpr std::array<Fill, 6> kProductFills = {fill_factors, fill_factors, nullptr, nullptr, nullptr, nullptr};

constexpr std::array<std::uint8_t, 6> kSetParameters = {kBuffer, kInt32, kInt32, kInt32, kInt32, kInt32};
constexpr std::array<Use, 6> kSetUses = {Use::out, Use::value, Use::value, Use::value, Use::value, Use::value};
constexpr std::array<Fill, 6> kSetFills = {};

/// Of option prices, as of black_scholes: what is left of floats of 24 bits after differences of prices up to 100.
constexpr double kOptionTolerance = 1e-4;
/// Of sums of products in floats, against sums in doubles: products of numbers up to 1, thousands of them.
constexpr double kProductTolerance = 1e-3;

constexpr std::int32_t kFollowed = 4096;
/// Beside its iterations a point takes about this much, in iterations: its place in the plane, its store.
constexpr double kPointCost = 8;

double cost_of(std::int32_t counted, std::int32_t followed, std::int32_t iterations) {
  return kPointCost + static_cast<double>(counted == followed ? iterations : counted);
}

RowCost cost_of_row(std::span<const std::int32_t> counts, std::int32_t followed, std::int32_t iterations) {
  constexpr std::size_t kWarp = 32;
  RowCost cost;
  for (std::size_t begin = 0; begin < counts.size(); begin += kWarp) {
    const auto warp = counts.subspan(begin, std::min(kWarp, counts.size() - begin));
    double largest = 0;
    for (const std::int32_t counted : warp) {
      const double of_point = cost_of(counted, followed, iterations);
      cost.items += of_point;
      largest = std::max(largest, of_point);
    }
    cost.warps += kWarp * largest;
  }
  return cost;
}

}  // namespace

std::span<const PartitionKernel> partition_kernels() {
  static const std::array<PartitionKernel, 4> kernels = {{
      {"matrix_add", "adds two arrays", kAddParameters, kAddUses, kAddFills, word_of_matrix_add, work_of_element},
      {"black_scholes_options", "prices calls and puts", kOptionsParameters, kOptionsUses, kOptionsFills,
       word_of_options, work_of_option, kOptionTolerance},
      {"matrix_multiply_rows", "multiplies rows of a matrix by a matrix", kProductParameters, kProductUses,
       kProductFills, word_of_product, work_of_product, kProductTolerance},
      {"mandelbrot", "iterations of points of the Mandelbrot set", kSetParameters, kSetUses, kSetFills, word_of_point,
       work_of_point},
  }};
  return kernels;
}

const PartitionKernel* find_partition_kernel(std::string_view name) {
  for (const PartitionKernel& kernel : partition_kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

bool agrees(const PartitionKernel& kernel, std::uint32_t found, std::uint32_t expected) {
  return words_agree(kernel.tolerance, found, expected);
}

bool sample_row_costs(std::string_view name, std::span<const core::Argument> arguments,
                      std::span<const std::uint64_t> rows, std::span<RowCost> costs) {
  if (name != "mandelbrot") return false;
  auto width = std::get<std::int32_t>(arguments[1]);
  auto height = std::get<std::int32_t>(arguments[2]);
  const auto iterations = std::get<std::int32_t>(arguments[5]);
  std::int32_t followed = std::min(iterations, kFollowed);
  std::int32_t one_row = 1;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(std::max(width, 0)));
  for (std::size_t i = 0; i < std::min(rows.size(), costs.size()); ++i) {
    auto row = static_cast<std::int32_t>(rows[i]);
    const std::array<void*, 6> values = {counts.data(), &width, &height, &row, &one_row, &followed};
    cpu_partition().mandelbrot(0, counts.size(), values.data());
    costs[i] = cost_of_row(counts, followed, iterations);
  }
  return true;
}

}  // namespace forelap::hw::kernels
