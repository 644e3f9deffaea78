// How much faster the engine for orders is than SimGrid, at orders of 8 tasks with interference between transfers, both
// in this run and on one core. SimGrid is asked twice: a plan an order, as a user would, and with many orders one after
// another in one plan, which spreads its start and the text between the processes over them. The ratio that counts is
// the second, which favours SimGrid. Prints one JSON object a line; ends with 1 where the two disagree.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/number_text.hpp"
#include "core/statistics.hpp"
#include "sim/fast/order_engine.hpp"
#include "sim/simgrid/executor.hpp"

namespace {

namespace core = forelap::core;
namespace fast = forelap::sim::fast;
namespace simgrid = forelap::sim::simgrid;
using core::ActivityClass;

constexpr std::size_t kTasks = 8;
constexpr std::size_t kOrders = 200;
constexpr std::size_t kRounds = 7;
constexpr std::size_t kFastRepetitions = 500;

using Order = std::array<std::uint32_t, kTasks>;
using Durations = std::array<core::Tick, 3>;  // htod, kernel, dtoh

std::vector<Order> random_orders(core::Random& random) {
  std::vector<Order> orders(kOrders);
  for (Order& order : orders) {
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = kTasks - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  }
  return orders;
}

std::vector<Durations> random_tasks(core::Random& random) {
  std::vector<Durations> tasks(kTasks);
  for (Durations& task : tasks) {
    for (core::Tick& duration : task) duration = 1'000'000'000 * static_cast<core::Tick>(1 + random.below(9));
  }
  return tasks;
}

std::vector<core::InterferenceRow> interference() {
  core::InterferenceRow row;
  row.active = core::bit(ActivityClass::htod) | core::bit(ActivityClass::dtoh);
  row.rates[ActivityClass::htod].value = 0.8;
  row.rates[ActivityClass::dtoh].value = 0.7;
  return {row};
}

/// Appends tasks in an order to a plan; each order starts when everything before it has ended.
class PlanOfOrders {
 public:
  PlanOfOrders() {
    lanes_ = {builder_.add_lane({core::LaneKind::copy, core::DeviceId{0}, {}, "htod"}),
              builder_.add_lane({core::LaneKind::kernel, core::DeviceId{0}, {}, "kernel"}),
              builder_.add_lane({core::LaneKind::copy, core::DeviceId{0}, {}, "dtoh"})};
  }

  void add(const Order& order, const std::vector<Durations>& tasks) {
    std::vector<core::StepId> before = last_;
    for (const std::uint32_t i : order) {
      const core::StepId up = copy(core::Direction::host_to_device, lanes_[0], tasks[i][0], before);
      core::KernelStep kernel;
      kernel.lane = lanes_[1];
      kernel.call.kernel = builder_.kernel("k");
      kernel.duration = tasks[i][1];
      const core::StepId middle = builder_.add(kernel, {}, std::array{up});
      last_ = {copy(core::Direction::device_to_host, lanes_[2], tasks[i][2], {middle})};
      before.clear();
    }
  }

  core::Plan build() {
    core::Plan plan = builder_.build();
    plan.device_count = 1;
    return plan;
  }

 private:
  core::StepId copy(core::Direction direction, core::LaneId lane, core::Tick duration,
                    const std::vector<core::StepId>& after) {
    core::CopyStep step;
    step.lane = lane;
    step.direction = direction;
    step.duration = duration;
    return builder_.add(step, after);
  }

