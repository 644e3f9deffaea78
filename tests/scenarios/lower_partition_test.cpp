#include <algorithm>
#include <stdexcept>
#include <utility>

#include "scenarios/lower.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using core::StepKind;
using testing::ElementsAre;

Scenario scenario(const std::string& kernel, std::vector<std::pair<std::string, double>> sizes) {
  Scenario s;
  Partition partition;
  partition.kernel = *find_partition_kernel(kernel);
  partition.sizes = std::move(sizes);
  partition.values = partition.kernel.defaults;
  s.body = partition;
  return s;
}

Scenario add(double rows) {
  return scenario("matrix_add", {{"rows", rows}, {"columns", 2}});
}

DevicePart gpu(std::uint64_t rows, std::uint32_t chunks = 1, std::uint32_t engines = 2) {
  DevicePart part;
  part.name = "gpu0";
  part.rows = rows;
  part.chunks = chunks;
  part.engines = engines;
  return part;
}

DevicePart cores(std::uint64_t rows) {
  DevicePart part;
  part.name = "cpu0";
  part.in_place = true;
  part.rows = rows;
  return part;
}

PartitionTuning of(std::vector<DevicePart> devices, TransferMode transfers = TransferMode::concurrent) {
  PartitionTuning tuning;
  tuning.devices = std::move(devices);
  tuning.transfers = transfers;
  return tuning;
}

std::vector<std::string> labels_of(const Scenario& s, const PartitionTuning& tuning) {
  std::vector<std::string> labels;
  const core::Plan plan = lower(s, tuning, &labels);
  core::check_plan(plan);
  EXPECT_EQ(labels.size(), plan.steps.size());
  return labels;
}

TEST(LowerPartition, GivesEachDeviceItsStretchOfTheHostMemory) {
  const Scenario s = add(10);
  const core::Plan plan = lower(s, of({gpu(7), cores(3)}));
  core::check_plan(plan);
  ASSERT_EQ(plan.buffers.size(), 9U);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(plan.buffers[t].bytes, 80U);
    EXPECT_EQ(plan.buffers[t].device, core::none<core::DeviceId>());
    EXPECT_EQ(plan.buffers[3 + t].host_of, core::make_id<core::BufferId>(t));
    EXPECT_EQ(plan.buffers[3 + t].bytes, 56U);
    EXPECT_EQ(plan.buffers[3 + t].host_offset, 0U);
    EXPECT_FALSE(plan.buffers[3 + t].in_place);
    EXPECT_EQ(plan.buffers[6 + t].bytes, 24U);
    EXPECT_EQ(plan.buffers[6 + t].host_offset, 56U);
    EXPECT_TRUE(plan.buffers[6 + t].in_place);
  }
  EXPECT_EQ(plan.device_count, 2U);
}

TEST(LowerPartition, CopiesWorksAndCopiesBackOnADeviceAndOnlyWorksInPlace) {
  EXPECT_THAT(labels_of(add(10), of({gpu(7), cores(3)})),
              ElementsAre("htod a", "htod b", "matrix_add", "dtoh c", "matrix_add"));
}

TEST(LowerPartition, LaunchesNothingForAShareOfZero) {
  const core::Plan plan = lower(add(10), of({gpu(10), cores(0)}));
  EXPECT_EQ(plan.device_count, 1U);
  EXPECT_EQ(plan.steps.size(), 4U);
  const core::Plan other = lower(add(10), of({gpu(0), cores(10)}));
  EXPECT_EQ(other.steps.size(), 1U);
  EXPECT_EQ(other.steps[0].device, core::DeviceId{1});
}

TEST(LowerPartition, ChunksOverlapAndCoverThePart) {
  const Scenario s = add(10);
  const PartitionTuning tuning = of({gpu(10, 3)});
  EXPECT_THAT(labels_of(s, tuning),
              ElementsAre("htod a 1/3", "htod b 1/3", "matrix_add 1/3", "dtoh c 1/3", "htod a 2/3", "htod b 2/3",
                          "matrix_add 2/3", "dtoh c 2/3", "htod a 3/3", "htod b 3/3", "matrix_add 3/3", "dtoh c 3/3"));
  const core::Plan plan = lower(s, tuning);
  EXPECT_EQ(plan.steps[0].amount, 32);
  EXPECT_EQ(plan.steps[4].amount, 24);
  EXPECT_EQ(plan.steps[10].items, 6);
  // The kernel waits for its own copies only, the copy back for its kernel.
  EXPECT_THAT(plan.dependencies_of(plan.steps[6]), ElementsAre(core::StepId{5}));
  EXPECT_THAT(plan.dependencies_of(plan.steps[7]), ElementsAre(core::StepId{6}));
  EXPECT_EQ(plan.buffers[3 + 2 * 3].host_offset, 56U);
}

TEST(LowerPartition, TakesTheResultsBackAfterTheNextCopyInWithOneEngine) {
  EXPECT_THAT(labels_of(scenario("black_scholes_options", {{"options", 4}}), of({gpu(4, 2, 1)})),
              ElementsAre("htod price 1/2", "htod strike 1/2", "htod years 1/2", "black_scholes_options 1/2",
                          "htod price 2/2", "htod strike 2/2", "htod years 2/2", "black_scholes_options 2/2",
                          "dtoh call 1/2", "dtoh put 1/2", "dtoh call 2/2", "dtoh put 2/2"));
}

