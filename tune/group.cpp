#include "tune/group.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "core/error.hpp"
#include "tune/group_assignment.hpp"
#include "tune/group_bound.hpp"
#include "tune/group_figures.hpp"
#include "tune/group_search.hpp"
#include "tune/order/lower_bound.hpp"

namespace forelap::tune {
namespace {

using order::Method;

constexpr double kSame = 0.5;  // ticks
/// So many arrangements are tried one by one.
constexpr std::size_t kFew = 50'000;
constexpr std::size_t kExhaustiveTasks = 10;
constexpr std::uint32_t kMostLanes = 64;

/// One search for the best arrangement.
class Tuner {
 public:
  Tuner(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning, const core::Machine& machine,
        const GroupOptions& options)
      : tuning_(tuning),
        options_(options),
        machine_(machine),
        precedence_(std::get<scenarios::TaskGroup>(scenario.body).cases.at(tuning.case_index).tasks),
        evaluator_(scenario, tuning, machine),
        limits_(limits_of(options)),
        begin_(std::chrono::steady_clock::now()),
        random_(options.seed) {}

  GroupChoice run() {
    const Arrangement given{tuning_.order, tuning_.device, tuning_.kernel_lanes};
    choice_.given = {given, evaluator_.evaluate(given)};
    choice_.chosen = choice_.given;
    const auto lanes = lanes_to_try();
    free_devices_ = options_.free_devices && evaluator_.device_count() > 1;
    // Methods that build one order leave the lanes alone; the bound holds for whatever may be chosen.
    choice_.lower_bound = least_time(evaluator_, {free_devices_, free_lanes().back()});
    if (tuning_.tasks.empty()) {
      choice_.how = "nothing to order";
    } else if (is_constructive()) {
      take_built();
    } else {
      search(lanes);
    }
    finish();
    choice_.search_seconds = elapsed();
    if (options_.figures) add_figures(choice_, evaluator_, precedence_, machine_, options_);
    choice_.evaluations += evaluator_.evaluations();
    return std::move(choice_);
  }

 private:
  static order::Limits limits_of(const GroupOptions& options) {
    order::Limits limits;
    limits.seconds = options.seconds;
    limits.gap = options.gap;
    limits.seed = options.seed;
    limits.stop = options.stop;
    limits.nodes = options.rounds;
    return limits;
  }

  [[nodiscard]] bool is_constructive() const {
    return options_.method == Method::heuristic || options_.method == Method::johnson || options_.method == Method::neh;
  }

  [[nodiscard]] std::vector<std::uint32_t> lanes_to_try() const {
    return is_constructive() ? std::vector<std::uint32_t>{tuning_.kernel_lanes} : free_lanes();
  }

  /// The numbers of lanes that may be chosen, ascending.
  [[nodiscard]] std::vector<std::uint32_t> free_lanes() const {
    const auto& group = std::get<scenarios::TaskGroup>(evaluator_.scenario().body);
    const auto tasks = static_cast<std::uint32_t>(std::min<std::size_t>(kMostLanes, evaluator_.task_count()));
    const std::uint32_t of_case = group.cases.at(tuning_.case_index).kernel_lanes;
    const bool is_free =
        of_case == 0 && (group.kernel_lanes == 0 ||
                         (group.kernel_lanes == 1 && !group.kernel_lanes_given && some_kernel_leaves_room()));
    if (!is_free) return {tuning_.kernel_lanes};
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t n = 1; n < tasks; n *= 2) lanes.push_back(n);
    if (tasks > 0) lanes.push_back(tasks);
    return lanes.empty() ? std::vector<std::uint32_t>{1} : lanes;
  }

  [[nodiscard]] bool some_kernel_leaves_room() const {
    for (std::uint32_t t = 0; t < evaluator_.task_count(); ++t) {
      for (std::uint32_t d = 0; d < evaluator_.device_count(); ++d) {
        if (!evaluator_.can_run(t, d)) continue;
        const StageSum& kernel = evaluator_.stage(t, d, StageKind::kernel);
        if (kernel.commands > 0 && kernel.fill < 1) return true;
      }
    }
    return false;
  }

