#include "tune/group_figures.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "models/perturb.hpp"
#include "tune/order/clock.hpp"
#include "tune/order/constructive.hpp"
#include "tune/task_cost.hpp"

namespace forelap::tune {
namespace {

using Order = std::vector<std::uint32_t>;

constexpr double kSame = 0.5;  // ticks
/// All orders are looked at where there are at most so many, which is those of eight tasks.
constexpr std::size_t kAllOrders = 41'000;
/// And of seven, where the order engine does not take the group.
constexpr std::size_t kAllOrdersByPlan = 5'040;
/// Orders that are compared with the chosen one on drawn machines, and how far behind it they may be.
constexpr std::size_t kCompared = 100;
constexpr double kNear = 0.05;
constexpr double kFaster = 0.9;
/// Of the search's time limit: what this may take.
constexpr double kShareOfTime = 0.75;

void shuffle(std::vector<Order>& orders, core::Random& random) {
  for (std::size_t i = orders.size(); i > 1; --i) std::swap(orders[i - 1], orders[random.below(i)]);
}

/// Random orders that are affordable: fewer of large groups.
std::size_t sample_size(std::size_t tasks) {
  return std::clamp<std::size_t>(40'000 / std::max<std::size_t>(1, tasks), 50, 2000);
}

/// The arrangements nearest to the fastest that were seen, each once.
class Nearest {
 public:
  /// `key` is the same for arrangements that are the same.
  void see(double time, const Order& order, Order key) {
    if (kept_.size() == kCompared && time >= kept_.rbegin()->time) return;
    if (!keys_.insert(key).second) return;
    kept_.insert({time, order, std::move(key)});
    if (kept_.size() <= kCompared) return;
    keys_.erase(kept_.rbegin()->key);
    kept_.erase(std::prev(kept_.end()));
  }
  struct Kept {
    double time = 0;
    Order order, key;
    bool operator<(const Kept& other) const { return time != other.time ? time < other.time : order < other.order; }
  };
  [[nodiscard]] const std::set<Kept>& kept() const { return kept_; }

 private:
  std::set<Kept> kept_;
  std::set<Order> keys_;
};

class Figures {
 public:
  Figures(GroupChoice& choice, GroupEvaluator& evaluator, const Precedence& precedence, const core::Machine& machine,
          const GroupOptions& options)
      : choice_(choice),
        evaluator_(evaluator),
        precedence_(precedence),
        machine_(machine),
        options_(options),
        begin_(std::chrono::steady_clock::now()),
        random_(options.seed),
        trial_(choice.chosen.arrangement) {}

  void run() {
    add_methods();
    if (!look_at_all()) look_at_some();
    add_lanes();
    add_ties();
  }

 private:
  /// An end that leaves the rest of the time to what follows.
  [[nodiscard]] order::Deadline part(double share_of_rest) const {
    const double gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    order::Limits limits;
    limits.seconds = share_of_rest * std::max(0.0, kShareOfTime * options_.seconds - gone);
    limits.stop = options_.stop;
    return order::Deadline(limits);
  }
  /// Whether the part of the work is at its end; then it was cut short.
  bool cut(order::Deadline& deadline) {
    const bool is_cut = deadline.look();
    choice_.figures_cut_short = choice_.figures_cut_short || is_cut;
    return is_cut;
  }

  double time_of(const Order& order) {
    trial_.order = order;
    return evaluator_.evaluate(trial_);
  }
  Timed timed(const Order& order) {
    const double time = time_of(order);
    return {trial_, time};
  }

  void add_methods() {
    const auto outline = outline_of(evaluator_, tuning_with(evaluator_.tuning(), choice_.chosen.arrangement), machine_);
    if (!outline) return;
    choice_.heuristic = timed(built_order(order::Method::heuristic, *outline, precedence_));
    choice_.johnson = timed(built_order(order::Method::johnson, *outline, precedence_));
    choice_.neh = timed(built_order(order::Method::neh, *outline, precedence_));
  }

  /// Orders are the same where those of the devices are, each for itself, and where tasks that are alike change places.
  [[nodiscard]] Order key_of(const Order& order) const {
    const auto& device = trial_.device;
    Order key = order;
    std::stable_sort(key.begin(), key.end(), [&](std::uint32_t a, std::uint32_t b) { return device[a] < device[b]; });
    for (std::uint32_t& task : key) {
      task = static_cast<std::uint32_t>(evaluator_.like(task) * evaluator_.device_count() + device[task]);
    }
    return key;
  }
  void keep(double time, const Order& order) { nearest_.see(time, order, key_of(order)); }

  void see(const Order& order, double time) {
    sum_ += time;
    ++choice_.orders;
    keep(time, order);
    if (!choice_.worst || time > choice_.worst->time + kSame) choice_.worst = Timed{trial_, time};
  }

  /// Every order, where they are few; false else.
  bool look_at_all() {
    const bool fast = precedence_.is_free() && trial_.kernel_lanes == 1 && evaluator_.device_count() == 1 &&
                      evaluator_.memory_limit() == 0;
    const auto problem = fast ? evaluator_.problem_on(0) : std::nullopt;
    std::optional<sim::fast::OrderEngine> engine;
    if (problem) engine.emplace(problem->device, problem->tasks);
    const auto& group = std::get<scenarios::TaskGroup>(evaluator_.scenario().body);
    std::vector<Order> orders;
    try {
      orders = scenarios::orders_of(group.cases.at(evaluator_.tuning().case_index), scenarios::OrderMode::all,
                                    engine ? kAllOrders : kAllOrdersByPlan);
    } catch (const core::Error&) {
      return false;
    }
    shuffle(orders, random_);  // so that those looked at are a sample where time runs out
    auto deadline = part(0.5);
    for (const Order& order : orders) {
      if (cut(deadline)) break;
      trial_.order = order;
      see(order, engine ? engine->evaluate(order) : evaluator_.evaluate(trial_));
    }
    choice_.all_orders = choice_.orders == orders.size();
    if (choice_.orders > 0) choice_.mean = sum_ / static_cast<double>(choice_.orders);
    return true;
  }

  /// Random orders, and from the worst of them on the search for a worse one; the neighbours of the chosen one for
  /// ties.
  void look_at_some() {
    const std::size_t samples = sample_size(evaluator_.task_count());
    auto deadline = part(0.25);
    for (std::size_t i = 0; i < samples && !cut(deadline); ++i) {
      const Order order = precedence_.random_order(random_);
      see(order, time_of(order));
    }
    if (choice_.orders > 0) choice_.mean = sum_ / static_cast<double>(choice_.orders);
    if (choice_.worst) worsen(samples);
    deadline = part(0.5);
    for (std::size_t i = 0; i < samples && !cut(deadline); ++i) {
      const Order order = moved(choice_.chosen.arrangement.order);
      keep(time_of(order), order);
    }
  }

  /// One task at another place.
  Order moved(Order order) {
    if (order.size() < 2) return order;
    const auto at = order.begin() + static_cast<std::ptrdiff_t>(random_.below(order.size()));
    const std::uint32_t task = *at;
    order.erase(at);
    const auto places = precedence_.places(order, task);
    const std::size_t place = places.first + random_.below(places.last - places.first + 1);
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), task);
    return order;
  }

