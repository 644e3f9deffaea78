#include "tune/order/branch_and_bound.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "tune/order/clock.hpp"
#include "tune/order/lower_bound.hpp"

namespace forelap::tune::order {
namespace {

using sim::fast::OrderEngine;

/// Half a tick: improvements below it are none.
constexpr double kSame = 0.5;
/// What each stage proves: that no order is faster by more than this part.
constexpr std::array<double, 3> kStages = {5e-3, 1e-3, 0};

bool same_stage(const sim::fast::StageCost& a, const sim::fast::StageCost& b) {
  return a.present == b.present && (!a.present || (a.fixed == b.fixed && a.work == b.work));
}

bool alike(const sim::fast::TaskCost& a, const sim::fast::TaskCost& b) {
  return same_stage(a.htod, b.htod) && same_stage(a.kernel, b.kernel) && same_stage(a.dtoh, b.dtoh);
}

bool interferes(const Problem& problem) {
  for (const auto& rates : sim::fast::lane_rates(problem.device)) {
    if (rates[0] != 1 || rates[1] != 1 || rates[2] != 1) return true;
  }
  return false;
}

class Search {
 public:
  Search(const Problem& problem, const BoundTable& bounds, const Order& start, const Limits& limits)
      : engine_(problem.device, problem.tasks),
        bound_(problem, bounds),
        deadline_(limits),
        limits_(limits),
        count_(static_cast<std::uint32_t>(problem.tasks.size())),
        monotone_(!interferes(problem)) {
    best_ = start;
    best_time_ = engine_.evaluate(start);
    while (engine_.size() > 0) engine_.pop();
    find_twins(problem);
    for (const std::uint32_t task : problem.prefix) enter(task, count_ - static_cast<std::uint32_t>(engine_.size()));
    free_ = count_ - static_cast<std::uint32_t>(engine_.size());
  }

  Outcome run() {
    lower_ = std::min(best_time_, bound_.of(engine_.frontier()));
    for (const double stage : kStages) {
      if (stopped_ || closed(limits_.gap)) break;
      // A stage less strict than what is asked for would be work for nothing; a stricter one proves enough.
      prove(std::max(stage, std::min(limits_.gap, 1.0)));
    }
    Outcome outcome;
    outcome.order = best_;
    outcome.makespan = best_time_;
    outcome.lower_bound = std::min(lower_, best_time_);
    if (best_time_ - outcome.lower_bound <= kSame) outcome.lower_bound = best_time_;
    outcome.proven = closed(limits_.gap);
    outcome.out_of_time = stopped_;
    outcome.method = Method::branch_and_bound;
    outcome.evaluations = nodes_;
    return outcome;
  }

 private:
  struct Child {
    double bound = 0;
    std::uint32_t task = 0;
  };
  using Children = std::array<Child, OrderEngine::kMostTasks>;

  void find_twins(const Problem& problem) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      std::uint64_t before = 0;
      for (std::uint32_t j = 0; j < i; ++j) {
        if (alike(problem.tasks[i], problem.tasks[j])) before |= std::uint64_t{1} << j;
      }
      twins_before_[i] = before;
    }
  }

  [[nodiscard]] bool closed(double gap) const { return best_time_ - lower_ <= std::max(kSame, gap * lower_); }

  /// Looks for an order faster by more than `part`; where there is none, that is proved.
  void prove(double part) {
    if (closed(part)) return;
    part_ = part;
    set_limit();
    seen_.clear();
    descend(free_);
    if (!stopped_) lower_ = std::max(lower_, std::min(limit_, best_time_));
  }

  /// Prefixes that cannot end before the limit are cut.
  void set_limit() { limit_ = part_ > 0 ? best_time_ / (1 + part_) : best_time_ - kSame; }

  void offer(double time) {
    if (time >= best_time_ - kSame) return;
    best_time_ = time;
    best_.assign(path_.begin(), path_.begin() + count_);
    set_limit();
  }

  void descend(std::uint32_t left) {
    if (left <= 1) {
      finish(left);
      return;
    }
    Children children;
    const std::size_t n = expand(left, children);
    for (std::size_t i = 0; i < n; ++i) {
      if (children[i].bound >= limit_) return;  // ascending
      if (stopped_) return;
      enter(children[i].task, left);
      if (!dominated()) descend(left - 1);
      leave(children[i].task);
      if (best_time_ - lower_ <= kSame) return;
    }
  }

  void finish(std::uint32_t left) {
    if (left == 1) {
      const auto task = static_cast<std::uint32_t>(__builtin_ctzll(bound_.left()));
      path_[count_ - 1] = task;
      engine_.push(task);
      offer(engine_.makespan());
      engine_.pop();
    } else {
      offer(engine_.makespan());
    }
  }

  /// The tasks that may come next, by their bounds.
  std::size_t expand(std::uint32_t left, Children& children) {
    std::size_t n = 0;
    for (std::uint64_t rest = bound_.left(); rest != 0; rest &= rest - 1) {
      const auto task = static_cast<std::uint32_t>(__builtin_ctzll(rest));
      if ((twins_before_[task] & bound_.left()) != 0) continue;
      enter(task, left);
      const double bound = bound_.of(engine_.frontier());
      leave(task);
      if (bound < limit_) children[n++] = {bound, task};
    }
    nodes_ += left;
    stopped_ = stopped_ || deadline_.reached() || (limits_.nodes != 0 && nodes_ >= limits_.nodes);
    std::sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(n),
              [](const Child& a, const Child& b) { return a.bound != b.bound ? a.bound < b.bound : a.task < b.task; });
    return n;
  }

  void enter(std::uint32_t task, std::uint32_t left) {
    path_[count_ - left] = task;
    engine_.push(task);
    bound_.take(task);
  }
  void leave(std::uint32_t task) {
    engine_.pop();
    bound_.give_back(task);
  }

  /// Without interference: another prefix of the same tasks freed every lane no later.
  bool dominated() {
    if (!monotone_) return false;
    const auto f = engine_.frontier();
    const std::array<double, 3> times = {f.time, f.kernels_end, std::max(f.dtohs_end, f.kernels_end)};
    const auto [entry, fresh] = seen_.try_emplace(bound_.left(), times);
    if (fresh) return false;
    const auto& known = entry->second;
    if (known[0] <= times[0] && known[1] <= times[1] && known[2] <= times[2]) return true;
    if (times[0] <= known[0] && times[1] <= known[1] && times[2] <= known[2]) entry->second = times;
    return false;
  }

  OrderEngine engine_;
  GroupBound bound_;
  Deadline deadline_;
  const Limits& limits_;
  std::uint32_t count_;
  std::uint32_t free_ = 0;  ///< tasks that are not in the prefix
  bool monotone_;
  std::array<std::uint64_t, OrderEngine::kMostTasks> twins_before_{};
  std::array<std::uint32_t, OrderEngine::kMostTasks> path_{};
  std::unordered_map<std::uint64_t, std::array<double, 3>> seen_;
  Order best_;
  double best_time_ = 0;
  double lower_ = 0;
  double part_ = 0;
  double limit_ = 0;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace

Outcome branch_and_bound(const Problem& problem, const BoundTable& bounds, const Order& start, const Limits& limits) {
  return Search(problem, bounds, start, limits).run();
}

}  // namespace forelap::tune::order
