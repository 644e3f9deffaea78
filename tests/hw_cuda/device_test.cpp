// Memory, kernels and queues on a real device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "hw/kernels/library.hpp"
#include "tests/hw_cuda/cuda_test.hpp"

namespace forelap::hw::cuda {
namespace {

using core::Direction;
using core::ErrorKind;
using core::MemoryKind;
using testing::HasSubstr;

class CudaDeviceTest : public CudaTest {
 protected:
  /// There, back into other memory, compared.
  void expect_round_trip(MemoryKind kind, std::uint64_t bytes) {
    const auto in = device->allocate_host(bytes, kind);
    const auto out = device->allocate_host(bytes, kind);
    const auto memory = device->allocate(bytes);
    EXPECT_EQ(in->bytes().size(), bytes);
    EXPECT_EQ(memory->size(), bytes);
    count_up(*in, 17);
    const auto lane = queue();
    lane->copy(Direction::host_to_device, *in, *memory, bytes);
    lane->copy(Direction::device_to_host, *out, *memory, bytes);
    lane->record()->wait();
    EXPECT_TRUE(same_bytes(in->bytes(), out->bytes())) << bytes << " bytes";
  }
};

TEST_F(CudaDeviceTest, CopiesComeBackAsTheyWere) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::pageable}) {
    for (const std::uint64_t bytes : {0U, 1U, 4096U, 70'001U, 8U << 20U}) expect_round_trip(kind, bytes);
  }
}

TEST_F(CudaDeviceTest, MemoryTellsWhatKindItIsAndBeginsAsZeros) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::pageable}) {
    const auto memory = device->allocate_host(1U << 20U, kind);
    EXPECT_EQ(memory->kind(), kind);
    EXPECT_TRUE(std::ranges::all_of(memory->bytes(), [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST_F(CudaDeviceTest, MoreMemoryThanTheDeviceHasIsRefusedWithItsSize) {
  const std::uint64_t bytes = device->info().memory_bytes + (1ULL << 30U);
  const core::Error error = error_from([&] { device->allocate(bytes); });
  EXPECT_EQ(error.kind(), ErrorKind::device_failed);
  EXPECT_THAT(error.what(), HasSubstr(std::to_string(bytes) + " bytes"));
  expect_round_trip(MemoryKind::pinned, 4096);  // and the device goes on
}

TEST_F(CudaDeviceTest, BuiltinKernelsAgreeWithTheirReference) {
  struct Case {
    const char* name;
    std::uint64_t bytes;
    std::uint64_t items;
    std::vector<std::int32_t> values;
    std::int32_t passes = 0;  ///< 0: one launch; else the last argument is their number
  };
  // Items are rounded up to whole groups: those beyond the end must do nothing.
  const std::vector<Case> cases = {{"synthetic", 4 * 1'000'003, 1'000'003, {1'000'003, 37, 3}},
                                   {"vector_add", 4 * 3 * 5'001, 5'001, {5'001, 4}},
                                   {"matrix_multiply", 4 * 3 * 67 * 67, 67 * 67, {67, 3}},
                                   {"transpose", 4 * 2 * 83 * 83, 64 * 11 * 11, {83}},
                                   {"fast_walsh", 4 * 2 << 14, 1 << 13, {14, 0}, 14},
                                   {"floyd_warshall", 4 * 3 * 61 * 61, 61 * 61, {61, 0}, 61},
                                   {"convolution", 4 * 3 * 75 * 75, 75 * 75, {75, 0}, 2},
                                   {"dct", 4 * 3 * 72 * 72, 9 * 72, {72, 0}, 2}};
  for (const Case& c : cases) {
    const kernels::BuiltinKernel* builtin = kernels::find_builtin(c.name);
    ASSERT_NE(builtin, nullptr) << c.name;
    const auto host = device->allocate_host(c.bytes, MemoryKind::pinned);
    const auto memory = device->allocate(c.bytes);
    builtin->fill(host->bytes(), 5);
    std::vector<std::byte> expected(host->bytes().begin(), host->bytes().end());
    std::vector<core::Argument> plain = {core::BufferId{0}};
    std::vector<ResolvedArgument> resolved = {memory.get()};
    for (const std::int32_t value : c.values) {
      plain.emplace_back(value);
      resolved.emplace_back(value);
    }
    builtin->reference(expected, plain);
    const auto kernel = device->build(c.name, {});
    const auto lane = queue();
    lane->copy(Direction::host_to_device, *host, *memory, c.bytes);
    for (std::int32_t pass = 0; pass < std::max(1, c.passes); ++pass) {
      if (c.passes > 0) resolved.back() = pass;
      lane->launch(*kernel, resolved, items(c.items));
    }
    lane->copy(Direction::device_to_host, *host, *memory, c.bytes);
    lane->record()->wait();
    EXPECT_TRUE(same_bytes(host->bytes(), expected)) << c.name;
  }
}

TEST_F(CudaDeviceTest, AUsersKernelTakesAllKindsOfArgument) {
  const auto kernel = build(
      "__global__ void mix(double* out, int a, long long b, float c, double d) {"
      "  if (threadIdx.x == 0 && blockIdx.x == 0) *out = a + (double)b + c + d; }",
      "mix");
  const auto host = device->allocate_host(sizeof(double), MemoryKind::pinned);
  const auto memory = device->allocate(sizeof(double));
  const std::vector<ResolvedArgument> arguments = {memory.get(), std::int32_t{-3}, std::int64_t{1} << 40, 0.5F, 0.25};
  const auto lane = queue();
  lane->launch(*kernel, arguments, items(1000));
  lane->copy(Direction::device_to_host, *host, *memory, sizeof(double));
  lane->record()->wait();
  double result = 0;
  std::memcpy(&result, host->bytes().data(), sizeof(result));
  EXPECT_EQ(result, -3 + 1099511627776.0 + 0.75);
}

TEST_F(CudaDeviceTest, AKernelThatDoesNotCompileIsReportedWithItsLine) {
  const core::Error error = error_from([&] { build("__global__ void f(int* x) {\n  x[0] = ;\n}", "f"); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("user.cu(2)"));
}

TEST_F(CudaDeviceTest, ABuiltinKernelThatDoesNotExistIsReportedWithTheNearest) {
  const core::Error error = error_from([&] { device->build("sintetic", {}); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("synthetic"));
}

TEST_F(CudaDeviceTest, ArgumentsThatDoNotFitTheSourceAreRefused) {
  const auto kernel = build("__global__ void f(int* x, int n) { if (n) x[0] = n; }", "f");
  const auto memory = device->allocate(4);
  const auto lane = queue();
  const std::vector<ResolvedArgument> few = {memory.get()};
  const std::vector<ResolvedArgument> wide = {memory.get(), std::int64_t{1}};
  const core::Error count = error_from([&] { lane->launch(*kernel, few, items(1)); });
  EXPECT_EQ(count.kind(), ErrorKind::bad_input);
  EXPECT_THAT(count.what(), HasSubstr("takes 2 arguments in its source, and 1 are given"));
  const core::Error size = error_from([&] { lane->launch(*kernel, wide, items(1)); });
  EXPECT_THAT(size.what(), HasSubstr("argument 2 of kernel f has 4 bytes in its source, and an int64 (8 bytes)"));
}

TEST_F(CudaDeviceTest, GroupsLargerThanTheDeviceTakesAreRefused) {
  const auto kernel = build("__global__ void f() {}", "f");
  const auto lane = queue();
  const core::Error error = error_from([&] { lane->launch(*kernel, {}, items(4096, 2048)); });
  EXPECT_EQ(error.kind(), ErrorKind::bad_input);
  EXPECT_THAT(error.what(), HasSubstr("groups of 2048"));
  lane->launch(*kernel, {}, items(0));  // nothing to do is no error
  lane->record()->wait();
}

TEST_F(CudaDeviceTest, AQueueWaitsForAnEventOfAnotherQueue) {
  constexpr std::uint64_t kBytes = 16U << 20U;
  const auto host = device->allocate_host(kBytes, MemoryKind::pinned);
  const auto back = device->allocate_host(kBytes, MemoryKind::pinned);
  const auto memory = device->allocate(kBytes);
  const auto first = queue();
  const auto second = queue();
  for (std::uint32_t round = 1; round <= 5; ++round) {
    count_up(*host, round);
    first->copy(Direction::host_to_device, *host, *memory, kBytes);
    const EventPtr arrived = first->record();
    first->flush();
    second->wait_for(arrived);
    second->copy(Direction::device_to_host, *back, *memory, kBytes);
    const EventPtr done = second->record();
    // Any thread may wait.
    std::thread([&] { done->wait(); }).join();
    EXPECT_TRUE(same_bytes(host->bytes(), back->bytes())) << "round " << round;
  }
}

TEST_F(CudaDeviceTest, AKernelThatFaultsFailsTheDeviceWithTheDriversWords) {
  // In a process of its own: a fault ends the device for the process.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fault = [&] {
    try {
      const auto kernel = build(kWildKernel, "f");
      const auto memory = device->allocate(4);
      const auto lane = queue();
      const std::vector<ResolvedArgument> arguments = {memory.get()};
      lane->launch(*kernel, arguments, items(1));
      lane->record()->wait();
    } catch (const core::Error& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(error.kind() == ErrorKind::device_failed ? 4 : 1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(fault(), testing::ExitedWithCode(4), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace forelap::hw::cuda
