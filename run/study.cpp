#include "run/study.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "run/rows.hpp"
#include "scenarios/study.hpp"
#include "tune/order/constructive.hpp"
#include "tune/order/search.hpp"
#include "tune/task_cost.hpp"
#include "validate/study.hpp"

namespace forelap::run {
namespace {

using tune::order::Order;

/// Orders of which the model's best and worst are taken where there are too many to try all.
constexpr std::size_t kSampled = 20'000;
constexpr std::size_t kMostForAll = 8;
/// So many of the slowest orders are measured again.
constexpr std::size_t kSlowest = 3;
/// Choosing is timed so often, for the median.
constexpr int kTimed = 15;

const scenarios::TaskGroup& group_of(const scenarios::Scenario& scenario) {
  return scenarios::task_group_of(scenario);
}

/// The orders of one case, each once, with why it is there.
class Orders {
 public:
  void add(const Order& order, const std::string& label) {
    const auto [at, fresh] = positions_.try_emplace(order, rows_.size());
    if (fresh) {
      rows_.emplace_back();
      rows_.back().order = order;
    }
    auto& labels = rows_[at->second].labels;
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  std::vector<validate::Row> take() { return std::move(rows_); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  std::map<Order, std::size_t> positions_;
  std::vector<validate::Row> rows_;
};

/// Chooses the orders of one case.
class CasePlan {
 public:
  CasePlan(const scenarios::Study& study, tune::order::Problem problem, std::uint32_t workers, std::uint64_t seed)
      : study_(study), problem_(std::move(problem)), bounds_(problem_.device), workers_(workers), random_(seed) {}

  std::vector<validate::Row> rows() {
    add_measured();
    add_extremes();
    for (const auto& [label, method] : methods()) {
      orders_.add(choose(method), label);
    }
    return orders_.take();
  }

  /// Seconds that choosing takes, by label.
  std::map<std::string, double> costs() {
    std::map<std::string, double> result;
    for (const auto& [label, method] : methods()) {
      std::vector<double> seconds;
      for (int i = 0; i < kTimed; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        choose(method);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
      result[label] = core::median(seconds);
    }
    return result;
  }

 private:
  static std::vector<std::pair<std::string, tune::order::Method>> methods() {
    return {{validate::kChosenLabel, tune::order::Method::automatic},
            {validate::kHeuristicLabel, tune::order::Method::heuristic}};
  }

  [[nodiscard]] std::uint32_t rounds() const { return static_cast<std::uint32_t>(problem_.tasks.size()) / workers_; }

  [[nodiscard]] Order in_turn() const {
    Order order(problem_.tasks.size());
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }

  /// Shuffled within each round.
  Order random_order() {
    Order order = in_turn();
    for (std::uint32_t round = 0; round < rounds(); ++round) {
      for (std::uint32_t i = workers_; i > 1; --i) {
        std::swap(order[round * workers_ + i - 1], order[round * workers_ + random_.below(i)]);
      }
    }
    return order;
  }

  void add_measured() {
    if (study_.orders == 0) {
      Order order = in_turn();
      do orders_.add(order, "all");
      while (std::next_permutation(order.begin(), order.end()));
      return;
    }
    // As many different ones as there are, at most.
    for (std::size_t tries = 0; orders_.size() < study_.orders && tries < 100 * std::size_t{study_.orders}; ++tries) {
      orders_.add(random_order(), "random");
    }
  }

  void add_extremes() {
    if (study_.extremes == 0) return;
    std::map<Order, double> times;
    sim::fast::OrderEngine engine(problem_.device, problem_.tasks);
    if (rounds() == 1 && workers_ <= kMostForAll) {
      Order order = in_turn();
      do times[order] = engine.evaluate(order);
      while (std::next_permutation(order.begin(), order.end()));
    } else {
      for (std::size_t i = 0; i < kSampled; ++i) {
        const Order order = random_order();
        times[order] = engine.evaluate(order);
      }
    }
    std::vector<std::pair<double, Order>> sorted;
    for (const auto& [order, time] : times) sorted.emplace_back(time, order);
    std::sort(sorted.begin(), sorted.end());
    const std::size_t n = std::min<std::size_t>(study_.extremes, sorted.size());
    for (std::size_t i = 0; i < n; ++i) {
      orders_.add(sorted[i].second, "model best");
      orders_.add(sorted[sorted.size() - 1 - i].second, "model worst");
    }
  }

  /// Round by round, as tasks come: each round is ordered knowing those before it.
  Order choose(tune::order::Method method) {
    Order chosen;
    for (std::uint32_t round = 0; round < rounds(); ++round) {
      tune::order::Problem part;
      part.device = problem_.device;
      const auto known = static_cast<std::ptrdiff_t>((round + 1) * workers_);
      part.tasks.assign(problem_.tasks.begin(), problem_.tasks.begin() + known);
      part.prefix = chosen;
      chosen = tune::order::find_order(part, bounds_, method, tune::order::Limits{}).order;
    }
    return chosen;
  }

  const scenarios::Study& study_;
  tune::order::Problem problem_;
  tune::order::BoundTable bounds_;
  std::uint32_t workers_;
  core::Random random_;
  Orders orders_;
};

/// The case as the order engine takes it: one kernel queue, and no waiting for the worker's own task, which a round
/// later has long ended.
tune::order::Problem problem_of_case(const scenarios::Scenario& expanded, const scenarios::TaskGroupTuning& tuning,
                                     const core::Machine& machine) {
  scenarios::Scenario free = expanded;
  auto& c = std::get<scenarios::TaskGroup>(free.body).cases.at(tuning.case_index);
  for (auto& task : c.tasks) task.after.clear();
  scenarios::TaskGroupTuning one_queue = tuning;
  one_queue.kernel_lanes = 1;
  auto problem = tune::problem_of(free, one_queue, machine, expanded.interference);
  if (!problem) {
    core::throw_bad_input("the study of case \"" + c.name +
                          "\" needs at most one htod, kernel and dtoh a task, 64 tasks " +
                          "in all, and the submission of its engines");
  }
  return std::move(*problem);
}

std::vector<std::size_t> rows_of(const validate::RunSet& set, std::size_t case_index) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    if (set.rows[i].case_index == case_index) rows.push_back(i);
  }
  return rows;
}

/// The rows of a case that are measured again: the fastest, the slowest, and those that methods chose.
std::vector<std::size_t> finalists(const validate::RunSet& set, std::vector<std::size_t> rows, std::size_t fastest) {
  std::stable_sort(rows.begin(), rows.end(), [&set](std::size_t a, std::size_t b) {
    return core::median(set.rows[a].samples) < core::median(set.rows[b].samples);
  });
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& labels = set.rows[rows[i]].labels;
    const bool by_method = std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
      return label == validate::kChosenLabel || label == validate::kHeuristicLabel;
    });
    if (i < fastest || i + kSlowest >= rows.size() || by_method) chosen.push_back(rows[i]);
  }
  return chosen;
}

