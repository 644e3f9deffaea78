#include "tune/group_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace forelap::tune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kHtod = 0, kKernel = 1, kDtoh = 2;
constexpr int kSteps = 200;  // of the search for weights
/// States of a device that the search for weights takes in where there are several devices: the most loaded ones.
constexpr std::size_t kStates = 8;
/// Sums of other order than the engine's may differ in their last digits.
constexpr double kRounding = 1e-12;

/// A task on one device, alone: ticks.
struct Lone {
  bool possible = false;
  std::array<double, 3> stage{};
  std::array<double, 3> work{}, fixed{};
  std::array<bool, 3> present{};
  double kernel_hop = 0;  ///< from the htod to the kernel
  double dtoh_hop = 0;    ///< from the stage before to the dtoh
  double kernel_fill_work = 0;

  [[nodiscard]] double before(std::size_t s) const {
    if (s == kHtod) return 0;
    if (s == kKernel) return stage[kHtod] + kernel_hop;
    return stage[kHtod] + kernel_hop + stage[kKernel] + dtoh_hop;
  }
  [[nodiscard]] double total() const { return before(kDtoh) + stage[kDtoh]; }
  [[nodiscard]] double after(std::size_t s) const { return total() - before(s) - stage[s]; }
};

/// What one resource of one device is asked for by each task.
struct Resource {
  std::uint32_t device = 0;
  std::vector<double> load;  ///< by task; ticks
  double outside = 0;        ///< least time before and after
};

class Bound {
 public:
  Bound(const GroupEvaluator& evaluator, const BoundScope& scope)
      : evaluator_(evaluator), scope_(scope), tasks_(evaluator.task_count()), devices_(evaluator.device_count()) {
    for (std::uint32_t t = 0; t < tasks_; ++t) {
      for (std::uint32_t d = 0; d < devices_; ++d) lone_.push_back(make_lone(t, d));
    }
    find_paths();
  }

  double run() {
    double least = 0;
    for (std::uint32_t t = 0; t < tasks_; ++t) least = std::max(least, head_[t] + fastest_[t]);
    for (std::uint32_t d = 0; d < devices_; ++d) add_resources(d);
    if (!resources_.empty()) least = std::max(least, best_weights());
    return least == 0 ? 0 : least * (1 - kRounding) + least_overhead();
  }

 private:
  [[nodiscard]] bool allowed(std::uint32_t t, std::uint32_t d) const {
    return scope_.free_devices ? evaluator_.can_run(t, d) : evaluator_.tuning().device[t] == d;
  }
  [[nodiscard]] const Lone& lone(std::size_t t, std::size_t d) const { return lone_[t * devices_ + d]; }

  Lone make_lone(std::uint32_t t, std::uint32_t d) const {
    Lone lone;
    lone.possible = allowed(t, d);
    if (!lone.possible) return lone;
    for (const std::size_t s : {kHtod, kKernel, kDtoh}) {
      const StageSum& sum = evaluator_.stage(t, d, static_cast<StageKind>(s));
      lone.stage[s] = sum.alone();
      lone.work[s] = sum.work;
      lone.fixed[s] = sum.fixed;
      lone.present[s] = sum.commands > 0;
    }
    lone.kernel_fill_work = evaluator_.stage(t, d, StageKind::kernel).fill_work;
    const double hop = evaluator_.hop(d);
    if (lone.present[kKernel] && lone.present[kHtod]) lone.kernel_hop = hop;
    const bool two = evaluator_.tuning().engines[d] == 2;
    if (lone.present[kDtoh] && (lone.present[kKernel] || (lone.present[kHtod] && two))) lone.dtoh_hop = hop;
    return lone;
  }

  /// Longest chains along `after` before each task and behind it, each task on its fastest device.
  void find_paths() {
    fastest_.assign(tasks_, kNever);
    for (std::size_t t = 0; t < tasks_; ++t) {
      for (std::size_t d = 0; d < devices_; ++d) {
        if (lone(t, d).possible) fastest_[t] = std::min(fastest_[t], lone(t, d).total());
      }
    }
    head_.assign(tasks_, 0);
    tail_.assign(tasks_, 0);
    const auto& specs = evaluator_.specs();
    // Chains have at most as many links as there are tasks; one pass is enough where `after` names earlier positions.
    for (std::size_t pass = 0, changed = 1; pass < tasks_ && changed != 0; ++pass) {
      changed = 0;
      for (std::size_t t = 0; t < tasks_; ++t) {
        for (const std::uint32_t other : specs[t].after) {
          // Nothing waits for a task without steps, nor for what it would wait for.
          if (!scenarios::has_steps(evaluator_.tuning().tasks[other])) continue;
          changed += raise(head_[t], head_[other] + fastest_[other]);
          changed += raise(tail_[other], tail_[t] + fastest_[t]);
        }
      }
    }
  }
  static std::size_t raise(double& value, double to) {
    if (to <= value) return 0;
    value = to;
    return 1;
  }