  void worsen(std::size_t trials) {
    auto deadline = part(1.0 / 3);
    for (std::size_t i = 0; i < trials && !cut(deadline); ++i) {
      const Order order = moved(choice_.worst->arrangement.order);
      const double time = time_of(order);
      if (time > choice_.worst->time + kSame) choice_.worst = Timed{trial_, time};
    }
  }

  void add_lanes() {
    choice_.lanes = evaluator_.lane_use(choice_.chosen.arrangement);
    if (!(choice_.chosen.time > 0)) return;
    for (const auto kind : {StageKind::htod, StageKind::kernel, StageKind::dtoh}) {
      bool any = false;
      for (std::uint32_t t = 0; t < evaluator_.task_count(); ++t) {
        any = any || evaluator_.stage(t, choice_.chosen.arrangement.device[t], kind).commands > 0;
      }
      if (!any) continue;
      const double time = evaluator_.evaluate_scaled(choice_.chosen.arrangement, kind, kFaster);
      choice_.gains.push_back({kind, (choice_.chosen.time - time) / choice_.chosen.time});
    }
    std::stable_sort(choice_.gains.begin(), choice_.gains.end(),
                     [](const StageGain& a, const StageGain& b) { return a.gain > b.gain; });
  }

  void add_ties() {
    for (const auto& other : {choice_.heuristic, choice_.neh, choice_.johnson}) {
      if (other) keep(other->time, other->arrangement.order);
    }
    auto deadline = part(1);
    std::vector<Timed> others;
    const Order chosen = key_of(choice_.chosen.arrangement.order);
    for (const auto& near : nearest_.kept()) {
      if (near.key == chosen || near.time > choice_.chosen.time * (1 + kNear)) continue;
      if (cut(deadline)) break;
      others.push_back(timed(near.order));
    }
    choice_.compared = others.size();
    const auto behind = compare(others, deadline);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const double low = std::min(core::quantile(behind[i], 0.05), behind[i].front());
      const double high = std::max(core::quantile(behind[i], 0.95), behind[i].front());
      if (low * choice_.chosen.time > kSame) continue;
      ++choice_.tie_count;
      if (choice_.ties.size() < GroupChoice::kMostTies) choice_.ties.push_back({others[i], low, high});
    }
  }

