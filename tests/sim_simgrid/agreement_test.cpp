// Three simulations of the same plans by three codes that share nothing but the models: SimGrid, sim/fast and the plain
// reference of this folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/number_text.hpp"
#include "models/cost.hpp"
#include "sim/fast/executor.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/sim/random_plan.hpp"
#include "tests/sim_simgrid/reference.hpp"
#include "tests/sim_simgrid/require_simgrid.hpp"

namespace forelap::tests {
namespace {

using models::InterferenceMode;

constexpr std::size_t kPlans = 1000;

class Agreement : public NeedsSimGrid {
 protected:
  void SetUp() override {
    NeedsSimGrid::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) helper_ = sim::simgrid::start_helper();
  }

  core::Timeline on_simgrid(const RandomCase& random, InterferenceMode mode) {
    const auto machine = std::make_shared<core::Machine>(random.machine);
    return sim::simgrid::make_executor(machine, mode, helper_)->run(random.plan, {}, {});
  }
  void expect_fast_agrees(std::size_t seed, InterferenceMode mode);

  std::shared_ptr<sim::simgrid::Helper> helper_;
  double largest_ = 0;  ///< difference seen, ticks
};

/// Mostly small plans, in which every rule shows; some long enough for errors to add up.
std::size_t steps_of(std::size_t seed) {
  return seed % 100 == 99 ? 2000 : 1 + seed * 7 % 90;
}

/// What two timelines may differ by: rounding of doubles over a plan, at least one tick.
double tolerance(const core::Timeline& timeline) {
  return std::max(1.0, 1e-11 * static_cast<double>(timeline.makespan));
}

double difference(core::Tick a, core::Tick b) {
  return std::abs(static_cast<double>(a - b));
}

double largest_difference(const core::Timeline& a, const core::Timeline& b) {
  double largest = difference(a.makespan, b.makespan);
  for (std::size_t i = 0; i < a.intervals.size(); ++i) {
    largest = std::max(largest, difference(a.intervals[i].begin, b.intervals[i].begin));
    largest = std::max(largest, difference(a.intervals[i].end, b.intervals[i].end));
  }
  return largest;
}

void Agreement::expect_fast_agrees(std::size_t seed, InterferenceMode mode) {
  const RandomCase random = random_case(seed, steps_of(seed));
  const core::Timeline ours = on_simgrid(random, mode);
  const core::Timeline fast = sim::fast::simulate(random.plan, models::CostModel(random.machine, random.plan, mode));
  ASSERT_EQ(ours.intervals.size(), random.plan.steps.size());
  ASSERT_EQ(fast.intervals.size(), random.plan.steps.size());
  for (std::size_t i = 0; i < ours.intervals.size(); ++i) {
    EXPECT_EQ(index(ours.intervals[i].step), i);
    EXPECT_EQ(ours.intervals[i].lane, random.plan.steps[i].lane);
  }
  const double largest = largest_difference(ours, fast);
  EXPECT_LE(largest, tolerance(fast)) << "seed " << seed << ", makespan " << fast.makespan;
  largest_ = std::max(largest_, largest);
}

TEST_F(Agreement, SimGridAndTheFastEngineGiveTheSameTimelinesOfAThousandRandomPlans) {
  for (std::size_t seed = 0; seed < kPlans; ++seed) expect_fast_agrees(seed, InterferenceMode::partial);
  RecordProperty("largest_difference_ps", core::significant(largest_, 6));
}

TEST_F(Agreement, SimGridAndTheFastEngineAgreeWithoutInterference) {
  for (std::size_t seed = 0; seed < kPlans; seed += 5) expect_fast_agrees(seed, InterferenceMode::none);
}

TEST_F(Agreement, SimGridAndThePlainReferenceGiveTheSameTimelines) {
  for (std::size_t seed = 5000; seed < 5200; ++seed) {
    const RandomCase random = random_case(seed, 1 + seed * 7 % 90);
    const models::CostModel model(random.machine, random.plan, InterferenceMode::partial);
    const core::Timeline ours = on_simgrid(random, InterferenceMode::partial);
    const auto plain = reference_timeline(random.plan, model);
    const double allowed = tolerance(ours);
    ASSERT_EQ(ours.intervals.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(ours.intervals[i].begin), plain[i].begin, allowed) << "seed " << seed;
      EXPECT_NEAR(static_cast<double>(ours.intervals[i].end), plain[i].end, allowed) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace forelap::tests
