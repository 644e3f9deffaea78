#include "hw/kernels/library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace forelap::hw::kernels {
namespace {

using core::Argument;
using core::BufferId;

template <class T>
std::vector<T> values(std::span<const std::byte> bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
  return result;
}

/// The kernel on the calling thread, in ranges of uneven size with items beyond the end.
std::vector<std::byte> on_cpu(const BuiltinKernel& kernel, std::vector<std::byte> buffer,
                              std::vector<std::int32_t> numbers, std::size_t items) {
  std::vector<void*> arguments = {buffer.data()};
  for (std::int32_t& number : numbers) arguments.push_back(&number);
  for (std::size_t begin = 0; begin < items + 9; begin += 7) kernel.run_on_cpu(begin, begin + 7, arguments);
  return buffer;
}

std::vector<std::byte> by_reference(const BuiltinKernel& kernel, std::vector<std::byte> buffer,
                                    const std::vector<std::int32_t>& numbers) {
  std::vector<Argument> arguments = {BufferId{}};
  for (const std::int32_t number : numbers) arguments.emplace_back(number);
  kernel.reference(buffer, arguments);
  return buffer;
}

std::vector<std::byte> filled(const BuiltinKernel& kernel, std::size_t bytes, std::uint64_t seed = 1) {
  std::vector<std::byte> buffer(bytes);
  kernel.fill(buffer, seed);
  return buffer;
}

TEST(Kernels, SyntheticEqualsItsReferenceAndWrapsAround) {
  const BuiltinKernel& kernel = *find_builtin("synthetic");
  for (const std::int32_t factor : {3, -7, 2, 0, 2147483647}) {
    for (const std::int32_t repeat : {0, 1, 33, 1000}) {
      const auto input = filled(kernel, 403);
      const std::vector<std::int32_t> numbers = {100, repeat, factor};
      EXPECT_EQ(on_cpu(kernel, input, numbers, 100), by_reference(kernel, input, numbers)) << factor << " " << repeat;
    }
  }
}

TEST(Kernels, SyntheticByHand) {
  const BuiltinKernel& kernel = *find_builtin("synthetic");
  std::vector<std::byte> buffer(8);
  const std::int32_t input[2] = {5, -2};
  std::memcpy(buffer.data(), input, 8);
  EXPECT_EQ(values<std::int32_t>(on_cpu(kernel, buffer, {1, 3, 10}, 1)), (std::vector<std::int32_t>{5000, -2}));
}

TEST(Kernels, VectorAddEqualsItsReference) {
  const BuiltinKernel& kernel = *find_builtin("vector_add");
  for (const std::int32_t repeat : {0, 1, 2, 20, 500}) {
    const auto input = filled(kernel, 3 * 50 * 4);
    const std::vector<std::int32_t> numbers = {50, repeat};
    EXPECT_EQ(on_cpu(kernel, input, numbers, 50), by_reference(kernel, input, numbers)) << repeat;
  }
  std::vector<std::byte> buffer(12);
  const float input[3] = {1, 2, 9};
  std::memcpy(buffer.data(), input, 12);
  EXPECT_EQ(values<float>(on_cpu(kernel, buffer, {1, 1}, 1)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values<float>(on_cpu(kernel, buffer, {1, 2}, 1)), (std::vector<float>{1, 2, 4.5F}));
}

TEST(Kernels, MatrixMultiplyEqualsItsReference) {
  const BuiltinKernel& kernel = *find_builtin("matrix_multiply");
  for (const std::int32_t repeat : {0, 1, 3, 40}) {
    const auto input = filled(kernel, 3 * 11 * 11 * 4);
    const std::vector<std::int32_t> numbers = {11, repeat};
    EXPECT_EQ(on_cpu(kernel, input, numbers, 121), by_reference(kernel, input, numbers)) << repeat;
  }
  std::vector<std::byte> buffer(48);
  const float input[12] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0};
  std::memcpy(buffer.data(), input, 48);
  const auto result = values<float>(on_cpu(kernel, buffer, {2, 1}, 4));
  EXPECT_EQ(std::vector<float>(result.begin() + 8, result.end()), (std::vector<float>{19, 22, 43, 50}));
}

/// Launches of `kernel` with numbers after the buffer, the last of which counts the passes.
std::vector<std::byte> in_passes(const BuiltinKernel& kernel, std::vector<std::byte> buffer, std::int32_t number,
                                 std::int32_t passes, std::size_t items) {
  for (std::int32_t pass = 0; pass < passes; ++pass) buffer = on_cpu(kernel, buffer, {number, pass}, items);
  return buffer;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Kernels, FastWalshByHand) {
  const BuiltinKernel& kernel = *find_builtin("fast_walsh");
  const auto input = bytes_of<std::int32_t>({1, 0, 1, 0, 0, 0, 0, 0});
  EXPECT_EQ(values<std::int32_t>(in_passes(kernel, input, 2, 2, 2)),
            (std::vector<std::int32_t>{1, 0, 1, 0, 2, 2, 0, 0}));
  EXPECT_EQ(by_reference(kernel, input, {2, 0}), in_passes(kernel, input, 2, 4, 2)) << "a second round changes nothing";
  const auto large = filled(kernel, 4 * 2 * 1024);
  EXPECT_EQ(by_reference(kernel, large, {10, 0}), in_passes(kernel, large, 10, 10, 512));
}

TEST(Kernels, FloydWarshallByHand) {
  const BuiltinKernel& kernel = *find_builtin("floyd_warshall");
  // 0 -> 1 costs 9 by itself and 3 by vertex 2.
  const auto input =
      bytes_of<std::int32_t>({5, 9, 1, 7, 5, 8, 4, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto result = values<std::int32_t>(in_passes(kernel, input, 3, 3, 9));
  EXPECT_EQ(std::vector<std::int32_t>(result.begin() + 9, result.begin() + 18),
            (std::vector<std::int32_t>{5, 3, 1, 7, 5, 8, 4, 2, 5}));
  EXPECT_EQ(result[18 + 1], 2) << "by vertex 2";
  EXPECT_EQ(result[18 + 3], 1) << "by the edge itself";
}

TEST(Kernels, ConvolutionOfAPointIsTheOuterProductOfTheTaps) {
  const BuiltinKernel& kernel = *find_builtin("convolution");
  std::vector<float> image(3 * 20 * 20);
  image[10 * 20 + 10] = 1;
  const auto result = values<float>(in_passes(kernel, bytes_of(image), 20, 2, 400));
  const auto at = [&](std::size_t row, std::size_t column) { return result[800 + row * 20 + column]; };
  EXPECT_EQ(at(10, 10), 81);
  EXPECT_EQ(at(2, 10), 9);
  EXPECT_EQ(at(9, 12), 8 * 7);
  EXPECT_EQ(at(1, 10), 0);
  EXPECT_EQ(at(19, 10), 0);
}

TEST(Kernels, TransposeReachesEdgesThatAreNoWholePatches) {
  const BuiltinKernel& kernel = *find_builtin("transpose");
  const auto input = filled(kernel, 2 * 11 * 11 * 4);
  const auto result = on_cpu(kernel, input, {11}, 256);
  EXPECT_EQ(result, by_reference(kernel, input, {11}));
  EXPECT_EQ(values<float>(result)[121 + 3 * 11 + 7], values<float>(input)[7 * 11 + 3]);
}

TEST(Kernels, TheCosineTransformOfAFlatBlockIsItsMean) {
  const BuiltinKernel& kernel = *find_builtin("dct");
  const auto result = values<float>(in_passes(kernel, bytes_of(std::vector<float>(3 * 64, 2.0F)), 8, 2, 8));
  EXPECT_EQ(result[128], 16) << "8 times the mean";
  for (std::size_t i = 129; i < 192; ++i) EXPECT_EQ(result[i], 0) << i;
}

TEST(Kernels, BlackScholesPricesAsATextbookDoes) {
  const BuiltinKernel& kernel = *find_builtin("black_scholes");
  // x = 0.5: stock 55, strike 55, 5.5 years at 3 %, volatility 0.25.
  const auto result = values<float>(on_cpu(kernel, bytes_of<float>({0.5F, 0, 0}), {1, 1}, 1));
  EXPECT_NEAR(result[1], 16.3477, 1e-3);
  EXPECT_NEAR(result[2], 7.9818, 1e-3);
  EXPECT_GT(kernel.tolerance, 0);
  EXPECT_TRUE(agrees(kernel, std::bit_cast<std::uint32_t>(16.0F), std::bit_cast<std::uint32_t>(16.001F)));
  EXPECT_FALSE(agrees(kernel, std::bit_cast<std::uint32_t>(16.0F), std::bit_cast<std::uint32_t>(16.01F)));
  EXPECT_FALSE(agrees(kernel, std::bit_cast<std::uint32_t>(NAN), std::bit_cast<std::uint32_t>(16.0F)));
}

TEST(Kernels, AReferenceOfPartOfAnElementwiseBufferIsThatPartOfTheResult) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    if (!kernel.elementwise) continue;
    const auto input = filled(kernel, 4000);
    const std::vector<std::int32_t> numbers = {1000, 5, 3};
    const auto whole = by_reference(kernel, input, numbers);
    const std::vector<std::byte> part(input.begin() + 400, input.begin() + 800);
    EXPECT_EQ(by_reference(kernel, part, numbers), (std::vector<std::byte>(whole.begin() + 400, whole.begin() + 800)));
  }
}

TEST(Kernels, FillsDependOnTheSeedAndReachEveryByteLength) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    EXPECT_EQ(filled(kernel, 1000, 5), filled(kernel, 1000, 5));
    EXPECT_NE(filled(kernel, 1000, 5), filled(kernel, 1000, 6));
    for (std::size_t bytes = 0; bytes < 20; ++bytes) {
      const auto longer = filled(kernel, 24);
      EXPECT_EQ(filled(kernel, bytes),
                (std::vector<std::byte>(longer.begin(), longer.begin() + std::ptrdiff_t(bytes))));
    }
  }
}

TEST(Kernels, OpenClSourcesUseNoVariadicMacro) {
  // OpenCL C has none. PoCL's compiler lets them pass, NVIDIA's refuses them.
  EXPECT_EQ(opencl_source().find("..."), std::string::npos);
  EXPECT_EQ(opencl_source().find("__VA_ARGS__"), std::string::npos);
}

TEST(Kernels, SourcesHoldEveryKernelAndTheirParametersStartWithTheBuffer) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    const std::string entry = "FL_ENTRY(" + std::string(kernel.name) + ",";
    EXPECT_NE(opencl_source().find(entry), std::string::npos) << kernel.name;
    EXPECT_NE(cuda_source().find(entry), std::string::npos) << kernel.name;
    ASSERT_GE(kernel.parameters.size(), 2U);
    EXPECT_EQ(kernel.parameters[0], 0);
    EXPECT_EQ(kernel.parameters[1], Argument(std::int32_t{0}).index());
    EXPECT_EQ(find_builtin(kernel.name), &kernel);
  }
  EXPECT_EQ(find_builtin("synthetic")->parameters.size(), 4U);
  EXPECT_EQ(find_builtin("nothing"), nullptr);
}

}  // namespace
}  // namespace forelap::hw::kernels
