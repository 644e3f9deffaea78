#include "scenarios/partition.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/statistics.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Divide, GivesTheLargestRemaindersTheRowsThatAreLeft) {
  EXPECT_THAT(divide(10, std::vector<double>{0.5, 0.25, 0.25}), ElementsAre(5, 3, 2));
  EXPECT_THAT(divide(10, std::vector<double>{1, 2, 4}), ElementsAre(1, 3, 6));
  EXPECT_THAT(divide(1, std::vector<double>{0.3, 0.4, 0.3}), ElementsAre(0, 1, 0));
  EXPECT_THAT(divide(0, std::vector<double>{1, 1}), ElementsAre(0, 0));
}

TEST(Divide, SumsExactlyAndGivesNothingForAWeightOfZero) {
  core::Random random(7);
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<double> weights(1 + random.below(8));
    for (double& weight : weights) weight = random.below(4) == 0 ? 0 : random.uniform();
    weights[random.below(weights.size())] = random.below(2) == 0 ? 1e-300 : 1 + random.uniform();
    // Large totals are where doubles no longer hold every quotient.
    const std::uint64_t total = random.next() >> (11 + random.below(53));
    const auto shares = divide(total, weights);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), total);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_TRUE(weights[i] > 0 || shares[i] == 0);
    }
  }
}

TEST(Divide, IsUndoneByTheSharesAsWeights) {
  core::Random random(8);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint64_t> shares(2 + random.below(4));
    for (auto& share : shares) share = random.below(1 << 20);
    shares[0] += 1;
    const auto total = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
    std::vector<double> weights;
    for (const auto share : shares) weights.push_back(static_cast<double>(share) / static_cast<double>(total));
    EXPECT_EQ(divide(total, weights), shares);
  }
}

TEST(Divide, RefusesWhatIsNoShare) {
  EXPECT_THROW(divide(5, std::vector<double>{0, 0}), std::invalid_argument);
  EXPECT_THROW(divide(5, std::vector<double>{1, -0.1}), std::invalid_argument);
  EXPECT_THROW(divide(5, std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(divide(5, std::vector<double>{1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST(CostProfile, InterpolatesBetweenItsPoints) {
  const CostProfile profile = make_profile(std::vector<double>{1, 3}, 80);
  EXPECT_THAT(profile.cumulative, ElementsAre(0, 20, 80));
  EXPECT_DOUBLE_EQ(profile.work_of(0, 10, 10), 80);
  EXPECT_DOUBLE_EQ(profile.work_of(0, 5, 10), 20);
  EXPECT_DOUBLE_EQ(profile.work_of(4, 2, 10), 4 + 12);
  EXPECT_DOUBLE_EQ(profile.work_of(10, 0, 10), 0);
}

Partition multiply() {
  Partition partition;
  partition.kernel = *find_partition_kernel("matrix_multiply_rows");
  partition.sizes = {{"rows", 10}, {"inner", 4}, {"columns", 6}};
  return partition;
}

TEST(Partition, KnowsRowsBytesAndWork) {
  const Partition partition = multiply();
  EXPECT_EQ(partition_rows(partition), 10U);
  EXPECT_EQ(row_bytes(partition, partition.kernel.tiles[0]), 16U);
  EXPECT_EQ(tile_bytes(partition, partition.kernel.tiles[1]), 96U);
  EXPECT_EQ(part_bytes(partition, 3), 3 * 16 + 96 + 3 * 24U);
  EXPECT_EQ(part_bytes(partition, 0), 0U);
  EXPECT_DOUBLE_EQ(whole_work(partition), 240);
}

TEST(Partition, ShapesALaunchOverAPart) {
  const Partition partition = multiply();
  const std::vector<core::BufferId> buffers = {core::BufferId{7}, core::BufferId{8}, core::BufferId{9}};
  const Launch launch = make_part_launch(partition, buffers, 3, 5);
  EXPECT_EQ(launch.items, 18);
  EXPECT_EQ(launch.work, 72);
  ASSERT_EQ(launch.arguments.size(), 6U);
  EXPECT_EQ(std::get<core::BufferId>(launch.arguments[1]), core::BufferId{8});
  EXPECT_EQ(std::get<std::int32_t>(launch.arguments[3]), 3);
  EXPECT_EQ(std::get<std::int32_t>(launch.arguments[5]), 6);
}

TEST(Partition, SweepsTheShareOfOneDevice) {
  Partition partition = multiply();
  partition.sweep = WeightSweep{1, 0, 1, 0.25};
  const auto settings = weight_settings(partition, 3);
  ASSERT_EQ(settings.size(), 5U);
  EXPECT_THAT(settings[0], ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(settings[4], ElementsAre(0, 1, 0));
  EXPECT_THAT(message_of([&] { weight_settings(partition, 1); }), HasSubstr("there is 1 device"));
  partition.sweep.reset();
  partition.weights = {{0.5, 0.5}};
  EXPECT_THAT(message_of([&] { weight_settings(partition, 3); }), HasSubstr("found 2 weights for 3 devices"));
}

TEST(Partition, NamesTheTileThatCannotBeCounted) {
  Partition partition = multiply();
  partition.sizes = {{"rows", 4e15}, {"inner", 1000}, {"columns", 6}};
  EXPECT_THAT(message_of([&] { tile_bytes(partition, partition.kernel.tiles[0]); }), HasSubstr("tile \"a\""));
}

}  // namespace
}  // namespace forelap::scenarios
