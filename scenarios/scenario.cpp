#include "scenarios/scenario.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::scenarios {
namespace {

using Order = std::vector<std::uint32_t>;

/// Orders that keep `after`, by a sum over the sets of tasks that may stand first; exact up to 2^53.
double count_orders(const std::vector<TaskSpec>& tasks) {
  std::vector<std::uint32_t> before(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const std::uint32_t other : tasks[i].after) before[i] |= std::uint32_t{1} << other;
  }
  std::vector<double> ways(std::size_t{1} << tasks.size());
  ways[0] = 1;
  for (std::uint32_t set = 0; set < ways.size(); ++set) {
    for (std::size_t i = 0; i < tasks.size() && ways[set] > 0; ++i) {
      const std::uint32_t bit = std::uint32_t{1} << i;
      if ((set & bit) == 0 && (before[i] & ~set) == 0) ways[set | bit] += ways[set];
    }
  }
  return ways.back();
}

[[noreturn]] void too_many(const TaskCase& c, std::size_t limit) {
  constexpr std::size_t kCountable = 16;
  const std::size_t n = c.tasks.size();
  const std::string number =
      n <= kCountable ? core::significant(count_orders(c.tasks), 15) : "more than " + std::to_string(limit);
  core::throw_bad_input("`order: all` of " + std::to_string(n) + " tasks means " + number + " orders, and at most " +
                        std::to_string(limit) +
                        " are listed; give fewer tasks, or the orders of interest as a list: "
                        "`order: [[" +
                        c.tasks.front().name + ", ...], ...]`");
}

/// Depth first in the order of positions, which is lexicographic.
class OrderLister {
 public:
  OrderLister(const TaskCase& c, std::size_t limit) : case_(c), limit_(limit), placed_(c.tasks.size()) {}

  std::vector<Order> run() {
    extend();
    return std::move(orders_);
  }

 private:
  void extend() {
    if (prefix_.size() == case_.tasks.size()) {
      if (orders_.size() == limit_) too_many(case_, limit_);
      orders_.push_back(prefix_);
      return;
    }
    for (std::uint32_t i = 0; i < case_.tasks.size(); ++i) {
      const auto& after = case_.tasks[i].after;
      const bool ready = std::all_of(after.begin(), after.end(), [this](std::uint32_t a) { return placed_[a]; });
      if (placed_[i] || !ready) continue;
      placed_[i] = true;
      prefix_.push_back(i);
      extend();
      prefix_.pop_back();
      placed_[i] = false;
    }
  }

  const TaskCase& case_;
  std::size_t limit_;
  std::vector<bool> placed_;
  Order prefix_;
  std::vector<Order> orders_;
};

/// Depth first along `after`; a task met again while it is under way closes a circle.
class CircleFinder {
 public:
  explicit CircleFinder(const std::vector<TaskSpec>& tasks) : tasks_(tasks), state_(tasks.size(), State::fresh) {}

  Order run() {
    for (std::uint32_t i = 0; i < tasks_.size() && circle_.empty(); ++i) visit(i);
    return circle_;
  }

 private:
  enum class State : std::uint8_t { fresh, under_way, done };

  void visit(std::uint32_t start) {
    std::vector<std::pair<std::uint32_t, std::size_t>> path = {{start, 0}};
    if (state_[start] != State::fresh) return;
    state_[start] = State::under_way;
    while (!path.empty()) {
      auto& [task, next] = path.back();
      if (next == tasks_[task].after.size()) {
        state_[task] = State::done;
        path.pop_back();
        continue;
      }
      const std::uint32_t other = tasks_[task].after[next++];
      if (state_[other] == State::under_way) {
        const auto at = std::find_if(path.begin(), path.end(), [other](const auto& p) { return p.first == other; });
        for (auto p = at; p != path.end(); ++p) circle_.push_back(p->first);
        return;
      }
      if (state_[other] == State::done) continue;
      state_[other] = State::under_way;
      path.emplace_back(other, 0);
    }
  }

  const std::vector<TaskSpec>& tasks_;
  std::vector<State> state_;
  Order circle_;
};

}  // namespace

const TaskGroup& task_group_of(const Scenario& scenario) {
  if (const auto* group = std::get_if<TaskGroup>(&scenario.body)) return *group;
  core::throw_bad_input("scenario \"" + scenario.name +
                        "\" is of kind partition, one kernel over several devices; expected one of kind task_group");
}

const Partition& partition_of(const Scenario& scenario) {
  if (const auto* partition = std::get_if<Partition>(&scenario.body)) return *partition;
  core::throw_bad_input("scenario \"" + scenario.name +
                        "\" is of kind task_group; expected one of kind partition, one kernel over several devices");
}

bool is_partition(const Scenario& scenario) {
  return std::holds_alternative<Partition>(scenario.body);
}

const std::vector<std::string>& devices_of(const Scenario& scenario) {
  return is_partition(scenario) ? partition_of(scenario).devices : task_group_of(scenario).devices;
}

std::vector<std::uint32_t> circle_of(const std::vector<TaskSpec>& tasks) {
  return CircleFinder(tasks).run();
}

const KernelDefinition* find_definition(const Scenario& scenario, const std::string& name) {
  for (const KernelDefinition& kernel : scenario.kernels) {
    if (kernel.name == name) return &kernel;
  }
  for (const KernelDefinition& kernel : builtin_definitions()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

std::vector<Order> orders_of(const TaskCase& c, OrderMode mode, std::size_t limit) {
  if (mode == OrderMode::list) {
    if (c.orders.size() > limit) {
      core::throw_bad_input("the scenario lists " + std::to_string(c.orders.size()) + " orders; at most " +
                            std::to_string(limit) + " are run");
    }
    return c.orders;
  }
  if (mode == OrderMode::all) {
    constexpr std::size_t kMostTasks = 64;
    if (c.tasks.size() > kMostTasks) too_many(c, limit);
    return OrderLister(c, limit).run();
  }
  Order given(c.tasks.size());
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<std::uint32_t>(i);
  return {given};
}

}  // namespace forelap::scenarios
