#include "tune/group_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace forelap::tune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Times closer than this are the same, ticks.
constexpr double kSame = 0.5;
constexpr std::size_t kDestroyed = 3;
/// Above so many tasks one evaluation takes long enough to look at the clock each time.
constexpr std::size_t kManyTasks = 32;

void shuffle(std::vector<std::uint32_t>& values, core::Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

std::vector<std::uint32_t> all_tasks(std::size_t count) {
  std::vector<std::uint32_t> tasks(count);
  std::iota(tasks.begin(), tasks.end(), 0U);
  return tasks;
}

[[noreturn]] void refuse_circle(const std::vector<scenarios::TaskSpec>& tasks,
                                const std::vector<std::uint32_t>& circle) {
  std::string words = "\"" + tasks[circle.front()].name + "\"";
  for (std::size_t i = 1; i <= circle.size(); ++i) {
    words += " after \"" + tasks[circle[i % circle.size()]].name + "\"";
  }
  core::throw_bad_input("tasks wait for each other in a circle, so that none can begin: " + words);
}

}  // namespace

Precedence::Precedence(const std::vector<scenarios::TaskSpec>& tasks) : tasks_(tasks), after_(tasks.size()) {
  if (const auto circle = scenarios::circle_of(tasks); !circle.empty()) refuse_circle(tasks, circle);
  for (const auto& task : tasks) free_ = free_ && task.after.empty();
  for (auto& row : after_) row.resize(tasks.size());
  // Whoever a task waits for is done before it, so that its row is whole.
  std::vector<bool> done(tasks.size());
  std::vector<std::uint32_t> stack;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    stack.push_back(i);
    while (!stack.empty()) {
      const std::uint32_t task = stack.back();
      const std::size_t waiting = stack.size();
      for (const std::uint32_t other : tasks[task].after) {
        if (!done[other]) stack.push_back(other);
      }
      if (stack.size() > waiting) continue;
      stack.pop_back();
      for (const std::uint32_t other : tasks[task].after) {
        after_[task][other] = true;
        for (std::size_t k = 0; k < tasks.size(); ++k) after_[task][k] = after_[task][k] || after_[other][k];
      }
      done[task] = true;
    }
  }
}

Precedence::Places Precedence::places(const std::vector<std::uint32_t>& order, std::uint32_t task) const {
  Places places{0, order.size()};
  if (free_) return places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_after(task, order[i])) places.first = i + 1;
    if (is_after(order[i], task)) {
      places.last = i;
      break;
    }
  }
  return places;
}

std::vector<std::uint32_t> Precedence::repaired(const std::vector<std::uint32_t>& order) const {
  if (free_) return order;
  std::vector<bool> placed(tasks_.size());
  std::vector<std::uint32_t> left = order;
  std::vector<std::uint32_t> result;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](std::uint32_t task) {
      const auto& after = tasks_[task].after;
      return std::all_of(after.begin(), after.end(), [&placed](std::uint32_t a) { return placed[a]; });
    });
    placed[*next] = true;
    result.push_back(*next);
    left.erase(next);
  }
  return result;
}

std::vector<std::uint32_t> Precedence::random_order(core::Random& random) const {
  auto order = all_tasks(tasks_.size());
  shuffle(order, random);
  return repaired(order);
}

GroupSearch::GroupSearch(GroupEvaluator& evaluator, const Precedence& precedence, bool free_devices,
                         std::uint32_t kernel_lanes)
    : evaluator_(evaluator),
      precedence_(precedence),
      free_devices_(free_devices && evaluator.device_count() > 1),
      kernel_lanes_(kernel_lanes) {
  const auto& device = evaluator.tuning().device;
  for (std::uint32_t t = 0; t < evaluator.task_count(); ++t) {
    before_.push_back(t);
    for (std::uint32_t other = t; other-- > 0 && before_[t] == t;) {
      if (evaluator.like(other) != evaluator.like(t)) continue;
      if (free_devices_ || device[other] == device[t]) before_[t] = other;
    }
  }
}

bool GroupSearch::expired(order::Deadline& deadline) const {
  return evaluator_.task_count() > kManyTasks ? deadline.look() : deadline.reached();
}

