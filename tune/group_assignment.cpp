#include "tune/group_assignment.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "tune/order/clock.hpp"
#include "tune/order/lower_bound.hpp"

namespace forelap::tune {
namespace {

using Set = std::uint32_t;

constexpr std::size_t kMostTasks = 10;
constexpr double kMostAssignments = 100'000;
constexpr double kSame = 0.5;  // ticks

/// A device and what is known of each set of tasks on it; run overheads are left out.
class DeviceSets {
 public:
  DeviceSets(order::Problem problem, std::size_t tasks)
      : problem_(std::move(problem)), bounds_(problem_.device), known_(std::size_t{1} << tasks) {}

  /// A bound of the set, at no cost but itself.
  double bound(Set set) {
    Known& known = known_[set];
    if (known.bound < 0) known.bound = set == 0 ? 0 : order::GroupBound(part(set), bounds_).of_all();
    return known.bound;
  }
  /// The best order of the set, searched once.
  const order::Outcome& solve(Set set, const order::Limits& limits, std::uint64_t& evaluations) {
    Known& known = known_[set];
    if (!known.outcome || (!known.outcome->proven && limits.seconds > 0)) {
      known.outcome = order::find_order(part(set), bounds_, order::Method::branch_and_bound, limits);
      evaluations += known.outcome->evaluations;
      known.bound = std::max(known.bound, known.outcome->lower_bound);
    }
    return *known.outcome;
  }

 private:
  struct Known {
    double bound = -1;
    std::optional<order::Outcome> outcome;
  };
  [[nodiscard]] order::Problem part(Set set) const {
    order::Problem part;
    part.device = problem_.device;
    for (std::size_t t = 0; t < problem_.tasks.size(); ++t) {
      if ((set >> t & 1U) != 0) part.tasks.push_back(problem_.tasks[t]);
    }
    return part;
  }

  order::Problem problem_;
  order::BoundTable bounds_;
  std::vector<Known> known_;
};

struct Assignment {
  std::vector<Set> sets;  ///< by device
  double bound = 0;
};

class AssignmentSearch {
 public:
  AssignmentSearch(const GroupEvaluator& evaluator, std::vector<DeviceSets> devices, const order::Limits& limits)
      : evaluator_(evaluator),
        devices_(std::move(devices)),
        limits_(limits),
        end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds)) {}

  AssignmentOutcome run() {
    std::vector<Assignment> assignments = all();
    std::stable_sort(assignments.begin(), assignments.end(),
                     [](const Assignment& a, const Assignment& b) { return a.bound < b.bound; });
    outcome_.time = std::numeric_limits<double>::infinity();
    double lower = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      const Assignment& assignment = assignments[i];
      if (assignment.bound >= outcome_.time * (1 - limits_.gap) - kSame || (i > 0 && left() <= 0)) {
        outcome_.out_of_time = assignment.bound < outcome_.time * (1 - limits_.gap) - kSame;
        lower = std::min(lower, assignment.bound);
        break;
      }
      lower = std::min(lower, solve(assignment));
    }
    outcome_.lower_bound = std::min(lower, outcome_.time);
    return outcome_;
  }

 private:
  [[nodiscard]] double left() const {
    if (limits_.stop.stop_requested()) return 0;
    return std::chrono::duration<double>(end_ - std::chrono::steady_clock::now()).count();
  }

  std::vector<Assignment> all() {
    std::vector<Assignment> assignments;
    std::vector<Set> sets(devices_.size());
    extend(0, sets, assignments);
    return assignments;
  }

  void extend(std::uint32_t task, std::vector<Set>& sets, std::vector<Assignment>& assignments) {
    if (task == evaluator_.task_count()) {
      Assignment assignment{sets, 0};
      for (std::size_t d = 0; d < sets.size(); ++d) {
        assignment.bound = std::max(assignment.bound, devices_[d].bound(sets[d]));
      }
      assignment.bound += overhead(sets);
      assignments.push_back(std::move(assignment));
      return;
    }
    for (std::uint32_t d = 0; d < sets.size(); ++d) {
      if (!evaluator_.can_run(task, d)) continue;
      sets[d] |= Set{1} << task;
      extend(task + 1, sets, assignments);
      sets[d] &= ~(Set{1} << task);
    }
  }

  [[nodiscard]] double overhead(const std::vector<Set>& sets) const {
    double most = 0;
    for (std::uint32_t d = 0; d < sets.size(); ++d) {
      for (std::uint32_t t = 0; t < evaluator_.task_count(); ++t) {
        const bool here = (sets[d] >> t & 1U) != 0 && scenarios::has_steps(evaluator_.tuning().tasks[t]);
        if (here) most = std::max(most, evaluator_.run_overhead(d));
      }
    }
    return most;
  }

  /// Solves each device's set and takes the whole where it is the fastest; returns a bound of this assignment.
  double solve(const Assignment& assignment) {
    double time = 0;
    double lower = 0;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      order::Limits limits = limits_;
      limits.seconds = std::max(0.0, left());
      const order::Outcome& outcome = devices_[d].solve(assignment.sets[d], limits, outcome_.evaluations);
      time = std::max(time, outcome.makespan);
      lower = std::max(lower, outcome.lower_bound);
    }
    const double overheads = overhead(assignment.sets);
    if (time + overheads < outcome_.time - kSame) {
      outcome_.time = time + overheads;
      outcome_.best = arrangement(assignment);
    }
    return lower + overheads;
  }

  /// Devices one after the other: their orders do not touch each other.
  Arrangement arrangement(const Assignment& assignment) {
    Arrangement whole;
    whole.device.resize(evaluator_.task_count());
    order::Limits none;
    none.seconds = 0;
    for (std::uint32_t d = 0; d < devices_.size(); ++d) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t t = 0; t < evaluator_.task_count(); ++t) {
        if ((assignment.sets[d] >> t & 1U) != 0) members.push_back(t);
      }
      for (const std::uint32_t place : devices_[d].solve(assignment.sets[d], none, outcome_.evaluations).order) {
        whole.order.push_back(members[place]);
        whole.device[members[place]] = d;
      }
    }
    return whole;
  }

  const GroupEvaluator& evaluator_;
  std::vector<DeviceSets> devices_;
  order::Limits limits_;
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double, std::nano>> end_;
  AssignmentOutcome outcome_;
};

bool devices_are_apart(const GroupEvaluator& evaluator) {
  if (evaluator.devices_interfere() || evaluator.task_count() > kMostTasks) return false;
  std::uint64_t bytes = 0;
  double assignments = 1;
  for (std::uint32_t t = 0; t < evaluator.task_count(); ++t) {
    bytes += evaluator.tuning().tasks[t].buffer_bytes;
    if (!evaluator.specs()[t].after.empty()) return false;
    assignments *= evaluator.device_count();
  }
  return assignments <= kMostAssignments && (evaluator.memory_limit() == 0 || bytes <= evaluator.memory_limit());
}

}  // namespace

std::optional<AssignmentOutcome> best_assignment(const GroupEvaluator& evaluator, const order::Limits& limits) {
  if (!devices_are_apart(evaluator)) return std::nullopt;
  std::vector<DeviceSets> devices;
  for (std::uint32_t d = 0; d < evaluator.device_count(); ++d) {
    auto problem = evaluator.problem_on(d);
    if (!problem) return std::nullopt;
    problem->device.run_overhead = 0;
    devices.emplace_back(std::move(*problem), evaluator.task_count());
  }
  return AssignmentSearch(evaluator, std::move(devices), limits).run();
}

}  // namespace forelap::tune
