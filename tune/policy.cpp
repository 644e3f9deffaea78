#include "tune/policy.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/error.hpp"
#include "core/text.hpp"
#include "tune/open_order.hpp"
#include "tune/order/search.hpp"
#include "tune/running.hpp"
#include "tune/task_cost.hpp"

namespace forelap::tune {
namespace {

using core::TaskKey;
using core::Tick;
using order::Method;
using order::Order;

/// Orders judged when a group is improved behind what runs: well below a millisecond for the groups that occur.
constexpr std::uint64_t kMostJudged = 4000;
/// Groups of more tasks are searched by rounds of iterated greedy (order::Method::automatic).
constexpr std::size_t kManyTasks = 16;
/// A search that ends by nodes must not end by time.
constexpr double kNoLimit = 3600;

class GroupPolicy final : public core::Policy {
 public:
  /// Without a method: the order of arrival.
  GroupPolicy(std::string name, std::optional<Method> method, const core::Machine& machine,
              const PolicyOptions& options)
      : name_(std::move(name)),
        method_(method),
        options_(options),
        prices_(machine, options.device, options.interference, options.memory, options.engines),
        bounds_(prices_.device()) {}

  [[nodiscard]] std::string name() const override { return name_; }

  void arrived(const core::OpenTask& task, Tick /*now*/) override {
    waiting_.push_back({task.key, prices_.price(task)});
  }
  void withdrawn(TaskKey task, Tick /*now*/) override {
    std::erase_if(waiting_, [task](const KnownTask& known) { return known.key == task; });
  }
  void transferred(TaskKey task, Tick now) override { running_.transferred(task, now); }
  void finished(TaskKey task, Tick now) override { running_.finished(task, now); }

  std::vector<TaskKey> next(Tick now, const core::StopToken& hurry) override {
    if (waiting_.empty() || running_.transferring()) return {};
    const std::vector<KnownTask> group = ordered(batch(), now, hurry);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(group.size()));
    prepared_.clear();
    running_.submitted(group, now);
    return keys_of(group);
  }

  void prepare(Tick /*now*/, const core::StopToken& hurry) override {
    if (!method_) return;
    std::vector<KnownTask> group = batch();
    if (group.size() < 2 || is_prepared(group)) return;
    group = ordered(std::move(group), std::nullopt, hurry);
    // What was cut short is no answer: next() has more to go on.
    if (!hurry.stop_requested()) prepared_ = keys_of(group);
  }

  [[nodiscard]] bool knows_next() const override {
    return !method_ || waiting_.size() < 2 || is_prepared(batch());
  }