TEST(LowerPartition, CopiesWholeTilesFirstAndOnce) {
  const Scenario s = scenario("matrix_multiply_rows", {{"rows", 4}, {"inner", 3}, {"columns", 2}});
  const PartitionTuning tuning = of({gpu(4, 2)});
  EXPECT_THAT(labels_of(s, tuning), ElementsAre("htod b", "htod a 1/2", "matrix_multiply_rows 1/2", "dtoh c 1/2",
                                                "htod a 2/2", "matrix_multiply_rows 2/2", "dtoh c 2/2"));
  const core::Plan plan = lower(s, tuning);
  EXPECT_EQ(plan.steps[0].amount, 24);
  EXPECT_EQ(std::get<core::BufferId>(plan.arguments_of(plan.calls[0])[1]), core::BufferId{3});
  EXPECT_EQ(std::get<core::BufferId>(plan.arguments_of(plan.calls[1])[1]), core::BufferId{3});
}

TEST(LowerPartition, RepeatsLaunchesOverDataThatMovesOnce) {
  Scenario s = add(10);
  std::get<Partition>(s.body).launches = 2048;
  const core::Plan plan = lower(s, of({gpu(10)}));
  ASSERT_EQ(plan.steps.size(), 4U);
  EXPECT_EQ(plan.steps[2].count, 2048U);
  EXPECT_EQ(plan.steps[0].count, 1U);
}

TEST(LowerPartition, TakesCopiesOneDeviceAfterTheOtherWhereTransfersAreSerial) {
  const Scenario s = add(10);
  const PartitionTuning tuning = of({gpu(4), cores(1), gpu(5)}, TransferMode::serial);
  EXPECT_THAT(labels_of(s, tuning), ElementsAre("htod a", "htod b", "matrix_add", "matrix_add", "htod a", "htod b",
                                                "matrix_add", "dtoh c", "dtoh c"));
  const core::Plan plan = lower(s, tuning);
  EXPECT_THAT(plan.dependencies_of(plan.steps[4]), ElementsAre(core::StepId{1}));
  EXPECT_THAT(plan.dependencies_of(plan.steps[7]), ElementsAre(core::StepId{5}, core::StepId{2}));
  EXPECT_THAT(plan.dependencies_of(plan.steps[8]), ElementsAre(core::StepId{7}, core::StepId{6}));
}

TEST(LowerPartition, TakesTheWorkOfAPartFromTheProfile) {
  const Scenario s = scenario("mandelbrot", {{"width", 4}, {"height", 8}, {"iterations", 100}});
  DevicePart first = gpu(2);
  DevicePart second = cores(6);
  first.profile = make_profile(std::vector<double>{1, 3, 3, 1}, 800);
  second.profile = make_profile(std::vector<double>{1, 1, 1, 1}, 400);
  const core::Plan plan = lower(s, of({first, second}));
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_DOUBLE_EQ(plan.steps[0].amount, 100);
  EXPECT_DOUBLE_EQ(plan.steps[2].amount, 300);
  EXPECT_EQ(std::get<std::int32_t>(plan.arguments_of(plan.calls[1])[3]), 2);
  EXPECT_EQ(std::get<std::int32_t>(plan.arguments_of(plan.calls[1])[4]), 6);
}

TEST(LowerPartition, MakesNoMoreChunksThanRows) {
  EXPECT_EQ(lower(add(2), of({gpu(2, 64)})).steps.size(), 8U);
}

TEST(LowerPartition, StreamsThroughAFewPlacesOfTheDevicesMemory) {
  for (const std::uint32_t engines : {1U, 2U}) {
    DevicePart part = gpu(9, 4, engines);
    part.slots = 2;
    const core::Plan plan = lower(add(9), of({part}));
    core::check_plan(plan);
    // Rows 3, 2, 2, 2 of three tiles: the third chunk takes the memory of the first.
    EXPECT_EQ(plan.buffers[3 + 2 * 3].device_of, core::BufferId{3});
    EXPECT_EQ(plan.buffers[3 + 3 * 3 + 2].device_of, core::BufferId{3 + 3 + 2});
    std::vector<std::string> labels;
    lower(add(9), of({part}), &labels);
    const auto at = [&](const std::string& label) {
      return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
    };
    EXPECT_THAT(plan.dependencies_of(plan.steps[at("htod a 3/4")]),
                ElementsAre(core::make_id<core::StepId>(at("matrix_add 1/4"))));
    EXPECT_THAT(
        plan.dependencies_of(plan.steps[at("matrix_add 3/4")]),
        ElementsAre(core::make_id<core::StepId>(at("htod b 3/4")), core::make_id<core::StepId>(at("dtoh c 1/4"))));
  }
}

TEST(LowerPartition, RefusesSharesThatDoNotSum) {
  EXPECT_THROW(lower(add(10), of({gpu(9)})), std::invalid_argument);
  EXPECT_THROW(lower(add(10), of({gpu(10, 0)})), std::invalid_argument);
}

}  // namespace
}  // namespace forelap::scenarios
