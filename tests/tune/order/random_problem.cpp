#include "tests/tune/order/random_problem.hpp"

#include <initializer_list>
#include <utility>

namespace forelap::tests {
namespace {

using core::ActivityClass;

core::InterferenceRow row(std::initializer_list<std::pair<ActivityClass, double>> rates) {
  core::InterferenceRow r;
  for (const auto& [c, rate] : rates) {
    r.active = static_cast<core::ActivitySet>(r.active | core::bit(c));
    r.rates[c].value = rate;
  }
  return r;
}

models::RateTable random_rates(core::Random& random) {
  const auto rate = [&random] { return 0.4 + 0.6 * random.uniform(); };
  std::vector<core::InterferenceRow> rows;
  const std::uint64_t kind = random.below(4);
  if (kind >= 1) rows.push_back(row({{ActivityClass::htod, rate()}, {ActivityClass::dtoh, rate()}}));
  if (kind >= 2) {
    rows.push_back(row({{ActivityClass::htod, rate()}, {ActivityClass::kernel, rate()}}));
    rows.push_back(row({{ActivityClass::dtoh, rate()}, {ActivityClass::kernel, rate()}}));
  }
  if (kind == 3) {
    rows.push_back(
        row({{ActivityClass::htod, rate()}, {ActivityClass::dtoh, rate()}, {ActivityClass::kernel, rate()}}));
  }
  return models::RateTable(rows);
}

/// A stage of 0 to 10 ms, of whole milliseconds half of the time so that ties happen.
sim::fast::StageCost random_stage(core::Random& random, double present, double fixed) {
  if (random.uniform() >= present) return {};
  const double work = random.below(2) == 0 ? static_cast<double>(random.below(11)) : 10 * random.uniform();
  return {true, random.uniform() * fixed, work * 1e9};
}

}  // namespace

tune::order::Problem random_problem(core::Random& random, const ProblemShape& shape) {
  tune::order::Problem problem;
  problem.device.two_engines = shape.two_engines;
  problem.device.rates = random_rates(random);
  const bool latencies = random.below(2) == 0;
  if (latencies) {
    problem.device.hop = 2e8 * random.uniform();
    problem.device.submit = 1e8 * random.uniform();
    problem.device.run_overhead = 1e8;
  }
  const double fixed = latencies ? 5e8 : 0;
  for (std::size_t i = 0; i < shape.tasks; ++i) {
    if (i > 0 && random.below(6) == 0) {
      problem.tasks.push_back(problem.tasks[random.below(i)]);
      continue;
    }
    sim::fast::TaskCost task;
    task.htod = random_stage(random, shape.missing_htods ? 0.8 : 1, fixed);
    task.kernel = random_stage(random, 0.9, fixed);
    task.dtoh = random_stage(random, 0.9, fixed);
    problem.tasks.push_back(task);
  }
  return problem;
}

}  // namespace forelap::tests
