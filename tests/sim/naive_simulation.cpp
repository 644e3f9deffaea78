#include "tests/sim/naive_simulation.hpp"

#include <algorithm>
#include <limits>

namespace forelap::tests {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct NaiveStep {
  models::StepCost cost;
  std::size_t position = 0;  ///< on its lane
  std::size_t previous = SIZE_MAX;
  double begin = kNever;
  double work_begin = kNever;
  double remaining = 0;
  double slowest = 1;
  std::uint32_t launches_left = 1;
  double served = 0;  ///< time at work, what is shared counted in part
  double end = kNever;
  bool at_work = false;
};

class Naive {
 public:
  Naive(const core::Plan& plan, const models::CostModel& cost) : plan_(plan), cost_(cost), steps_(plan.steps.size()) {
    std::vector<std::size_t> last(plan.lanes.size(), SIZE_MAX);
    std::vector<std::size_t> count(plan.lanes.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::size_t lane = index(plan.steps[i].lane);
      steps_[i].cost = cost.cost(plan.steps[i]);
      steps_[i].previous = last[lane];
      steps_[i].position = count[lane]++;
      last[lane] = i;
    }
  }

  core::Timeline run() {
    begin_ready();
    while (advance()) {
    }
    core::Timeline timeline;
    double last = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      timeline.intervals.push_back({core::make_id<core::StepId>(i), plan_.steps[i].lane,
                                    core::round_to_tick(steps_[i].begin), core::round_to_tick(steps_[i].end)});
      last = std::max(last, steps_[i].end);
    }
    timeline.makespan = core::round_to_tick(last + cost_.run_overhead());
    return timeline;
  }

 private:
  [[nodiscard]] double ready(std::size_t i) const {
    const core::Step& step = plan_.steps[i];
    double time = static_cast<double>(steps_[i].position) * cost_.submit(step.lane);
    if (steps_[i].previous != SIZE_MAX) time = std::max(time, steps_[steps_[i].previous].end);
    for (const core::StepId id : plan_.dependencies_of(step)) {
      const double hop = plan_.steps[index(id)].lane == step.lane ? 0 : cost_.hop(step.lane);
      time = std::max(time, steps_[index(id)].end + hop);
    }
    return time;
  }

  /// Steps come after what they wait for, so one pass settles all that this instant decides.
  void begin_ready() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      NaiveStep& step = steps_[i];
      if (step.begin != kNever) continue;
      step.begin = ready(i);
      if (step.begin == kNever) continue;
      step.work_begin = step.begin + step.cost.fixed;
      step.remaining = step.cost.work;
      step.launches_left = step.cost.launches;
      if (step.cost.work == 0) step.end = step.begin + step.cost.fixed * step.cost.launches;
    }
  }

  static bool works_in(const NaiveStep& step, std::uint32_t domain) {
    return step.at_work && (step.cost.domains[0] == domain || step.cost.domains[1] == domain);
  }

  [[nodiscard]] double rate(const NaiveStep& step) const {
    double rate = 1;
    for (const std::uint32_t domain : step.cost.domains) {
      if (domain == models::kNoDomain) continue;
      models::ActiveCounts counts;
      for (const NaiveStep& other : steps_) {
        if (works_in(other, domain)) counts.add(other.cost.activity);
      }
      rate = std::min(rate, cost_.domain(domain).rate(step.cost.activity, counts));
    }
    return rate;
  }

  /// Kernels that began earlier are served first.
  [[nodiscard]] double share(std::size_t i) const {
    const NaiveStep& step = steps_[i];
    if (step.cost.activity != core::ActivityClass::kernel) return 1;
    double left = 1;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const NaiveStep& other = steps_[k];
      if (!works_in(other, step.cost.domains[0]) || other.cost.activity != core::ActivityClass::kernel) continue;
      const bool earlier = other.work_begin < step.work_begin || (other.work_begin == step.work_begin && k < i);
      if (earlier) left -= other.cost.fill;
    }
    return std::clamp(left / step.cost.fill, 0.0, 1.0);
  }

  bool advance() {
    const bool whole = cost_.mode() == core::InterferenceMode::full;
    double next = kNever;
    std::vector<double> ends(steps_.size(), kNever);
    std::vector<double> rates(steps_.size());
    std::vector<double> shares(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      NaiveStep& step = steps_[i];
      if (step.at_work) {
        rates[i] = rate(step);
        shares[i] = share(i);
        step.slowest = std::min(step.slowest, rates[i]);
        const double left = whole ? step.cost.work / step.slowest - step.served : step.remaining / rates[i];
        if (shares[i] > 0) ends[i] = now_ + left / shares[i];
        next = std::min(next, ends[i]);
      } else if (step.end == kNever && step.begin != kNever) {
        next = std::min(next, step.work_begin);
      }
    }
    if (next == kNever) return false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      NaiveStep& step = steps_[i];
      if (!step.at_work) continue;
      step.remaining -= (next - now_) * rates[i] * shares[i];
      step.served += (next - now_) * shares[i];
      if (ends[i] != next) continue;
      step.at_work = false;
      if (--step.launches_left == 0) {
        step.end = next;
        continue;
      }
      step.work_begin = next + step.cost.fixed;
      step.remaining = step.cost.work;
      step.slowest = 1;
      step.served = 0;
    }
    now_ = next;
    begin_ready();
    for (NaiveStep& step : steps_) {
      if (step.end == kNever && step.work_begin == now_) step.at_work = true;
    }
    return true;
  }

  const core::Plan& plan_;
  const models::CostModel& cost_;
  std::vector<NaiveStep> steps_;
  double now_ = 0;
};

}  // namespace

core::Timeline naive_simulation(const core::Plan& plan, const models::CostModel& cost) {
  return plan.steps.empty() ? core::Timeline{} : Naive(plan, cost).run();
}

}  // namespace forelap::tests
