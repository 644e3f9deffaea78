// Open work on a real session: the pool of the host's cores, which is always there.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "hw/backends.hpp"
#include "hw/plan_executor.hpp"
#include "run/hardware.hpp"
#include "run/online.hpp"
#include "run/rows.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run {
namespace {

/// BK50 a hundred times shorter, so that buffers stay small.
scenarios::Scenario small_bk50(const scenarios::Online& online) {
  auto scenario = testing::bk50();
  auto& group = std::get<scenarios::TaskGroup>(scenario.body);
  group.order = scenarios::OrderMode::given;
  group.online = online;
  for (auto& task : group.cases[0].tasks) {
    *task.htod[0].seconds /= 50;
    *task.kernels[0].seconds /= 50;
    *task.dtoh[0].seconds /= 50;
  }
  return scenario;
}

MeasureOutcome measure(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                       const MeasureOptions& options) {
  const auto executor = hw::make_plan_executor({hw::open_device("cpu").device});
  const auto bind = [&](std::size_t case_index) { return make_bindings(scenario, case_index, "cpu"); };
  return measure_online(set, scenario, *executor, machine, bind, options);
}

TEST(OnlineOnHardware, TasksComeInRealTimeAndAllEnd) {
  scenarios::Online online;
  online.arrivals = scenarios::Arrivals::every;
  online.interval = 4e-3;
  online.tasks = 6;
  const auto scenario = small_bk50(online);
  const auto machine = testing::modelled_machine(0);
  auto set = make_rows(scenario, machine);
  MeasureOptions options;
  options.repetitions = 2;
  const auto outcome = measure(set, scenario, machine, options);
  EXPECT_EQ(outcome.failure, "");
  for (const auto& row : set.rows) {
    ASSERT_EQ(row.samples.size(), 2U);
    // The last one does not come before its time.
    for (const double seconds : row.samples) EXPECT_GE(seconds, 5 * online.interval);
    EXPECT_GT(row.measured_online->mean_latency, 0);
    EXPECT_GE(row.measured_online->groups, 1);
  }
}

TEST(OnlineOnHardware, ClosedWorkersSendAllTheirTasks) {
  scenarios::Online online;
  online.arrivals = scenarios::Arrivals::closed;
  online.workers = 4;
  online.tasks = 5;
  online.think = 1e-3;
  online.draw = scenarios::Draw::random;
  const auto scenario = small_bk50(online);
  const auto machine = testing::modelled_machine(0);
  auto set = make_rows(scenario, machine);
  MeasureOptions options;
  options.repetitions = 1;
  EXPECT_EQ(measure(set, scenario, machine, options).failure, "");
  for (const auto& row : set.rows) {
    ASSERT_EQ(row.samples.size(), 1U);
    EXPECT_NEAR(row.measured_online->tasks_per_second * row.samples[0], 20, 1e-6);
  }
}

TEST(OnlineOnHardware, AStopIsHeardWhileATaskIsWaitedFor) {
  scenarios::Online online;
  online.arrivals = scenarios::Arrivals::every;
  online.interval = 1000;
  online.tasks = 2;
  const auto scenario = small_bk50(online);
  const auto machine = testing::modelled_machine(0);
  auto set = make_rows(scenario, machine);
  core::StopSource source;
  MeasureOptions options;
  options.repetitions = 1;
  options.stop = source.token();
  std::thread user([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  const auto outcome = measure(set, scenario, machine, options);
  user.join();
  EXPECT_TRUE(outcome.stopped);
  EXPECT_TRUE(set.rows[0].partial);
}

}  // namespace
}  // namespace forelap::run
