#include "tune/order/constructive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tune/order/improve.hpp"

namespace forelap::tune::order {
namespace {

using sim::fast::OrderEngine;

double alone(const sim::fast::StageCost& stage) {
  return stage.present ? stage.fixed + stage.work : 0;
}

double total(const sim::fast::TaskCost& task) {
  return alone(task.htod) + alone(task.kernel) + alone(task.dtoh);
}

/// Ends of the last command of each kind, from the engine's state where there is one, else by solo times.
struct Ends {
  double htod = 0, kernel = 0, dtoh = 0;
};

class Heuristic {
 public:
  explicit Heuristic(const Problem& problem)
      : problem_(problem), engine_(problem.device, problem.tasks), left_(free_tasks(problem)) {
    for (const std::uint32_t i : problem.prefix) take(i);
  }

  Order run() {
    if (left_.size() > 2 && order_.empty()) take(first());
    while (left_.size() > 2) take(next());
    if (left_.size() == 2) take_last_two();
    while (!left_.empty()) take(left_.front());
    return order_;
  }

 private:
  [[nodiscard]] const sim::fast::TaskCost& task(std::uint32_t i) const { return problem_.tasks[i]; }
  [[nodiscard]] double lead(std::uint32_t i) const { return alone(task(i).kernel) - alone(task(i).htod); }

  std::uint32_t first() const {
    double most = -std::numeric_limits<double>::infinity();
    double longest = 0;
    for (const std::uint32_t i : left_) {
      most = std::max(most, lead(i));
      longest = std::max(longest, total(task(i)));
    }
    std::uint32_t chosen = left_.front();
    double dtoh = -1;
    for (const std::uint32_t i : left_) {
      if (lead(i) < most - 0.05 * longest || alone(task(i).dtoh) <= dtoh) continue;
      chosen = i;
      dtoh = alone(task(i).dtoh);
    }
    return chosen;
  }

  /// Ends of the commands of the ordered tasks, as the paper's update() has them: a recurrence over the lanes in which
  /// the simulated time of the whole stands for the end of the last dtoh.
  [[nodiscard]] Ends ends() {
    Ends e;
    for (const std::uint32_t i : order_) {
      e.htod += alone(task(i).htod);
      e.kernel = std::max(e.kernel, e.htod) + alone(task(i).kernel);
    }
    if (engine_.has_frontier()) {
      const auto f = engine_.frontier();
      e.htod = f.time;
      e.kernel = f.kernels_end;
    }
    e.dtoh = std::max(engine_.makespan() - problem_.device.run_overhead, e.kernel);
    return e;
  }

  std::uint32_t next() {
    const Ends e = ends();
    std::uint32_t chosen = left_.front();
    double least = std::numeric_limits<double>::infinity();
    double least_end = least;
    for (const std::uint32_t i : left_) {
      const double htod_misfit = std::abs(alone(task(i).htod) - std::max(0.0, e.kernel - e.htod));
      const double kernel_misfit = std::abs(alone(task(i).kernel) - std::max(0.0, e.dtoh - e.kernel));
      const double misfit = htod_misfit + kernel_misfit;
      engine_.push(i);
      const double end = engine_.makespan();
      engine_.pop();
      if (misfit > least || (misfit == least && end >= least_end)) continue;
      least = misfit;
      least_end = end;
      chosen = i;
    }
    return chosen;
  }

  void take_last_two() {
    const std::uint32_t a = left_[0];
    const std::uint32_t b = left_[1];
    const double a_last = with(b, a);
    const double b_last = with(a, b);
    const bool shorter = alone(task(a).dtoh) < alone(task(b).dtoh);
    const bool a_comes_last = a_last < b_last || (a_last == b_last && shorter);
    take(a_comes_last ? b : a);
  }

  double with(std::uint32_t first, std::uint32_t second) {
    engine_.push(first);
    engine_.push(second);
    const double time = engine_.makespan();
    engine_.pop();
    engine_.pop();
    return time;
  }

  void take(std::uint32_t i) {
    order_.push_back(i);
    engine_.push(i);
    std::erase(left_, i);
  }

  const Problem& problem_;
  OrderEngine engine_;
  Order left_;
  Order order_;
};

}  // namespace

Order heuristic_order(const Problem& problem) {
  return Heuristic(problem).run();
}

Order johnson_order(const Problem& problem) {
  struct Pair {
    double first, second;
  };
  std::vector<Pair> machines;
  for (const auto& task : problem.tasks) {
    machines.push_back({alone(task.htod) + alone(task.kernel), alone(task.kernel) + alone(task.dtoh)});
  }
  Order order = free_tasks(problem);
  std::stable_sort(order.begin(), order.end(), [&machines](std::uint32_t a, std::uint32_t b) {
    const bool a_early = machines[a].first < machines[a].second;
    const bool b_early = machines[b].first < machines[b].second;
    if (a_early != b_early) return a_early;
    return a_early ? machines[a].first < machines[b].first : machines[a].second > machines[b].second;
  });
  order.insert(order.begin(), problem.prefix.begin(), problem.prefix.end());
  return order;
}

Order neh_order(const Problem& problem) {
  OrderEngine engine(problem.device, problem.tasks);
  Order turns = free_tasks(problem);
  std::stable_sort(turns.begin(), turns.end(), [&problem](std::uint32_t a, std::uint32_t b) {
    return total(problem.tasks[a]) > total(problem.tasks[b]);
  });
  Workbench bench(engine, problem.prefix, problem.prefix.size());
  for (const std::uint32_t task : turns) bench.insert_best(task);
  return bench.order();
}

}  // namespace forelap::tune::order
