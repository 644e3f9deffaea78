#include "hw/kernels/partition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "hw/kernels/cpu_partition.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::kernels {
namespace {

using core::Argument;
using core::BufferId;

/// A launch on the host: the buffers of a kernel, filled, and the numbers after them.
struct Launch {
  Launch(const std::string& name, const std::vector<std::size_t>& bytes, std::vector<Argument> after)
      : kernel(*find_partition_kernel(name)), numbers(std::move(after)) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      buffers.emplace_back(bytes[i] + 4, std::byte{0x5a});
      if (kernel.fills[i] != nullptr) kernel.fills[i](std::span(buffers[i]).first(bytes[i]), i + 1);
      arguments.emplace_back(BufferId{});
    }
    for (const Argument& number : numbers) arguments.push_back(number);
  }

  /// Runs the items in ranges of `step`, as `range` says.
  void run(PartitionRange range, std::size_t items, std::size_t step) {
    std::vector<void*> values;
    for (auto& buffer : buffers) values.push_back(buffer.data());
    for (Argument& number : numbers) {
      values.push_back(std::visit([](auto& value) -> void* { return &value; }, number));
    }
    for (std::size_t begin = 0; begin < items; begin += step) range(begin, begin + step, values.data());
  }

  /// Every word of every result, and that nothing behind the buffers was written.
  void expect_reference() const {
    std::vector<std::span<const std::byte>> spans(arguments.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) spans[i] = std::span(buffers[i]).first(buffers[i].size() - 4);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(buffers[a].back(), std::byte{0x5a}) << kernel.name << " writes behind buffer " << a;
      for (std::size_t i = 0; i < spans[a].size() / 4 && kernel.uses[a] == Use::out; ++i) {
        std::uint32_t found = 0;
        std::uint32_t expected = 0;
        std::memcpy(&found, spans[a].data() + 4 * i, 4);
        ASSERT_TRUE(kernel.word(spans, arguments, a, i, expected)) << kernel.name << ", word " << i;
        ASSERT_TRUE(agrees(kernel, found, expected)) << kernel.name << ", word " << i << " of buffer " << a;
      }
    }
  }

  const PartitionKernel& kernel;
  std::vector<std::vector<std::byte>> buffers;
  std::vector<Argument> numbers;
  std::vector<Argument> arguments;
};

/// The kernels of each generation of processors that this one runs.
std::vector<const CpuPartition*> generations() {
  std::vector<const CpuPartition*> all = {&kPartitionPlain};
  if (&cpu_partition() != &kPartitionPlain) all.push_back(&cpu_partition());
  return all;
}

TEST(PartitionKernels, SumsOfAnyLengthInRangesCutAnywhere) {
  for (const CpuPartition* cpu : generations()) {
    for (const std::size_t count : {1U, 2U, 17U, 1009U}) {
      for (const std::size_t step : {1U, 7U, 5000U}) {
        Launch launch("matrix_add", {4 * count, 4 * count, 4 * count}, {static_cast<std::int64_t>(count)});
        launch.run(cpu->matrix_add, count + 9, step);
        launch.expect_reference();
      }
    }
  }
}

