#pragma once
// Open tasks and policies for the tests of policies.

#include <memory>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "scenarios/read.hpp"
#include "tune/policy.hpp"
#include "tune/task_cost.hpp"

namespace forelap::tune::testing {

using core::OpenTask;
using core::TaskKey;
using core::Tick;
using Keys = std::vector<TaskKey>;

constexpr Tick kUnit = 10'000'000'000;  // 10 ms

inline core::Machine machine(double slowed = 1) {
  auto m =
      scenarios::parse_machine("forelap_machine: 1\nname: i\ndevices: [{name: ideal, copy_engines: 2}]\n", "i.yaml");
  if (slowed == 1) return m;
  core::InterferenceRow row;
  const auto rate = [slowed] {
    core::Parameter parameter;
    parameter.value = slowed;
    return parameter;
  };
  row.active = static_cast<core::ActivitySet>(1U << static_cast<unsigned>(core::ActivityClass::htod) |
                                              1U << static_cast<unsigned>(core::ActivityClass::dtoh));
  row.rates = {{core::ActivityClass::htod, rate()}, {core::ActivityClass::dtoh, rate()}};
  m.devices[0].interference = {row};
  return m;
}

inline OpenTask timed(TaskKey key, Tick htod, Tick kernel, Tick dtoh) {
  OpenTask task;
  task.key = key;
  task.htod_duration = htod;
  task.kernel_duration = kernel;
  task.dtoh_duration = dtoh;
  return task;
}

/// BK50: its best order takes 2.1 units, this one 2.5.
inline std::vector<OpenTask> bk50(TaskKey first = 0) {
  const auto tenth = kUnit / 10;
  return {timed(first, 6 * tenth, 2 * tenth, 2 * tenth), timed(first + 1, 2 * tenth, 2 * tenth, 6 * tenth),
          timed(first + 2, tenth, 8 * tenth, tenth), timed(first + 3, 2 * tenth, 7 * tenth, tenth)};
}

inline PolicyOptions by_nodes() {
  PolicyOptions options;
  options.nodes = 20'000;
  return options;
}

inline std::unique_ptr<core::Policy> policy(const std::string& name, const PolicyOptions& options = by_nodes()) {
  return make_policy(name, machine(), options);
}

inline void arrive(core::Policy& p, const std::vector<OpenTask>& tasks, Tick now = 0) {
  for (const OpenTask& task : tasks) p.arrived(task, now);
}

inline Keys run_through(core::Policy& p, Tick now = 0) {
  const Keys keys = p.next(now, {});
  for (const TaskKey key : keys) p.transferred(key, now);
  for (const TaskKey key : keys) p.finished(key, now);
  return keys;
}

inline core::StopToken hurried() {
  core::StopSource source;
  source.request_stop();
  return source.token();
}

/// Ticks of `tasks` in the order of `keys` (positions), alone on the machine.
inline double makespan(const std::vector<OpenTask>& tasks, const Keys& keys, const core::Machine& on,
                       std::uint32_t engines = 2) {
  const TaskPrices prices(on, 0, core::InterferenceMode::partial, core::MemoryKind::pinned, engines);
  std::vector<sim::fast::TaskCost> costs;
  for (const OpenTask& task : tasks) costs.push_back(*prices.price(task));
  order::Order order;
  for (const TaskKey key : keys) order.push_back(static_cast<std::uint32_t>(key - tasks.front().key));
  return sim::fast::OrderEngine(prices.device(), costs).evaluate(order);
}

}  // namespace forelap::tune::testing