  /// Whether the order is all there is to choose, and the order engine takes the group.
  [[nodiscard]] std::optional<order::Problem> whole_problem() const {
    if (evaluator_.device_count() != 1 || !precedence_.is_free() || memory_may_run_out()) return std::nullopt;
    return evaluator_.problem_on(0);
  }

  [[nodiscard]] bool memory_may_run_out() const {
    std::uint64_t bytes = 0;
    for (const auto& task : tuning_.tasks) bytes += task.buffer_bytes;
    return evaluator_.memory_limit() != 0 && bytes > evaluator_.memory_limit();
  }

  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  void offer(const Arrangement& arrangement) {
    const double time = evaluator_.evaluate(arrangement);
    if (time < choice_.chosen.time - kSame) choice_.chosen = {arrangement, time};
  }

  void take_built() {
    if (options_.method == Method::neh && !whole_problem()) {
      GroupSearch search(evaluator_, precedence_, free_devices_, tuning_.kernel_lanes);
      order::Deadline deadline(limits_);
      const auto outcome = search.insertion(deadline);
      choice_.chosen = {outcome.best, evaluator_.evaluate(outcome.best)};
      choice_.out_of_time = outcome.out_of_time;
    } else {
      const auto outline = outline_of(evaluator_, tuning_, machine_);
      if (!outline) {
        core::throw_bad_input("method " + order::method_name(options_.method) + " takes at most " +
                              std::to_string(sim::fast::OrderEngine::kMostTasks) + " tasks, and there are " +
                              std::to_string(evaluator_.task_count()) + "; use auto or iterated-greedy");
      }
      Arrangement arrangement = choice_.given.arrangement;
      arrangement.order = built_order(options_.method, *outline, precedence_);
      choice_.chosen = {arrangement, evaluator_.evaluate(arrangement)};
    }
    choice_.how = order::method_name(options_.method);
    if (const auto problem = whole_problem(); problem && free_lanes().back() == 1) {
      raise_bound(order::GroupBound(*problem, order::BoundTable(problem->device)).of_all());
    }
  }

  void raise_bound(double bound) { choice_.lower_bound = std::max(choice_.lower_bound, bound); }

  /// Ends where the choice is proved to be within the wished gap.
  [[nodiscard]] double target() const { return choice_.lower_bound * (1 + options_.gap) + kSame; }

  void search(const std::vector<std::uint32_t>& lanes) {
    refuse_too_many();
    double lower = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const std::uint32_t n = lanes[i];
      if (choice_.chosen.time <= target()) break;
      // Each number of lanes gets its share of the time that is left.
      limits_.seconds = std::max(0.0, options_.seconds - elapsed()) / static_cast<double>(lanes.size() - i);
      // A bound for this number of lanes alone; the whole's is the least of all.
      double bound = least_time(evaluator_, {free_devices_, n});
      if (bound < choice_.chosen.time - kSame || choice_.how.empty()) bound = std::max(bound, search_lanes(n));
      lower = std::min(lower, bound);
      if (n == lanes.back()) raise_bound(std::min(lower, choice_.chosen.time));
    }
    if (choice_.how.empty()) choice_.how = "the given order, which the bound proves to be the best";
  }

  void refuse_too_many() const {
    if (options_.method != Method::exhaustive || evaluator_.task_count() <= kExhaustiveTasks) return;
    core::throw_bad_input("method exhaustive takes at most " + std::to_string(kExhaustiveTasks) +
                          " tasks, and there are " + std::to_string(evaluator_.task_count()) +
                          "; use auto or branch-and-bound");
  }