TEST(PartitionKernels, OptionsAreThoseOfTheExactFormula) {
  for (const CpuPartition* cpu : generations()) {
    for (const std::size_t count : {1U, 5U, 10'007U}) {
      Launch launch("black_scholes_options", std::vector<std::size_t>(5, 4 * count),
                    {0.02F, 0.3F, static_cast<std::int64_t>(count)});
      launch.run(cpu->black_scholes_options, count + 3, 1001);
      launch.expect_reference();
    }
  }
}

TEST(PartitionKernels, ProductsOfAnyShapeTileByTile) {
  for (const CpuPartition* cpu : generations()) {
    for (const auto& [rows, inner, columns] : std::vector<std::array<std::int32_t, 3>>{{1, 1, 1},
                                                                                       {1, 7, 1},
                                                                                       {5, 3, 2},
                                                                                       {13, 300, 37},
                                                                                       {97, 5, 513},
                                                                                       {12, 256, 32},
                                                                                       {200, 31, 64},
                                                                                       {1, 600, 1025}}) {
      const auto size = [](std::int32_t a, std::int32_t b) {
        return 4 * static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
      };
      Launch launch("matrix_multiply_rows", {size(rows, inner), size(inner, columns), size(rows, columns)},
                    {rows, inner, columns});
      const CpuForm form = *cpu_form("matrix_multiply_rows");
      launch.run(cpu->matrix_multiply_rows, form.items(numbers_of<Argument>(launch.arguments)), 1);
      launch.expect_reference();
    }
  }
}

TEST(PartitionKernels, PointsOfTheMandelbrotSetAreCountedAlikeByAll) {
  for (const CpuPartition* cpu : generations()) {
    for (const std::size_t step : {1U, 33U, 100'000U}) {
      Launch launch("mandelbrot", {4 * 61 * 20}, {61, 47, 13, 20, 700});
      launch.run(cpu->mandelbrot, 61 * 20 + 5, step);
      launch.expect_reference();
    }
    Launch one("mandelbrot", {4}, {1, 1, 0, 1, 3});
    one.run(cpu->mandelbrot, 1, 1);
    one.expect_reference();
    Launch nothing("mandelbrot", {4}, {1, 1, 0, 1, 0});
    nothing.run(cpu->mandelbrot, 1, 1);
    nothing.expect_reference();
  }
}

TEST(PartitionKernels, TheMandelbrotSetByHand) {
  Launch launch("mandelbrot", {4 * 3 * 3}, {3, 3, 0, 3, 100});
  launch.run(cpu_partition().mandelbrot, 9, 9);
  std::array<std::int32_t, 9> counts{};
  std::memcpy(counts.data(), launch.buffers[0].data(), sizeof(counts));
  // Middles of cells: real parts -1.5, -0.5, 0.5; imaginary parts -1, 0, 1.
  EXPECT_EQ(counts[3], 100) << "-1.5 stays";
  EXPECT_EQ(counts[4], 100) << "-0.5 stays";
  EXPECT_EQ(counts[5], 5) << "0.5, 0.75, 1.06, 1.63, 3.15";
  EXPECT_EQ(counts[0], counts[6]) << "above and below alike";
}

TEST(PartitionKernels, RowsThroughTheSetCostMoreThanItsBorders) {
  const std::vector<Argument> arguments = {BufferId{}, 256, 256, 0, 256, 10'000};
  const std::array<std::uint64_t, 3> rows = {0, 64, 128};
  std::array<RowCost, 3> costs{};
  ASSERT_TRUE(sample_row_costs("mandelbrot", arguments, rows, costs));
  EXPECT_LT(costs[0].items, costs[1].items);
  EXPECT_LT(costs[1].items, costs[2].items);
  for (const RowCost& cost : costs) {
    EXPECT_GE(cost.warps, cost.items);
    EXPECT_LE(cost.warps, 256 * 10'100.0);
  }
  // Half of the middle row and more never escapes: those points count in full.
  EXPECT_GT(costs[2].items, 100 * 10'000.0);
  EXPECT_FALSE(sample_row_costs("matrix_add", arguments, rows, costs));
}

TEST(PartitionKernels, AreKnownToTheSourcesAndToTheDevices) {
  ASSERT_EQ(kernel_names().size(), builtin_kernels().size() + partition_kernels().size());
  for (const PartitionKernel& kernel : partition_kernels()) {
    EXPECT_EQ(kernel.parameters.size(), kernel.uses.size()) << kernel.name;
    EXPECT_EQ(kernel.parameters.size(), kernel.fills.size()) << kernel.name;
    for (std::size_t i = 0; i < kernel.uses.size(); ++i) {
      EXPECT_EQ(kernel.parameters[i] == 0, kernel.uses[i] != Use::value) << kernel.name;
      EXPECT_EQ(kernel.fills[i] != nullptr, kernel.uses[i] == Use::in) << kernel.name;
    }
    for (const std::string& source : {opencl_source(), cuda_source()}) {
      EXPECT_NE(source.find(" " + std::string(kernel.name) + ",\n"), std::string::npos) << kernel.name;
    }
    ASSERT_TRUE(cpu_form(kernel.name));
    EXPECT_EQ(cpu_form(kernel.name)->name, kernel.name);
    EXPECT_EQ(find_builtin(kernel.name), nullptr);
  }
  EXPECT_FALSE(cpu_form("nothing"));
  EXPECT_EQ(find_partition_kernel("nothing"), nullptr);
}

TEST(PartitionKernels, ADeviceWalksAProductInTilesWhateverTheLaunchSays) {
  const DeviceForm* form = device_form("matrix_multiply_rows");
  ASSERT_NE(form, nullptr);
  const std::vector<Argument> arguments = {BufferId{}, BufferId{}, BufferId{}, 129, 5, 128};
  core::KernelCall call;
  call.global_size = {129 * 128, 1, 1};
  const core::KernelCall own = shaped<Argument>(*form, arguments, call);
  EXPECT_EQ(own.global_size[0], 256U);
  EXPECT_EQ(own.global_size[1], 2U);
  EXPECT_EQ(own.group_size[0], 256U);
  EXPECT_EQ(device_form("matrix_add"), nullptr);
}

TEST(PartitionKernels, LargeBuffersAreFilledAsOneThreadWould) {
  // Beyond one part of a thread; the same draws as a small fill's at its begin.
  std::vector<std::byte> large((std::size_t{1} << 27U) + 20);
  std::vector<std::byte> begin(1000);
  const auto fill = find_partition_kernel("matrix_add")->fills[0];
  fill(large, 7);
  fill(begin, 7);
  EXPECT_EQ(std::memcmp(large.data(), begin.data(), begin.size()), 0);
  std::vector<std::byte> again(large.size());
  find_builtin("vector_add")->fill(again, 7);
  EXPECT_TRUE(large == again) << "another order of draws than one thread's";
}

}  // namespace
}  // namespace forelap::hw::kernels
