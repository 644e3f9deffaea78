// Kernels divided over devices of every combination that is here: shared host memory, work in place, chunks.

#include <gtest/gtest.h>

#include <cstring>

#include "core/text.hpp"
#include "hw/kernels/partition.hpp"
#include "hw/plan_executor.hpp"
#include "tests/hw/partition_support.hpp"
#include "tests/hw/support.hpp"

namespace forelap::hw::test {
namespace {

class PartitionContract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const std::string& spec : core::split(GetParam(), ' ')) {
      std::string reason;
      devices_.push_back(try_open(spec, reason));
      if (devices_.back()) continue;
      ASSERT_FALSE(is_required(spec)) << reason;
      GTEST_SKIP() << reason;
    }
  }
  [[nodiscard]] std::unique_ptr<core::Executor> executor() const { return make_plan_executor(devices_); }

  /// Even shares, but the last device's is `extra` rows larger (or smaller); groups of cores work in place.
  [[nodiscard]] std::vector<PartitionShare> shares(std::uint64_t rows, std::uint32_t chunks = 1) const {
    std::vector<PartitionShare> result;
    std::uint64_t left = rows;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      PartitionShare share;
      share.rows = d + 1 == devices_.size() ? left : rows / (devices_.size() + 1);
      share.in_place = devices_[d]->info().identity.backend == "cpu";
      share.chunks = chunks;
      left -= share.rows;
      result.push_back(share);
    }
    return result;
  }

  std::vector<std::shared_ptr<Device>> devices_;
};

INSTANTIATE_TEST_SUITE_P(Each, PartitionContract,
                         testing::Values("cpu:0", "cpu:0 cpu:1", "opencl:0", "opencl:0 cpu:0", "cpu:0 opencl:0",
                                         "cuda:0", "cuda:0 cpu:0", "cuda:0 cpu:0 opencl:0", "cuda:0 cuda:1"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == ':' || c == ' ' ? '_' : c;
                           return name;
                         });

std::vector<PartitionCase> all_cases() {
  return {add_case(105, 67),         add_case(7, 1),        options_case(3005),         options_case(5),
          product_case(131, 37, 67), product_case(5, 1, 3), product_case(64, 128, 260), set_case(83, 61, 300)};
}

TEST_P(PartitionContract, EveryKernelDividedOverTheDevicesEqualsItsReference) {
  const auto runs = executor();
  for (const PartitionCase& work : all_cases()) {
    const core::Plan plan = partition_plan(work, shares(work.rows));
    const core::Bindings bindings;
    const auto prepared = runs->prepare(plan, bindings);
    core::RunOptions options;
    for (const bool intervals : {false, true}) {
      options.intervals = intervals;
      for (std::size_t a = 0; a < work.arrays.size(); ++a) {
        if (work.arrays[a].result) prepared->spoil(core::make_id<core::BufferId>(a), 0, work.arrays[a].whole_bytes);
      }
      ASSERT_NE(partition_mismatch(work, *prepared), "") << work.kernel << " before the run";
      const core::Timeline timeline = prepared->run(options);
      ASSERT_EQ(partition_mismatch(work, *prepared), "");
      EXPECT_GT(timeline.makespan, 0);
      EXPECT_EQ(timeline.clocks.size(), devices_.size());
      EXPECT_EQ(timeline.intervals.size(), intervals ? plan.steps.size() : 0U);
    }
  }
}

TEST_P(PartitionContract, ChunksAndTurnsInDeviceMemoryGiveTheSame) {
  const auto runs = executor();
  for (const PartitionCase& work : all_cases()) {
    for (const std::uint32_t ring : {0U, 2U}) {
      auto parts = shares(work.rows, 5);
      // Chunks of one size, so that each fits where an earlier one was.
      for (std::size_t d = 0; d + 1 < parts.size(); ++d) {
        parts.back().rows += parts[d].rows % 5;
        parts[d].rows -= parts[d].rows % 5;
      }
      for (PartitionShare& share : parts) {
        share.ring = share.in_place || share.rows % share.chunks != 0 ? 0 : ring;
      }
      const core::Plan plan = partition_plan(work, parts);
      const core::Bindings bindings;
      const auto prepared = runs->prepare(plan, bindings);
      prepared->run({});
      ASSERT_EQ(partition_mismatch(work, *prepared), "") << ring;
    }
  }
}

TEST_P(PartitionContract, RepeatedLaunchesOverTheSamePartsChangeNothing) {
  const PartitionCase work = options_case(1009);
  const core::Plan plan = partition_plan(work, shares(work.rows), 600);
  const core::Bindings bindings;
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  prepared->run({});
  EXPECT_EQ(partition_mismatch(work, *prepared), "");
}

TEST_P(PartitionContract, PlansOfASweepShareTheArraysAndEachStillRuns) {
  const auto runs = executor();
  const PartitionCase work = add_case(120, 50);
  const core::Bindings bindings;
  std::vector<core::Plan> plans;
  for (const std::uint64_t first : {0, 30, 120, 60}) {
    std::vector<PartitionShare> parts = shares(work.rows);
    if (parts.size() == 1) {
      parts[0].rows = work.rows;
    } else {
      for (PartitionShare& part : parts) part.rows = 0;
      parts[0].rows = first;
      parts[1].rows = work.rows - first;
    }
    plans.push_back(partition_plan(work, parts));
  }
  std::vector<std::unique_ptr<core::PreparedPlan>> prepared;
  for (const core::Plan& plan : plans) prepared.push_back(runs->prepare(plan, bindings));
  const core::BufferId input{0};
  const core::BufferId result{2};
  for (const auto& plan : prepared) {
    EXPECT_EQ(plan->host_memory(input).data(), prepared[0]->host_memory(input).data());
    plan->spoil(result, 0, 4 * 120 * 50);
    plan->run({});
    EXPECT_EQ(partition_mismatch(work, *plan), "");
  }
  prepared[1]->spoil(result, 0, 4 * 120 * 50);
  prepared[1]->run({});
  EXPECT_EQ(partition_mismatch(work, *prepared[1]), "");
}

TEST_P(PartitionContract, AUsersFillIsAskedForTheWholeArraysOnly) {
  const PartitionCase work = add_case(40, 3);
  const core::Plan plan = partition_plan(work, shares(work.rows));
  core::Bindings bindings;
  std::vector<std::size_t> filled;
  bindings.fill = [&](core::BufferId buffer, std::span<std::byte> bytes) {
    filled.push_back(core::index(buffer));
    EXPECT_EQ(bytes.size(), 480U);
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const float value = 1.5F;
      std::memcpy(bytes.data() + i, &value, 4);
    }
  };
  const auto runs = executor();
  const auto prepared = runs->prepare(plan, bindings);
  prepared->run({});
  EXPECT_EQ(filled, (std::vector<std::size_t>{0, 1, 2}));
  float sum = 0;
  std::memcpy(&sum, prepared->host_memory(core::BufferId{2}).data() + 476, 4);
  EXPECT_EQ(sum, 3.0F);
}

}  // namespace
}  // namespace forelap::hw::test
