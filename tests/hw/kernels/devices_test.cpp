// The built-in kernels on every device that is here, against their references.

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "hw/kernels/library.hpp"
#include "hw/plan_executor.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

using core::BufferId;

class KernelsOnDevices : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = try_open(GetParam(), reason);
    if (device_) return;
    ASSERT_FALSE(is_required(GetParam())) << reason;
    GTEST_SKIP() << reason;
  }
  [[nodiscard]] std::unique_ptr<core::Executor> executor() const { return make_plan_executor({device_}); }

  std::shared_ptr<Device> device_;
};

INSTANTIATE_TEST_SUITE_P(Each, KernelsOnDevices, testing::Values("cpu", "cpu:0", "opencl:0", "cuda:0"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == ':' ? '_' : c;
                           return name;
                         });

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Word by word, by the kernel's tolerance.
void expect_agreement(const kernels::BuiltinKernel& kernel, std::span<const std::byte> found,
                      std::span<const std::byte> expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t at = 0; at + 4 <= found.size(); at += 4) {
    std::uint32_t is = 0;
    std::uint32_t should = 0;
    std::memcpy(&is, found.data() + at, 4);
    std::memcpy(&should, expected.data() + at, 4);
    ASSERT_TRUE(kernels::agrees(kernel, is, should)) << kernel.name << ", byte " << at;
  }
}

void expect_reference(core::Executor& executor, const std::string& name, std::uint64_t bytes, std::uint64_t items,
                      const std::vector<std::int32_t>& numbers, core::MemoryKind memory, std::uint32_t passes = 0) {
  const core::Plan plan = kernel_plan(name, bytes, items, numbers, memory, passes);
  const core::Bindings bindings;
  const auto prepared = executor.prepare(plan, bindings);
  auto expected = copy_of(prepared->host_memory(BufferId{}));
  const auto input = expected;
  kernels::find_builtin(name)->reference(expected, plan.arguments_of(plan.calls[0]));
  ASSERT_NE(input, expected) << "the input is not filled";
  const auto timeline = prepared->run({});
  EXPECT_TRUE(timeline.complete);
  EXPECT_GT(timeline.makespan, 0);
  expect_agreement(*kernels::find_builtin(name), prepared->host_memory(BufferId{}), expected);
}

TEST_P(KernelsOnDevices, EachBuiltInKernelEqualsItsReference) {
  const auto runs = executor();
  for (const auto memory : {core::MemoryKind::pinned, core::MemoryKind::pageable}) {
    expect_reference(*runs, "synthetic", 4 * 100'003, 100'003, {100'003, 17, 5}, memory);
    expect_reference(*runs, "synthetic", 4 * 1, 1, {1, 1, -3}, memory);
    expect_reference(*runs, "vector_add", 12 * 10'007, 10'007, {10'007, 30}, memory);
    expect_reference(*runs, "matrix_multiply", 12 * 67 * 67, 67 * 67, {67, 3}, memory);
    expect_reference(*runs, "black_scholes", 12 * 3001, 3001, {3001, 7}, memory);
    expect_reference(*runs, "transpose", 8 * 83 * 83, 64 * 11 * 11, {83}, memory);
  }
}

TEST_P(KernelsOnDevices, EachBuiltInKernelInPassesEqualsItsReference) {
  const auto runs = executor();
  const auto memory = core::MemoryKind::pinned;
  for (const std::uint32_t rounds : {1U, 2U}) {
    expect_reference(*runs, "fast_walsh", 8 << 13, 1 << 12, {13, 0}, memory, 13 * rounds);
    expect_reference(*runs, "floyd_warshall", 12 * 61 * 61, 61 * 61, {61, 0}, memory, 61 * rounds);
    expect_reference(*runs, "convolution", 12 * 75 * 75, 75 * 75, {75, 0}, memory, 2 * rounds);
    expect_reference(*runs, "dct", 12 * 72 * 72, 9 * 72, {72, 0}, memory, 2 * rounds);
  }
}

}  // namespace
}  // namespace forelap::hw::test