/// Measures some rows of a set, as a set of their own.
MeasureOutcome measure_some(const validate::RunSet& set, const std::vector<std::size_t>& rows,
                            const scenarios::Scenario& scenario, core::Executor& executor, const BindCase& bind,
                            const MeasureOptions& options, validate::RunSet& part) {
  part = set;
  part.rows.clear();
  for (const std::size_t row : rows) {
    part.rows.push_back(set.rows[row]);
    part.rows.back().samples.clear();
  }
  return measure_rows(part, scenario, executor, bind, options);
}

}  // namespace

bool is_study(const scenarios::Scenario& scenario) {
  return !scenarios::is_partition(scenario) && group_of(scenario).study.has_value();
}

validate::RunSet plan_study(const scenarios::Scenario& scenario, const core::Machine& machine,
                            const core::Machine& sized_for, scenarios::Scenario& expanded) {
  const auto& study = group_of(scenario).study.value();
  expanded = scenarios::expand_study(scenario);
  auto set = make_rows(expanded, machine, sized_for);
  set.rows.clear();
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    const std::size_t kind = i / study.kernel_queues.size();
    auto tuning = set.cases[i].tuning;
    tuning.order.resize(tuning.tasks.size());
    std::iota(tuning.order.begin(), tuning.order.end(), 0U);
    CasePlan plan(study, problem_of_case(expanded, tuning, machine), scenarios::workers_of(scenario, kind),
                  scenario.seed + kind);
    for (auto& row : plan.rows()) {
      row.case_index = i;
      set.rows.push_back(std::move(row));
    }
    set.cases[i].scheduling = plan.costs();
  }
  return set;
}

MeasureOutcome measure_study(validate::RunSet& set, const scenarios::Scenario& expanded, const scenarios::Study& study,
                             core::Executor& executor, const BindCase& bind, const MeasureOptions& options,
                             const std::function<void()>& done) {
  MeasureOutcome outcome;
  MeasureOptions final_options = options;
  final_options.repetitions = study.final_runs;
  set.repetitions = options.repetitions;
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    const auto rows = rows_of(set, i);
    const bool complete =
        std::any_of(rows.begin(), rows.end(), [&set](std::size_t row) { return !set.rows[row].final_samples.empty(); });
    if (complete) continue;
    validate::RunSet part;
    outcome = measure_some(set, rows, expanded, executor, bind, options, part);
    for (std::size_t r = 0; r < rows.size(); ++r) set.rows[rows[r]] = part.rows[r];
    if (outcome.stopped || !outcome.failure.empty()) return outcome;
    const auto again = finalists(set, rows, study.candidates);
    outcome = measure_some(set, again, expanded, executor, bind, final_options, part);
    if (outcome.stopped || !outcome.failure.empty()) return outcome;
    for (std::size_t r = 0; r < again.size(); ++r) set.rows[again[r]].final_samples = part.rows[r].samples;
    set.memory = part.memory;
    done();
  }
  return outcome;
}

}  // namespace forelap::run