  core::PlanBuilder builder_;
  std::array<core::LaneId, 3> lanes_{};
  std::vector<core::StepId> last_;
};

template <class Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print(const std::string& figure, const std::string& unit, const std::vector<double>& samples) {
  const std::string line = "{\"figure\": \"" + figure +
                           "\", \"value\": " + core::significant(core::median(samples), 4) + ", \"unit\": \"" + unit +
                           "\", \"spread\": " + core::significant(core::robust_deviation(samples), 3) +
                           ", \"samples\": " + std::to_string(samples.size()) + "}\n";
  std::fputs(line.c_str(), stdout);
}

bool agree(double a, double b, const char* what) {
  if (std::max(a, b) - std::min(a, b) <= std::max(1.0, 1e-6 * a)) return true;
  std::fputs(("the engines disagree on " + std::string(what) + ": " + core::significant(a, 15) + " against " +
              core::significant(b, 15) + " ps\n")
                 .c_str(),
             stderr);
  return false;
}

class Bench {
 public:
  Bench() {
    auto machine = std::make_shared<core::Machine>();
    machine->devices.resize(1);
    machine->devices[0].copy_engines.value = 2;
    machine->devices[0].interference = interference();
    executor_ = simgrid::make_executor(machine, forelap::models::InterferenceMode::partial);
  }

  /// False where the engines disagree.
  bool round() {
    double sum = 0;
    const double fast_time = seconds_of([&] { sum = run_fast(); }) / (kOrders * kFastRepetitions);
    double single_sum = 0;
    const double single_time = seconds_of([&] { single_sum = run_one_by_one(); }) / kOrders;
    double chain_sum = 0;
    const double chain_time = seconds_of([&] { chain_sum = run_in_one_plan(); }) / kOrders;
    fast_.push_back(1e9 * fast_time);
    single_.push_back(1e9 * single_time);
    chain_.push_back(1e9 * chain_time);
    ratio_.push_back(chain_time / fast_time);
    return agree(sum, single_sum, "single orders") && agree(sum, chain_sum, "orders in one plan");
  }

  void print_all() const {
    print("orders of 8 tasks, fast", "ns an order", fast_);
    print("orders of 8 tasks, SimGrid, a plan each", "ns an order", single_);
    print("orders of 8 tasks, SimGrid, one plan", "ns an order", chain_);
    print("orders of 8 tasks, SimGrid against fast", "times", ratio_);
  }

 private:
  /// Each returns the sum of the makespans of all orders in picoseconds.
  double run_fast() {
    double sum = 0;
    for (std::size_t r = 0; r < kFastRepetitions; ++r) {
      sum = 0;
      for (const Order& order : orders_) sum += engine_.evaluate(order);
    }
    return sum;
  }
  double run_one_by_one() {
    double sum = 0;
    for (const Order& order : orders_) {
      PlanOfOrders plan;
      plan.add(order, tasks_);
      sum += static_cast<double>(executor_->run(plan.build(), {}, {}).makespan);
    }
    return sum;
  }
  double run_in_one_plan() {
    PlanOfOrders plan;
    for (const Order& order : orders_) plan.add(order, tasks_);
    return static_cast<double>(executor_->run(plan.build(), {}, {}).makespan);
  }

  static fast::OrderEngine make_engine(const std::vector<Durations>& tasks) {
    fast::OrderDevice device;
    device.rates = forelap::models::RateTable(interference());
    std::vector<fast::TaskCost> costs;
    for (const Durations& t : tasks) {
      const auto stage = [](core::Tick d) { return fast::StageCost{true, 0, static_cast<double>(d)}; };
      costs.push_back({stage(t[0]), stage(t[1]), stage(t[2])});
    }
    return fast::OrderEngine(device, costs);
  }

  core::Random random_{1};
  std::vector<Durations> tasks_ = random_tasks(random_);
  std::vector<Order> orders_ = random_orders(random_);
  fast::OrderEngine engine_ = make_engine(tasks_);
  std::unique_ptr<core::Executor> executor_;
  std::vector<double> fast_, single_, chain_, ratio_;
};

}  // namespace

int main() {
  try {
    Bench bench;
    bool same = true;
    for (std::size_t i = 0; i < kRounds; ++i) same = bench.round() && same;
    bench.print_all();
    return same ? 0 : 1;
  } catch (const std::exception& error) {
    std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
    return 3;
  }
}
