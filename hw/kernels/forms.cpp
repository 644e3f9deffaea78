// How devices run the kernels of both headers.

#include <array>

#include "hw/kernels/cpu_partition.hpp"
#include "hw/kernels/library.hpp"
#include "hw/kernels/partition.hpp"

namespace forelap::hw::kernels {
namespace {

std::uint64_t whole_tiles(std::int64_t extent, std::uint64_t tile) {
  return extent <= 0 ? 0 : (static_cast<std::uint64_t>(extent) + tile - 1) / tile;
}

std::size_t product_tiles_on_cpu(Numbers numbers) {
  return whole_tiles(numbers[3], kTileRows) * whole_tiles(numbers[5], kTileColumns);
}

/// Groups of 256 items for tiles of 128 by 128.
std::array<std::uint64_t, 3> product_items_on_device(Numbers numbers) {
  return {256 * whole_tiles(numbers[5], 128), whole_tiles(numbers[3], 128), 1};
}

constexpr DeviceForm kProductForm = {256, product_items_on_device};

template <PartitionRange CpuPartition::*Range>
void run_part(std::size_t begin, std::size_t end, std::span<void* const> arguments) {
  (cpu_partition().*Range)(begin, end, arguments.data());
}

CpuForm form_of(const PartitionKernel& kernel) {
  CpuForm form{kernel.name, kernel.parameters, run_part<&CpuPartition::matrix_add>};
  if (kernel.name == "matrix_add") form.smallest_block = 16384;
  if (kernel.name == "black_scholes_options") {
    form.run = run_part<&CpuPartition::black_scholes_options>;
    form.smallest_block = 1024;
  }
  if (kernel.name == "matrix_multiply_rows") {
    form.run = run_part<&CpuPartition::matrix_multiply_rows>;
    form.items = product_tiles_on_cpu;
    form.smallest_block = 1;
  }
  if (kernel.name == "mandelbrot") {
    form.run = run_part<&CpuPartition::mandelbrot>;
    form.blocks_of_thread = 64;
  }
  return form;
}

}  // namespace

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const BuiltinKernel& kernel : builtin_kernels()) names.emplace_back(kernel.name);
  for (const PartitionKernel& kernel : partition_kernels()) names.emplace_back(kernel.name);
  return names;
}

std::optional<CpuForm> cpu_form(std::string_view name) {
  if (const BuiltinKernel* kernel = find_builtin(name))
    return CpuForm{kernel->name, kernel->parameters, kernel->run_on_cpu};
  if (const PartitionKernel* kernel = find_partition_kernel(name)) return form_of(*kernel);
  return std::nullopt;
}

const DeviceForm* device_form(std::string_view name) {
  return name == "matrix_multiply_rows" ? &kProductForm : nullptr;
}

}  // namespace forelap::hw::kernels