std::vector<std::uint32_t> GroupSearch::devices_of(std::uint32_t task) const {
  if (!free_devices_) return {evaluator_.tuning().device[task]};
  std::vector<std::uint32_t> devices;
  for (std::uint32_t d = 0; d < evaluator_.device_count(); ++d) {
    if (evaluator_.can_run(task, d)) devices.push_back(d);
  }
  return devices;
}

/// Tasks to come after others wait for them; of tasks that are alike, the one at the lower position comes first.
bool GroupSearch::may_come(std::uint32_t task, const std::vector<bool>& placed) const {
  if (placed[task] || (before_[task] != task && !placed[before_[task]])) return false;
  const auto& after = evaluator_.specs()[task].after;
  return std::all_of(after.begin(), after.end(), [&placed](std::uint32_t a) { return placed[a]; });
}

void GroupSearch::count_orders(std::vector<bool>& placed, std::size_t left, std::size_t limit,
                               std::size_t& number) const {
  if (left == 0) {
    ++number;
    return;
  }
  for (std::uint32_t task = 0; task < placed.size() && number <= limit; ++task) {
    if (!may_come(task, placed)) continue;
    placed[task] = true;
    count_orders(placed, left - 1, limit, number);
    placed[task] = false;
  }
}

std::size_t GroupSearch::count(std::size_t limit) const {
  constexpr std::size_t kDeepest = 64;  // of the recursion
  if (evaluator_.task_count() > kDeepest) return limit + 1;
  std::vector<bool> placed(evaluator_.task_count());
  std::size_t number = 0;
  count_orders(placed, placed.size(), limit, number);
  for (std::uint32_t t = 0; t < evaluator_.task_count() && number <= limit; ++t) number *= devices_of(t).size();
  return std::min(number, limit + 1);
}

SearchOutcome GroupSearch::exhaustive(order::Deadline& deadline) {
  SearchOutcome outcome;
  outcome.time = kNever;
  outcome.all_tried = true;
  Arrangement arrangement{{}, evaluator_.tuning().device, kernel_lanes_};
  std::vector<bool> placed(evaluator_.task_count());
  try_orders(arrangement, placed, deadline, outcome);
  outcome.all_tried = !outcome.out_of_time;
  return outcome;
}

/// Depth first: the next task and its device.
void GroupSearch::try_orders(Arrangement& arrangement, std::vector<bool>& placed, order::Deadline& deadline,
                             SearchOutcome& outcome) {
  if (arrangement.order.size() == placed.size()) {
    const double time = evaluator_.evaluate(arrangement);
    if (time < outcome.time - kSame) {
      outcome.time = time;
      outcome.best = arrangement;
    }
    return;
  }
  for (std::uint32_t task = 0; task < placed.size(); ++task) {
    if (!may_come(task, placed)) continue;
    placed[task] = true;
    arrangement.order.push_back(task);
    const std::uint32_t device = arrangement.device[task];
    for (const std::uint32_t d : devices_of(task)) {
      // The first arrangement is tried whatever the time, so that there is one.
      if (outcome.time != kNever && expired(deadline)) outcome.out_of_time = true;
      if (outcome.out_of_time) break;
      arrangement.device[task] = d;
      try_orders(arrangement, placed, deadline, outcome);
    }
    arrangement.device[task] = device;
    arrangement.order.pop_back();
    placed[task] = false;
  }
}

double GroupSearch::least_total(std::uint32_t task) const {
  double least = kNever;
  for (const std::uint32_t d : devices_of(task)) {
    double total = 0;
    for (const auto kind : {StageKind::htod, StageKind::kernel, StageKind::dtoh}) {
      total += evaluator_.stage(task, d, kind).alone();
    }
    least = std::min(least, total);
  }
  return least;
}