  /// How much longer each takes than the chosen one, relative: on the machine itself, then on those drawn from it.
  std::vector<std::vector<double>> compare(const std::vector<Timed>& others, order::Deadline& deadline) {
    const double best = choice_.chosen.time;
    std::vector<std::vector<double>> behind;
    for (const Timed& other : others) behind.push_back({best > 0 ? (other.time - best) / best : 0});
    core::Random random(options_.seed);
    for (std::uint32_t d = 0; d < options_.draws && !others.empty(); ++d) {
      if (cut(deadline)) break;
      auto drawn = evaluator_.on(models::perturb(machine_, random));
      const auto ratios = compare_on(drawn, others, deadline);
      for (std::size_t i = 0; i < ratios.size(); ++i) behind[i].push_back(ratios[i]);
    }
    return behind;
  }

  /// Of one drawn machine; nothing where time runs out before all are compared, since all must meet the same machines.
  std::vector<double> compare_on(GroupEvaluator& drawn, const std::vector<Timed>& others, order::Deadline& deadline) {
    const double best = drawn.evaluate(choice_.chosen.arrangement);
    std::vector<double> behind;
    for (const Timed& other : others) {
      if (cut(deadline)) return {};
      const double time = drawn.evaluate(other.arrangement);
      behind.push_back(best > 0 ? (time - best) / best : 0);
    }
    return behind;
  }

  GroupChoice& choice_;
  GroupEvaluator& evaluator_;
  const Precedence& precedence_;
  const core::Machine& machine_;
  const GroupOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  core::Random random_;
  Arrangement trial_;
  Nearest nearest_;
  double sum_ = 0;
};

}  // namespace

std::optional<order::Problem> outline_of(const GroupEvaluator& evaluator, const scenarios::TaskGroupTuning& tuning,
                                         const core::Machine& machine) {
  if (evaluator.task_count() > sim::fast::OrderEngine::kMostTasks) return std::nullopt;
  order::Problem outline;
  const std::uint32_t first = tuning.device.empty() ? 0 : tuning.device.front();
  outline.device =
      TaskPrices(machine, first, evaluator.scenario().interference, tuning.memory, tuning.engines[first]).device();
  for (std::uint32_t t = 0; t < evaluator.task_count(); ++t) {
    const auto cost = [&](StageKind kind) {
      const StageSum& sum = evaluator.stage(t, tuning.device[t], kind);
      return sim::fast::StageCost{sum.commands > 0, sum.fixed, sum.work};
    };
    outline.tasks.push_back({cost(StageKind::htod), cost(StageKind::kernel), cost(StageKind::dtoh)});
  }
  return outline;
}

std::vector<std::uint32_t> built_order(order::Method method, const order::Problem& outline,
                                       const Precedence& precedence) {
  switch (method) {
    case order::Method::heuristic:
      return precedence.repaired(order::heuristic_order(outline));
    case order::Method::johnson:
      return precedence.repaired(order::johnson_order(outline));
    default:
      return precedence.repaired(order::neh_order(outline));
  }
}

void add_figures(GroupChoice& choice, GroupEvaluator& evaluator, const Precedence& precedence,
                 const core::Machine& machine, const GroupOptions& options) {
  Figures(choice, evaluator, precedence, machine, options).run();
}

}  // namespace forelap::tune