  /// Searches with `n` kernel lanes; returns a bound of what it searched.
  double search_lanes(std::uint32_t n) {
    if (n == 1) {
      if (const auto problem = whole_problem()) return search_order(*problem);
      const bool exact = options_.method != Method::iterated_greedy;
      if (free_devices_ && exact) {
        if (const auto outcome = best_assignment(evaluator_, limits_)) return take(*outcome);
      }
    }
    return search_arrangements(n);
  }

  double search_order(const order::Problem& problem) {
    const order::BoundTable bounds(problem.device);
    const auto outcome = order::find_order(problem, bounds, options_.method, limits_);
    choice_.evaluations += outcome.evaluations;
    choice_.out_of_time = choice_.out_of_time || outcome.out_of_time;
    choice_.how = order::method_name(outcome.method);
    offer({outcome.order, tuning_.device, 1});
    return outcome.lower_bound;
  }

  double take(const AssignmentOutcome& outcome) {
    choice_.evaluations += outcome.evaluations;
    choice_.out_of_time = choice_.out_of_time || outcome.out_of_time;
    choice_.how = "assignments by bound, branch-and-bound on each device";
    offer(outcome.best);
    return outcome.lower_bound;
  }

  double search_arrangements(std::uint32_t n) {
    GroupSearch search(evaluator_, precedence_, free_devices_, n);
    order::Deadline deadline(limits_);
    const bool exact = options_.method != Method::iterated_greedy;
    if (exact && (options_.method == Method::exhaustive || search.count(kFew) <= kFew)) {
      const auto outcome = search.exhaustive(deadline);
      settle(outcome, "every arrangement");
      if (outcome.all_tried) return outcome.time;
      return 0;
    }
    auto outcome = search.insertion(deadline);
    if (!outcome.out_of_time) {
      outcome = search.iterated_greedy(outcome, deadline, random_, options_.rounds, target());
    }
    settle(outcome, "iterated-greedy");
    return 0;
  }

  void settle(const SearchOutcome& outcome, const char* how) {
    const bool better = outcome.time < choice_.chosen.time - kSame;
    if (better || choice_.how.empty()) choice_.how = how;
    if (better) choice_.chosen = {outcome.best, outcome.time};
    choice_.out_of_time = choice_.out_of_time || outcome.out_of_time;
  }

  void finish() {
    // Two engines give the last digits of a time.
    choice_.lower_bound = std::min(choice_.lower_bound, choice_.chosen.time);
    choice_.proven = choice_.chosen.time <= target();
    if (choice_.proven && options_.gap == 0) choice_.lower_bound = choice_.chosen.time;
    if (choice_.proven) choice_.out_of_time = false;
  }

  const scenarios::TaskGroupTuning& tuning_;
  const GroupOptions& options_;
  const core::Machine& machine_;
  Precedence precedence_;
  GroupEvaluator evaluator_;
  order::Limits limits_;
  std::chrono::steady_clock::time_point begin_;
  core::Random random_;
  bool free_devices_ = false;
  GroupChoice choice_;
};

}  // namespace

double gap_of(const GroupChoice& choice) {
  return choice.lower_bound > 0 ? (choice.chosen.time - choice.lower_bound) / choice.lower_bound : 0;
}

std::optional<double> share_of_gain(const GroupChoice& choice, const Timed& timed) {
  if (!choice.worst || !(choice.lower_bound > 0) || !(timed.time > 0)) return std::nullopt;
  const Arrangement& worst = choice.worst->arrangement;
  if (timed.arrangement.device != worst.device || timed.arrangement.kernel_lanes != worst.kernel_lanes) {
    return std::nullopt;
  }
  if (choice.worst->time - choice.lower_bound <= kSame) return std::nullopt;
  return (choice.worst->time / timed.time - 1) / (choice.worst->time / choice.lower_bound - 1);
}

GroupChoice tune_group(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                       const core::Machine& machine, const GroupOptions& options) {
  return Tuner(scenario, tuning, machine, options).run();
}

}  // namespace forelap::tune