 private:
  [[nodiscard]] std::vector<KnownTask> batch() const {
    const auto size = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), options_.largest_group));
    return {waiting_.begin(), waiting_.begin() + size};
  }

  static std::vector<TaskKey> keys_of(const std::vector<KnownTask>& group) {
    std::vector<TaskKey> keys;
    for (const KnownTask& task : group) keys.push_back(task.key);
    return keys;
  }

  /// Whether the answer for exactly these tasks is there.
  [[nodiscard]] bool is_prepared(const std::vector<KnownTask>& group) const {
    std::vector<TaskKey> keys = keys_of(group);
    std::vector<TaskKey> prepared = prepared_;
    std::sort(keys.begin(), keys.end());
    std::sort(prepared.begin(), prepared.end());
    return keys == prepared;
  }

  /// The group in the order to submit it in; `now` unset: it is thought about ahead of time.
  [[nodiscard]] std::vector<KnownTask> ordered(std::vector<KnownTask> group, std::optional<Tick> now,
                                               const core::StopToken& hurry) const {
    if (!method_) return group;
    // Tasks without a price go last, in the order of their arrival.
    const auto unknown =
        std::stable_partition(group.begin(), group.end(), [](const KnownTask& task) { return task.cost.has_value(); });
    std::vector<KnownTask> result;
    std::vector<KnownTask> known(group.begin(), unknown);
    for (const std::uint32_t i : find(known, now, hurry)) result.push_back(known[i]);
    result.insert(result.end(), unknown, group.end());
    return result;
  }

  [[nodiscard]] Order find(const std::vector<KnownTask>& group, std::optional<Tick> now,
                           const core::StopToken& hurry) const {
    Order arrival;
    for (std::uint32_t i = 0; i < group.size(); ++i) arrival.push_back(i);
    if (group.size() < 2) return arrival;
    const Order start = from_prepared(group);
    if (start.size() == group.size()) return start;
    order::Problem problem{prices_.device(), {}, {}};
    for (const KnownTask& task : group) problem.tasks.push_back(*task.cost);
    if (*method_ == Method::automatic) return find_behind(problem, arrival, start, now, hurry);
    order::Limits limits;
    limits.seconds = kNoLimit;  // constructive: done before a clock could tell
    limits.seed = options_.seed;
    return order::find_order(problem, bounds_, *method_, limits).order;
  }

  /// The tasks of the group that were ordered ahead, in that order.
  [[nodiscard]] Order from_prepared(const std::vector<KnownTask>& group) const {
    Order order;
    for (const TaskKey key : prepared_) {
      const auto at =
          std::find_if(group.begin(), group.end(), [key](const KnownTask& task) { return task.key == key; });
      if (at != group.end()) order.push_back(static_cast<std::uint32_t>(at - group.begin()));
    }
    return order;
  }

  [[nodiscard]] Order find_behind(const order::Problem& problem, const Order& arrival, const Order& start,
                                  std::optional<Tick> now, const core::StopToken& hurry) const {
    const std::size_t room = sim::fast::OrderEngine::kMostTasks - problem.tasks.size();
    std::vector<sim::fast::TaskCost> ahead;
    // On one engine the transfers back of the group before stand in front of this group's: nothing of it is left.
    if (problem.device.two_engines) ahead = running_.ahead(room, now);
    OpenOrder open(problem.device, ahead, problem.tasks);
    Order best = arrival;
    double least = open.makespan(best);
    const auto try_order = [&](const Order& order) {
      const double time = open.makespan(order);
      if (!(time < least)) return;
      least = time;
      best = order;
    };
    if (!start.empty()) try_order(completed(start, arrival, open, hurry));
    if (hurry.stop_requested()) return best;
    const double expected = open.makespan(arrival);
    const order::Outcome outcome = order::find_order(behind(problem, ahead), bounds_, Method::automatic,
                                                     limits(now.has_value(), expected, arrival.size(), hurry));
    if (outcome.order.size() == ahead.size() + arrival.size()) {
      Order found;
      for (std::size_t i = ahead.size(); i < outcome.order.size(); ++i) {
        found.push_back(outcome.order[i] - static_cast<std::uint32_t>(ahead.size()));
      }
      try_order(found);
    }
    if (outcome.out_of_time) open.improve(best, kMostJudged, hurry);
    return best;
  }

  /// The problem with what runs as its prefix.
  static order::Problem behind(const order::Problem& problem, const std::vector<sim::fast::TaskCost>& ahead) {
    order::Problem whole{problem.device, ahead, {}};
    whole.tasks.insert(whole.tasks.end(), problem.tasks.begin(), problem.tasks.end());
    for (std::uint32_t i = 0; i < ahead.size(); ++i) whole.prefix.push_back(i);
    return whole;
  }

  /// `start` with the other tasks inserted, or in a hurry appended.
  static Order completed(Order start, const Order& all, OpenOrder& open, const core::StopToken& hurry) {
    for (const std::uint32_t task : all) {
      if (std::find(start.begin(), start.end(), task) != start.end()) continue;
      if (hurry.stop_requested()) {
        start.push_back(task);
      } else {
        open.insert(start, task);
      }
    }
    return start;
  }

  [[nodiscard]] order::Limits limits(bool urgent, double ticks, std::size_t tasks, const core::StopToken& hurry) const {
    order::Limits limits;
    limits.seed = options_.seed;
    limits.stop = hurry;
    limits.seconds = kNoLimit;
    if (options_.nodes != 0) {
      // A round of iterated greedy costs as many orders as there are tasks, a node of branch and bound about one.
      limits.nodes = tasks > kManyTasks ? std::max<std::uint64_t>(1, options_.nodes / tasks) : options_.nodes;
      return limits;
    }
    limits.seconds = options_.seconds;
    if (urgent) limits.seconds = std::min(limits.seconds, options_.urgent_share * ticks / core::kTicksPerSecond);
    return limits;
  }

  std::string name_;
  std::optional<Method> method_;
  PolicyOptions options_;
  TaskPrices prices_;
  order::BoundTable bounds_;
  std::vector<KnownTask> waiting_;  ///< in the order of arrival
  std::vector<TaskKey> prepared_;   ///< the order found ahead of time
  RunningGroups running_;
};

void check(const PolicyOptions& options) {
  const bool valid = options.engines <= 2 && options.seconds >= 0 && options.urgent_share >= 0 &&
                     options.largest_group >= 1 && options.largest_group <= sim::fast::OrderEngine::kMostTasks;
  if (!valid) throw std::invalid_argument("make_policy: options out of range");
}

}  // namespace

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"arrival", "heuristic", "neh", "auto"};
  return names;
}

std::unique_ptr<core::Policy> make_policy(const std::string& name, const core::Machine& machine,
                                          const PolicyOptions& options) {
  const auto& names = policy_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    core::throw_bad_input("unknown policy \"" + name + "\"; there are " + core::join_names(names));
  }
  check(options);
  std::optional<Method> method;
  if (name != "arrival") method = order::method_of(name);
  return std::make_unique<GroupPolicy>(name, method, machine, options);
}

}  // namespace forelap::tune
