#include "tune/order/search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "tune/order/branch_and_bound.hpp"
#include "tune/order/constructive.hpp"
#include "tune/order/improve.hpp"
#include "tune/order/iterated_greedy.hpp"
#include "tune/order/lower_bound.hpp"

namespace forelap::tune::order {
namespace {

/// `automatic` proves up to so many tasks, and searches by iterated greedy beyond.
constexpr std::size_t kExactTasks = 16;
/// Orders of more tasks are not tried one by one.
constexpr std::size_t kExhaustiveTasks = 10;
/// Groups in which a task has no htod have no bound for prefixes: up to so many tasks every order is tried.
constexpr std::size_t kWithoutHtod = 8;

constexpr std::array<std::pair<Method, const char*>, 7> kNames = {{{Method::automatic, "auto"},
                                                                   {Method::heuristic, "heuristic"},
                                                                   {Method::johnson, "johnson"},
                                                                   {Method::neh, "neh"},
                                                                   {Method::branch_and_bound, "branch-and-bound"},
                                                                   {Method::iterated_greedy, "iterated-greedy"},
                                                                   {Method::exhaustive, "exhaustive"}}};

bool all_have_htod(const Problem& problem) {
  return std::all_of(problem.tasks.begin(), problem.tasks.end(), [](const auto& task) { return task.htod.present; });
}

Outcome of_order(const Problem& problem, const BoundTable& bounds, Method method, Order order, double gap) {
  Outcome outcome;
  outcome.makespan = sim::fast::OrderEngine(problem.device, problem.tasks).evaluate(order);
  outcome.lower_bound = std::min(outcome.makespan, GroupBound(problem, bounds).of_all());
  outcome.order = std::move(order);
  outcome.proven = outcome.makespan - outcome.lower_bound <= std::max(0.5, gap * outcome.lower_bound);
  outcome.method = method;
  outcome.evaluations = 1;
  return outcome;
}

/// Where a search begins, and what is left of its limits then.
struct Start {
  Order order;
  Limits limits;
};

/// The better of the constructive orders, descended to where no insertion gains.
Start good_start(const Problem& problem, const Limits& limits) {
  const auto begin = std::chrono::steady_clock::now();
  sim::fast::OrderEngine engine(problem.device, problem.tasks);
  Deadline deadline(limits);
  Order order = neh_order(problem);
  Workbench bench(engine, order, problem.prefix.size());
  // Beyond exact sizes the heuristic takes as long as NEH and is worth less.
  if (problem.tasks.size() <= kExactTasks) {
    const Order heuristic = heuristic_order(problem);
    if (engine.evaluate(heuristic) < bench.time()) bench.assign(heuristic);
  }
  order = bench.order();
  bench.descend(Order(order.begin() + static_cast<std::ptrdiff_t>(problem.prefix.size()), order.end()), deadline);
  Start start{bench.order(), limits};
  const double used = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  start.limits.seconds = std::max(0.0, limits.seconds - used);
  return start;
}

Outcome exhaustive(const Problem& problem, const BoundTable& bounds, const Limits& limits) {
  if (free_tasks(problem).size() > kExhaustiveTasks) {
    throw std::invalid_argument("every order is tried for at most " + std::to_string(kExhaustiveTasks) +
                                " tasks, not for " + std::to_string(free_tasks(problem).size()));
  }
  Order order = problem.prefix;
  const Order free = free_tasks(problem);
  order.insert(order.end(), free.begin(), free.end());
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(problem.prefix.size());
  Outcome outcome = of_order(problem, bounds, Method::exhaustive, order, limits.gap);
  sim::fast::OrderEngine engine(problem.device, problem.tasks);
  Deadline deadline(limits);
  while (std::next_permutation(first, order.end())) {
    if (deadline.reached()) {
      outcome.out_of_time = true;
      return outcome;
    }
    ++outcome.evaluations;
    const double time = engine.evaluate(order);
    if (time >= outcome.makespan) continue;
    outcome.makespan = time;
    outcome.order = order;
  }
  outcome.lower_bound = outcome.makespan;
  outcome.proven = true;
  return outcome;
}

Outcome from_good_start(const Problem& problem, const BoundTable& bounds, const Limits& limits) {
  const Start start = good_start(problem, limits);
  return iterated_greedy(problem, bounds, start.order, start.limits);
}

/// Branch and bound where prefixes have bounds, else every order or iterated greedy.
Outcome exact(const Problem& problem, const BoundTable& bounds, const Limits& limits) {
  if (all_have_htod(problem)) {
    const Start start = good_start(problem, limits);
    return branch_and_bound(problem, bounds, start.order, start.limits);
  }
  if (free_tasks(problem).size() <= kWithoutHtod) return exhaustive(problem, bounds, limits);
  return from_good_start(problem, bounds, limits);
}

}  // namespace

std::string method_name(Method method) {
  for (const auto& [m, name] : kNames) {
    if (m == method) return name;
  }
  return {};
}

std::optional<Method> method_of(const std::string& name) {
  for (const auto& [method, n] : kNames) {
    if (name == n) return method;
  }
  return std::nullopt;
}

Outcome find_order(const Problem& problem, const BoundTable& bounds, Method method, const Limits& limits) {
  switch (method) {
    case Method::heuristic:
      return of_order(problem, bounds, method, heuristic_order(problem), limits.gap);
    case Method::johnson:
      return of_order(problem, bounds, method, johnson_order(problem), limits.gap);
    case Method::neh:
      return of_order(problem, bounds, method, neh_order(problem), limits.gap);
    case Method::exhaustive:
      return exhaustive(problem, bounds, limits);
    case Method::iterated_greedy:
      return from_good_start(problem, bounds, limits);
    case Method::branch_and_bound:
      return exact(problem, bounds, limits);
    case Method::automatic:
      break;
  }
  if (free_tasks(problem).size() <= kExactTasks) return exact(problem, bounds, limits);
  return from_good_start(problem, bounds, limits);
}

double gap_of(const Outcome& outcome) {
  return outcome.lower_bound > 0 ? (outcome.makespan - outcome.lower_bound) / outcome.lower_bound : 0;
}

}  // namespace forelap::tune::order
