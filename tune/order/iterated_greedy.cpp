#include "tune/order/iterated_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.hpp"
#include "tune/order/improve.hpp"
#include "tune/order/lower_bound.hpp"

namespace forelap::tune::order {
namespace {

/// Tasks taken out a round, and the temperature as part of the mean stage; both as recommended in the paper.
constexpr std::size_t kDestroyed = 4;
constexpr double kTemperature = 0.4 / 10;

class Greedy {
 public:
  Greedy(const Problem& problem, const Order& start, const Limits& limits)
      : engine_(problem.device, problem.tasks),
        bench_(engine_, start, problem.prefix.size()),
        free_(start.size() - problem.prefix.size()),
        deadline_(limits),
        limits_(limits),
        random_(limits.seed),
        temperature_(mean_stage(problem) * kTemperature) {
    best_ = bench_.order();
    best_time_ = bench_.time();
  }

  /// Ends early where `floor` is reached within `gap`.
  void run(double floor, double gap) {
    improve();
    keep_best();
    while (!deadline_.look() && (limits_.nodes == 0 || rounds_ < limits_.nodes)) {
      if (best_time_ - floor <= std::max(0.5, gap * floor)) return;
      ++rounds_;
      const Order before = bench_.order();
      const double time = bench_.time();
      rebuild();
      improve();
      keep_best();
      if (bench_.time() > time && random_.uniform() > std::exp((time - bench_.time()) / temperature_)) {
        bench_.assign(before);
      }
    }
    stopped_ = true;
  }

  [[nodiscard]] const Order& best() const { return best_; }
  [[nodiscard]] double best_time() const { return best_time_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] std::uint64_t evaluations() const { return bench_.evaluations(); }

 private:
  static double mean_stage(const Problem& problem) {
    double sum = 0;
    for (const auto& task : problem.tasks) {
      for (const auto* stage : {&task.htod, &task.kernel, &task.dtoh})
        sum += stage->present ? stage->fixed + stage->work : 0;
    }
    return std::max(1.0, sum / (3 * static_cast<double>(std::max<std::size_t>(1, problem.tasks.size()))));
  }

  void rebuild() {
    const std::size_t fixed = bench_.order().size() - free_;
    const std::size_t n = std::min(kDestroyed, free_ - 1);
    Order taken;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t place = fixed + random_.below(bench_.order().size() - fixed);
      taken.push_back(bench_.order()[place]);
      bench_.remove_at(place);
    }
    for (const std::uint32_t task : taken) bench_.insert_best(task);
  }

  void improve() {
    const Order& order = bench_.order();
    Order turns(order.end() - static_cast<std::ptrdiff_t>(free_), order.end());
    for (std::size_t i = turns.size(); i > 1; --i) std::swap(turns[i - 1], turns[random_.below(i)]);
    bench_.descend(turns, deadline_);
  }

  void keep_best() {
    if (bench_.time() >= best_time_) return;
    best_ = bench_.order();
    best_time_ = bench_.time();
  }

  sim::fast::OrderEngine engine_;
  Workbench bench_;
  std::size_t free_;  ///< tasks that are not in the prefix
  Deadline deadline_;
  const Limits& limits_;
  core::Random random_;
  double temperature_;
  Order best_;
  double best_time_ = 0;
  std::uint64_t rounds_ = 0;
  bool stopped_ = false;
};

}  // namespace

Outcome iterated_greedy(const Problem& problem, const BoundTable& bounds, const Order& start, const Limits& limits) {
  Outcome outcome;
  outcome.method = Method::iterated_greedy;
  outcome.lower_bound = GroupBound(problem, bounds).of_all();
  if (start.size() < problem.prefix.size() + 2) {
    outcome.order = start;
    outcome.makespan = sim::fast::OrderEngine(problem.device, problem.tasks).evaluate(start);
    outcome.lower_bound = outcome.makespan;
    outcome.proven = true;
    return outcome;
  }
  Greedy greedy(problem, start, limits);
  greedy.run(outcome.lower_bound, limits.gap);
  outcome.order = greedy.best();
  outcome.makespan = greedy.best_time();
  outcome.evaluations = greedy.evaluations();
  outcome.lower_bound = std::min(outcome.lower_bound, outcome.makespan);
  outcome.proven = outcome.makespan - outcome.lower_bound <= std::max(0.5, limits.gap * outcome.lower_bound);
  outcome.out_of_time = greedy.stopped() && !outcome.proven;
  return outcome;
}

}  // namespace forelap::tune::order
