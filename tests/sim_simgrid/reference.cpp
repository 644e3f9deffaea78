#include "tests/sim_simgrid/reference.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace forelap::tests {
namespace {

enum class Phase { waiting, fixed, working, done };

struct State {
  Phase phase = Phase::waiting;
  double until = 0;      // end of the fixed part
  double remaining = 0;  // of the work part
  std::uint32_t launches_left = 1;
  models::StepCost cost;
};

class Reference {
 public:
  Reference(const core::Plan& plan, const models::CostModel& model)
      : plan_(plan), model_(model), states_(plan.steps.size()), times_(plan.steps.size()), lanes_(plan.lanes.size()) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      states_[i].cost = model.cost(plan.steps[i]);
      states_[i].launches_left = states_[i].cost.launches;
      lanes_[index(plan.steps[i].lane)].push_back(i);
    }
  }

  std::vector<ReferenceInterval> run() {
    while (move_on_at_this_instant() || advance()) {
    }
    return times_;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// The first step of each lane that is not done, with its position.
  template <class Visit>
  void for_each_front(Visit visit) {
    for (const auto& lane : lanes_) {
      const auto front =
          std::find_if(lane.begin(), lane.end(), [this](std::size_t i) { return states_[i].phase != Phase::done; });
      if (front != lane.end()) visit(*front, static_cast<double>(front - lane.begin()));
    }
  }

  /// When a front step may start, or kNever while a dependency runs.
  double ready(std::size_t step, double position) const {
    const core::Step& it = plan_.steps[step];
    double time = std::max(now_of_lane(it.lane, position), position * model_.submit(it.lane));
    for (const core::StepId before : plan_.dependencies_of(it)) {
      if (states_[index(before)].phase != Phase::done) return kNever;
      const double hop = plan_.steps[index(before)].lane == it.lane ? 0 : model_.hop(it.lane);
      time = std::max(time, times_[index(before)].end + hop);
    }
    return time;
  }

  double now_of_lane(core::LaneId lane, double position) const {
    return position == 0 ? 0 : times_[lanes_[index(lane)][static_cast<std::size_t>(position) - 1]].end;
  }

  double rate(std::size_t step) const {
    const models::StepCost& cost = states_[step].cost;
    double rate = 1;
    for (const std::uint32_t domain : cost.domains) {
      if (domain == models::kNoDomain) continue;
      models::ActiveCounts active;
      for (const State& other : states_) {
        const auto& theirs = other.cost.domains;
        const bool here = std::find(theirs.begin(), theirs.end(), domain) != theirs.end();
        if (other.phase == Phase::working && here) active.add(other.cost.activity);
      }
      rate = std::min(rate, model_.domain(domain).rate(cost.activity, active));
    }
    return rate * share(step);
  }

  /// The part of its device that earlier kernels leave to a kernel.
  double share(std::size_t step) const {
    const models::StepCost& cost = states_[step].cost;
    if (cost.activity != core::ActivityClass::kernel) return 1;
    double left = 1;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& other = states_[i];
      const bool beside = i != step && other.phase == Phase::working && other.cost.domains[0] == cost.domains[0] &&
                          other.cost.activity == core::ActivityClass::kernel;
      if (beside && std::pair(other.until, i) < std::pair(states_[step].until, step)) left -= other.cost.fill;
    }
    return std::clamp(left / cost.fill, 0.0, 1.0);
  }

  /// Starts and ends what is due now; false when nothing was.
  bool move_on_at_this_instant() {
    bool moved = false;
    for_each_front([&](std::size_t i, double position) {
      State& state = states_[i];
      if (state.phase == Phase::waiting && ready(i, position) <= now_) {
        times_[i].begin = now_;
        state.phase = Phase::fixed;
        state.until = now_ + state.cost.fixed;
        moved = true;
      }
      if (state.phase == Phase::fixed && state.until <= now_) {
        state.phase = Phase::working;
        state.remaining = state.cost.work;
        moved = true;
      }
      if (state.phase == Phase::working && state.remaining <= 0) {
        state.phase = --state.launches_left > 0 ? Phase::fixed : Phase::done;
        state.until = now_ + state.cost.fixed;
        times_[i].end = now_;
        moved = true;
      }
    });
    return moved;
  }

  /// To the next event; false when there is none.
  bool advance() {
    double next = kNever;
    std::size_t first = plan_.steps.size();  // the work part that ends then
    std::vector<std::pair<std::size_t, double>> working;
    for_each_front([&](std::size_t i, double position) {
      const State& state = states_[i];
      double time = state.phase == Phase::waiting ? ready(i, position) : state.until;
      if (state.phase == Phase::working) {
        working.emplace_back(i, rate(i));
        time = working.back().second > 0 ? now_ + state.remaining / working.back().second : kNever;
      }
      if (time < next) {
        next = time;
        first = i;
      }
    });
    if (next == kNever) return false;
    for (const auto& [i, speed] : working) states_[i].remaining -= (next - now_) * speed;
    if (states_[first].phase == Phase::working) states_[first].remaining = 0;
    now_ = next;
    return true;
  }

  const core::Plan& plan_;
  const models::CostModel& model_;
  std::vector<State> states_;
  std::vector<ReferenceInterval> times_;
  std::vector<std::vector<std::size_t>> lanes_;
  double now_ = 0;
};

}  // namespace

std::vector<ReferenceInterval> reference_timeline(const core::Plan& plan, const models::CostModel& model) {
  return Reference(plan, model).run();
}

}  // namespace forelap::tests
