// The searches for orders on groups drawn like the ordering paper's BK0 to BK100, interference and fixed parts as
// recorded on an H200: how long a proof takes, how many are had in time, and what large groups reach.
//
//   order_search_bench MACHINE [SECONDS]     a machine profile; seconds of the long run for 64 tasks (default 60)
//
// One JSON object a line: {figure, value, unit, spread, samples}; value is the median, spread from the 10th to the 90th
// percentile; of shares both bounds are of the mean's 90 % confidence interval by the normal approximation.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/statistics.hpp"
#include "scenarios/read.hpp"
#include "tune/order/search.hpp"
#include "tune/task_cost.hpp"

namespace {

using namespace forelap;
using tune::order::BoundTable;
using tune::order::Limits;
using tune::order::Method;
using tune::order::Outcome;
using tune::order::Problem;
using Clock = std::chrono::steady_clock;

constexpr double kUnit = 1e10;  // 10 ms in ticks

sim::fast::TaskCost task_of(double htod, double kernel, double dtoh) {
  // The fixed parts of the recorded profile's transfers and of its synthetic kernel.
  return {{true, 2.56e6, htod * kUnit}, {true, 2.7e6, kernel * kUnit}, {true, 1.62e6, dtoh * kUnit}};
}

/// `quarters` of four tasks are dominated by their kernel; stages are drawn over the ranges of the paper's tasks.
Problem draw(core::Random& random, const sim::fast::OrderDevice& device, std::size_t tasks, std::size_t quarters) {
  Problem problem;
  problem.device = device;
  const auto between = [&random](double low, double high) { return low + (high - low) * random.uniform(); };
  for (std::size_t i = 0; i < tasks; ++i) {
    const bool by_kernel = i < (tasks * quarters + 2) / 4;
    const double htod = by_kernel ? between(0.1, 0.3) : between(0.2, 0.8);
    const double kernel = by_kernel ? between(0.6, 0.8) : between(0.1, 0.2);
    const double dtoh = by_kernel ? between(0.1, 0.2) : between(0.1, 0.6);
    problem.tasks.push_back(task_of(htod, kernel, dtoh));
  }
  return problem;
}

void print(const std::string& figure, double value, const std::string& unit, double spread, std::size_t samples) {
  std::printf("{\"figure\": \"%s\", \"value\": %s, \"unit\": \"%s\", \"spread\": %s, \"samples\": %zu}\n",
              figure.c_str(), core::significant(value, 5).c_str(), unit.c_str(), core::significant(spread, 3).c_str(),
              samples);
  std::fflush(stdout);
}

void print_times(const std::string& figure, const std::vector<double>& ms) {
  print(figure + ", median", core::median(ms), "ms", core::quantile(ms, 0.9) - core::quantile(ms, 0.1), ms.size());
  print(figure + ", 95th percentile", core::quantile(ms, 0.95), "ms", 0, ms.size());
}

void print_share(const std::string& figure, std::size_t hits, std::size_t of) {
  const double p = static_cast<double>(hits) / static_cast<double>(of);
  print(figure, 100 * p, "%", 100 * 2 * 1.645 * std::sqrt(p * (1 - p) / static_cast<double>(of)), of);
}

/// Searches `groups` groups and prints how long that took and how near the proofs came.
void search(const std::string& name, const sim::fast::OrderDevice& device, std::size_t tasks, double gap,
            double seconds, std::size_t groups) {
  const BoundTable bounds(device);
  core::Random random(7);
  std::vector<double> ms;
  std::size_t tenth = 0;
  std::size_t half = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const Problem problem = draw(random, device, tasks, g % 5);
    Limits limits;
    limits.gap = gap;
    limits.seconds = seconds;
    const auto begin = Clock::now();
    const Outcome outcome = find_order(problem, bounds, Method::automatic, limits);
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    tenth += tune::order::gap_of(outcome) <= 1e-3 ? 1 : 0;
    half += tune::order::gap_of(outcome) <= 5e-3 ? 1 : 0;
  }
  print_times(name, ms);
  if (seconds < 1) {
    print_share(name + ", proven within 0.1 %", tenth, groups);
    print_share(name + ", proven within 0.5 %", half, groups);
  }
}

/// 64 tasks in 50 ms against a long run of iterated greedy.
void large_groups(const sim::fast::OrderDevice& device, double long_seconds) {
  const BoundTable bounds(device);
  core::Random random(9);
  std::vector<double> ms;
  std::vector<double> behind;
  for (std::size_t g = 0; g < 5; ++g) {
    const Problem problem = draw(random, device, 64, g);
    Limits limits;
    limits.seconds = 0.045;
    const auto begin = Clock::now();
    const Outcome quick = find_order(problem, bounds, Method::automatic, limits);
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    limits.seconds = long_seconds;
    limits.seed = 2;
    const Outcome slow = find_order(problem, bounds, Method::iterated_greedy, limits);
    behind.push_back(100 * (quick.makespan / std::min(slow.makespan, quick.makespan) - 1));
  }
  print_times("64 tasks", ms);
  print("64 tasks, behind iterated greedy of " + core::shortest(long_seconds) + " s, largest",
        core::quantile(behind, 1), "%", 0, behind.size());
}

/// Kernels that slow transfers and are slowed, beside transfers that slow each other.
models::RateTable kernels_interfering() {
  using core::ActivityClass;
  std::vector<core::InterferenceRow> rows;
  const auto add = [&rows](std::initializer_list<std::pair<ActivityClass, double>> rates) {
    core::InterferenceRow row;
    for (const auto& [c, rate] : rates) {
      row.active = static_cast<core::ActivitySet>(row.active | core::bit(c));
      row.rates[c].value = rate;
    }
    rows.push_back(row);
  };
  add({{ActivityClass::htod, 1 / 1.26}, {ActivityClass::dtoh, 1 / 1.06}});
  add({{ActivityClass::htod, 0.97}, {ActivityClass::kernel, 0.98}});
  add({{ActivityClass::dtoh, 0.96}, {ActivityClass::kernel, 0.99}});
  add({{ActivityClass::htod, 0.75}, {ActivityClass::dtoh, 0.9}, {ActivityClass::kernel, 0.97}});
  return models::RateTable(rows);
}

int run(const std::string& machine_file, double long_seconds) {
  const auto machine = scenarios::read_machine(machine_file);
  const auto device = tune::TaskPrices(machine, 0, core::InterferenceMode::partial, core::MemoryKind::pinned).device();
  sim::fast::OrderDevice coupled = device;
  coupled.rates = kernels_interfering();
  search("8 tasks, within 0.1 %", device, 8, 1e-3, 60, 500);
  search("8 tasks, exact", device, 8, 0, 60, 500);
  search("8 tasks, kernels interfering, exact", coupled, 8, 0, 60, 200);
  search("12 tasks, within 0.1 % or 100 ms", device, 12, 1e-3, 0.1, 200);
  search("12 tasks, kernels interfering, within 0.1 % or 100 ms", coupled, 12, 1e-3, 0.1, 100);
  large_groups(device, long_seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: order_search_bench MACHINE [SECONDS]\n", stderr);
    return 2;
  }
  try {
    const auto seconds = argc > 2 ? core::parse_number(argv[2]) : std::optional<double>(60);
    if (!seconds || !(*seconds > 0)) core::throw_bad_input("SECONDS: expected a number above 0");
    return run(argv[1], *seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "order_search_bench: %s\n", error.what());
    return 1;
  }
}