/// Inserts `task` at the best of the places tried until time ran out, of which there is always one.
double GroupSearch::insert_best(Arrangement& arrangement, std::uint32_t task, order::Deadline& deadline) {
  const auto places = precedence_.places(arrangement.order, task);
  Arrangement trial = arrangement;
  double best = kNever;
  std::size_t best_place = places.first;
  for (const std::uint32_t device : devices_of(task)) {
    trial.device[task] = device;
    for (std::size_t place = places.first; place <= places.last; ++place) {
      if (best != kNever && expired(deadline)) break;
      trial.order = arrangement.order;
      trial.order.insert(trial.order.begin() + static_cast<std::ptrdiff_t>(place), task);
      const double time = evaluator_.evaluate(trial);
      if (time >= best - kSame) continue;
      best = time;
      arrangement.device[task] = device;
      best_place = place;
    }
  }
  arrangement.order.insert(arrangement.order.begin() + static_cast<std::ptrdiff_t>(best_place), task);
  return best;
}

SearchOutcome GroupSearch::insertion(order::Deadline& deadline) {
  auto tasks = all_tasks(evaluator_.task_count());
  std::vector<double> total;
  for (const std::uint32_t task : tasks) total.push_back(least_total(task));
  std::stable_sort(tasks.begin(), tasks.end(), [&](std::uint32_t a, std::uint32_t b) { return total[a] > total[b]; });
  SearchOutcome outcome;
  outcome.best = {{}, evaluator_.tuning().device, kernel_lanes_};
  std::size_t next = 0;
  for (; next < tasks.size() && !(next > 0 && expired(deadline)); ++next) {
    outcome.time = insert_best(outcome.best, tasks[next], deadline);
  }
  if (next < tasks.size()) {
    outcome.out_of_time = true;
    // What is left goes to the end of the order, or as near to it as it may.
    for (; next < tasks.size(); ++next) {
      const auto places = precedence_.places(outcome.best.order, tasks[next]);
      outcome.best.order.insert(outcome.best.order.begin() + static_cast<std::ptrdiff_t>(places.last), tasks[next]);
    }
    outcome.time = evaluator_.evaluate(outcome.best);
  }
  return outcome;
}

/// Takes each task out, in random order, and puts it where it is best, until none gains.
double GroupSearch::descend(Arrangement& arrangement, double time, order::Deadline& deadline, core::Random& random) {
  auto turns = all_tasks(evaluator_.task_count());
  bool gained = true;
  while (gained && !expired(deadline)) {
    gained = false;
    shuffle(turns, random);
    for (const std::uint32_t task : turns) {
      if (expired(deadline)) break;
      Arrangement trial = arrangement;
      trial.order.erase(std::find(trial.order.begin(), trial.order.end(), task));
      const double with = insert_best(trial, task, deadline);
      if (with >= time - kSame) continue;
      time = with;
      arrangement = std::move(trial);
      gained = true;
    }
  }
  return time;
}

SearchOutcome GroupSearch::iterated_greedy(const SearchOutcome& start, order::Deadline& deadline, core::Random& random,
                                           std::uint64_t rounds, double target) {
  SearchOutcome outcome = start;
  outcome.time = descend(outcome.best, outcome.time, deadline, random);
  Arrangement current = outcome.best;
  double time = outcome.time;
  const std::size_t destroyed = std::min(kDestroyed, evaluator_.task_count());
  // Worse by a few thousandths is accepted now and then (R. Ruiz and T. Stuetzle, 2007).
  const double temperature = 0.002 * outcome.time;
  for (std::uint64_t round = 0; (rounds == 0 || round < rounds) && outcome.time > target; ++round) {
    if (expired(deadline)) break;
    Arrangement trial = current;
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < destroyed; ++i) {
      const auto at = trial.order.begin() + static_cast<std::ptrdiff_t>(random.below(trial.order.size()));
      out.push_back(*at);
      trial.order.erase(at);
    }
    double with = 0;
    for (const std::uint32_t task : out) with = insert_best(trial, task, deadline);
    with = descend(trial, with, deadline, random);
    if (with < outcome.time - kSame) {
      outcome.time = with;
      outcome.best = trial;
    }
    if (with < time || random.uniform() * temperature > with - time) {
      time = with;
      current = std::move(trial);
    }
  }
  outcome.out_of_time = deadline.look() && outcome.time > target;
  return outcome;
}

}  // namespace forelap::tune