  void add_resources(std::uint32_t d) {
    const bool two = evaluator_.tuning().engines[d] == 2;
    if (two) {
      add(d, {kHtod}, [](const Lone& l) { return l.stage[kHtod]; });
      add(d, {kDtoh}, [](const Lone& l) { return l.stage[kDtoh]; });
    } else {
      add(d, {kHtod, kDtoh}, [](const Lone& l) { return l.stage[kHtod] + l.stage[kDtoh]; });
    }
    const double lanes = scope_.most_kernel_lanes;
    add(d, {kKernel}, [lanes](const Lone& l) { return l.stage[kKernel] / lanes; });
    const double capacity = evaluator_.kernel_capacity(d);
    const bool filled = std::isfinite(capacity) && capacity > 0 && lanes > 1;
    if (filled) add(d, {kKernel}, [capacity](const Lone& l) { return l.kernel_fill_work / capacity; });
    add_states(d, [lanes](const Lone& l) { return l.work[kKernel] / lanes; });
    if (filled) add_states(d, [capacity](const Lone& l) { return l.kernel_fill_work / capacity; });
    if (evaluator_.memory_limit() == 0) return;
    Resource memory{d, std::vector<double>(tasks_), 0};
    const auto limit = static_cast<double>(evaluator_.memory_limit());
    for (std::size_t t = 0; t < tasks_; ++t) {
      const auto bytes = static_cast<double>(evaluator_.tuning().tasks[t].buffer_bytes);
      memory.load[t] = lone(t, d).possible ? bytes * lone(t, d).total() / limit : kNever;
    }
    resources_.push_back(std::move(memory));
  }

  /// The loads of the tasks on a device, between the least that comes before and behind them on any device.
  template <class Load>
  void add(std::uint32_t d, std::initializer_list<std::size_t> stages, Load&& load) {
    Resource resource{d, std::vector<double>(tasks_), 0};
    double before = kNever;
    double after = kNever;
    for (std::size_t t = 0; t < tasks_; ++t) {
      resource.load[t] = lone(t, d).possible ? load(lone(t, d)) : kNever;
      for (std::size_t e = 0; e < devices_; ++e) {
        for (const std::size_t s : stages) {
          if (!lone(t, e).possible || !lone(t, e).present[s]) continue;
          before = std::min(before, head_[t] + lone(t, e).before(s));
          after = std::min(after, tail_[t] + lone(t, e).after(s));
        }
      }
    }
    if (before == kNever) return;
    resource.outside = before + after;
    resources_.push_back(std::move(resource));
  }

  /// What every arrangement leaves idle: before the first dtoh, after the last htod, around the kernels.
  struct Idle {
    double head = 0, tail = 0, kernel = 0;
  };
  [[nodiscard]] Idle idle_on(std::uint32_t d) const {
    double head = kNever, tail = kNever, before = kNever, after = kNever, htods = 0;
    for (std::size_t t = 0; t < tasks_; ++t) {
      for (std::size_t e = 0; e < devices_; ++e) {
        const Lone& l = lone(t, e);
        if (!l.possible) continue;
        if (l.present[kDtoh]) head = std::min(head, head_[t] + l.before(kDtoh));
        if (l.present[kHtod]) tail = std::min(tail, tail_[t] + l.after(kHtod));
        if (l.present[kKernel]) before = std::min(before, head_[t] + l.before(kKernel));
        if (l.present[kKernel]) after = std::min(after, tail_[t] + l.after(kKernel));
        if (e == d) htods += l.stage[kHtod];
      }
    }
    // Submitted by type in one go, all htods of the only copy lane come before its dtohs.
    if (devices_ == 1 && scenarios::submits_by_type(evaluator_.tuning(), d) && is_one_round()) {
      if (head != kNever) head = std::max(head, htods);
    }
    const auto or_none = [](double time) { return time == kNever ? 0 : time; };
    return {or_none(head), or_none(tail), or_none(before + after)};
  }

  [[nodiscard]] bool is_one_round() const {
    const auto& specs = evaluator_.specs();
    return evaluator_.memory_limit() == 0 &&
           std::all_of(specs.begin(), specs.end(), [](const scenarios::TaskSpec& s) { return s.after.empty(); });
  }

