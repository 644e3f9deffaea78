#include "tune/group_bound.hpp"

#include <gtest/gtest.h>

#include "tests/tune/all_arrangements.hpp"
#include "tests/tune/random_group.hpp"
#include "tune/group.hpp"

namespace forelap::tune {
namespace {

using testing::lanes_up_to;
using testing::least_of_all;
using testing::random_group;
using testing::RandomGroupOptions;

TEST(GroupBound, IsNeverAboveTheBestOfAllArrangements) {
  core::Random random(11);
  double closest = 0;
  for (int i = 0; i < 400; ++i) {
    RandomGroupOptions options;
    options.tasks = 1 + random.below(4);
    options.devices = 1 + static_cast<std::uint32_t>(random.below(2));
    options.memory = random.below(2) == 0;
    options.after = random.below(2) == 0;
    options.fills = random.below(2) == 0;
    options.host = random.below(2) == 0;
    const auto g = random_group(random, options);
    const bool free_devices = random.below(2) == 0;
    const auto lanes = random.below(2) == 0 ? std::vector<std::uint32_t>{1} : lanes_up_to(3);
    const double least = least_of_all(g, lanes, free_devices);
    const double bound = least_time(GroupEvaluator(g.scenario, g.tuning, g.machine), {free_devices, lanes.back()});
    ASSERT_LE(bound, least + 0.5) << "group " << i;
    closest += bound / least;
  }
  EXPECT_GT(closest / 400, 0.9) << "and is of use";
}

TEST(GroupBound, KnowsInterferenceAtAnyNumberOfTasks) {
  core::Random random(12);
  for (const std::uint32_t devices : {1U, 2U}) {
    RandomGroupOptions options;
    options.tasks = 66;  // more than the order engine takes
    options.devices = devices;
    auto g = random_group(random, options);
    for (auto& device : g.machine.devices) {
      core::InterferenceRow row;
      row.active = 0b011;
      row.rates[core::ActivityClass::htod] = row.rates[core::ActivityClass::dtoh] = testing::parameter(0.6);
      device.interference = {row};
    }
    for (auto& task : g.tuning.tasks) {
      for (auto& kernel : task.kernels) kernel.duration = 10'000'000;  // transfers decide
    }
    g.tuning.engines.assign(devices, 2);
    GroupOptions slowed;
    slowed.figures = false;
    slowed.method = order::Method::neh;
    slowed.seconds = 1000;
    const auto choice = tune_group(g.scenario, g.tuning, g.machine, slowed);
    EXPECT_LE(choice.lower_bound, choice.chosen.time);
    EXPECT_LT(gap_of(choice), 0.1) << devices << " devices";
    for (auto& device : g.machine.devices) device.interference.clear();
    EXPECT_LT(1.15 * least_time(GroupEvaluator(g.scenario, g.tuning, g.machine), {devices > 1, 1}), choice.lower_bound)
        << "without interference less is proved";
  }
}

}  // namespace
}  // namespace forelap::tune