  /// The sums that the states of a device give. `kernel_work` says what a task's kernels count.
  template <class KernelWork>
  void add_states(std::uint32_t d, KernelWork&& kernel_work) {
    const Idle idle = idle_on(d);
    std::vector<std::pair<double, Resource>> found;
    for (const auto& vertex : evaluator_.bound_table(d).vertices()) {
      const auto& v = vertex.weight;
      Resource state{d, std::vector<double>(tasks_, kNever), v[6] * idle.head + v[7] * idle.tail + v[8] * idle.kernel};
      double sum = state.outside;
      for (std::size_t t = 0; t < tasks_; ++t) {
        const Lone& l = lone(t, d);
        if (!l.possible) continue;
        const double kernel_fixed = scope_.most_kernel_lanes == 1 ? l.fixed[kKernel] : 0;
        state.load[t] = v[0] * l.work[kHtod] + v[1] * kernel_work(l) + v[2] * l.work[kDtoh] + v[3] * l.fixed[kHtod] +
                        v[4] * kernel_fixed + v[5] * l.fixed[kDtoh];
        sum += state.load[t];
      }
      found.emplace_back(sum, std::move(state));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (found.size() > kStates) found.resize(kStates);
    for (auto& [sum, state] : found) resources_.push_back(std::move(state));
  }

  /// Value of the weights, and how much each resource is loaded by the assignment that it allows.
  double value(const std::vector<double>& weight, std::vector<double>& loaded) const {
    double sum = 0;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      loaded[r] = resources_[r].outside;
      sum += weight[r] * resources_[r].outside;
    }
    std::vector<double> cost(devices_);
    for (std::size_t t = 0; t < tasks_; ++t) {
      std::fill(cost.begin(), cost.end(), 0);
      for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (lone(t, resources_[r].device).possible) cost[resources_[r].device] += weight[r] * resources_[r].load[t];
      }
      std::size_t best = devices_;
      for (std::size_t d = 0; d < devices_; ++d) {
        if (lone(t, d).possible && (best == devices_ || cost[d] < cost[best])) best = d;
      }
      sum += cost[best];
      for (std::size_t r = 0; r < resources_.size(); ++r) {
        if (resources_[r].device == best) loaded[r] += resources_[r].load[t];
      }
    }
    return sum;
  }

  /// Multiplicative weights, begun from each kind of resource spread over the devices and from each resource alone.
  double best_weights() {
    std::vector<double> loaded(resources_.size());
    double best = 0;
    const std::size_t kinds = resources_.size() / devices_;
    std::vector<double> weight(resources_.size());
    for (std::size_t kind = 0; kind < kinds && kinds * devices_ == resources_.size(); ++kind) {
      std::fill(weight.begin(), weight.end(), 0);
      for (std::size_t d = 0; d < devices_; ++d) weight[d * kinds + kind] = 1 / static_cast<double>(devices_);
      best = std::max(best, value(weight, loaded));
    }
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      std::fill(weight.begin(), weight.end(), 0);
      weight[r] = 1;
      best = std::max(best, value(weight, loaded));
    }
    std::fill(weight.begin(), weight.end(), 1 / static_cast<double>(resources_.size()));
    for (int step = 0; step < kSteps && devices_ > 1; ++step) {
      best = std::max(best, value(weight, loaded));
      const double most = *std::max_element(loaded.begin(), loaded.end());
      if (!(most > 0)) break;
      const double rate = 2.0 / (1 + 0.2 * step);
      double sum = 0;
      for (std::size_t r = 0; r < weight.size(); ++r) {
        weight[r] = std::max(1e-9, weight[r] * (1 + rate * (loaded[r] / most - 0.5)));
        sum += weight[r];
      }
      for (double& w : weight) w /= sum;
    }
    return best;
  }

  /// A makespan holds the largest run overhead of the devices with a step, so at least the least that a task must meet.
  [[nodiscard]] double least_overhead() const {
    double least = 0;
    for (std::size_t t = 0; t < tasks_; ++t) {
      double of_task = kNever;
      for (std::uint32_t d = 0; d < devices_; ++d) {
        const Lone& l = lone(t, d);
        if (l.possible)
          of_task = std::min(of_task, l.present[0] || l.present[1] || l.present[2] ? evaluator_.run_overhead(d) : 0);
      }
      if (of_task != kNever) least = std::max(least, of_task);
    }
    return least;
  }

  const GroupEvaluator& evaluator_;
  BoundScope scope_;
  std::size_t tasks_;
  std::size_t devices_;
  std::vector<Lone> lone_;
  std::vector<double> fastest_, head_, tail_;
  std::vector<Resource> resources_;
};

}  // namespace

double least_time(const GroupEvaluator& evaluator, const BoundScope& scope) {
  return Bound(evaluator, scope).run();
}

}  // namespace forelap::tune
