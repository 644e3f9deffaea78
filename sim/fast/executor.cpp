#include "sim/fast/executor.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "sim/fast/plan_engine.hpp"

namespace forelap::sim::fast {
namespace {

using core::Tick;

/// Prices the steps of one plan and writes down when they ran.
class Recorder final : public StepObserver {
 public:
  Recorder(const core::Plan& plan, const models::CostModel& cost, std::vector<core::Interval>& intervals)
      : plan_(plan), cost_(cost), intervals_(intervals) {}

  models::StepCost price(std::uint32_t step) override { return cost_.cost(plan_.steps[step - plan_.first_id]); }
  void finished(std::uint32_t step, std::uint32_t lane, double begin, double end) override {
    intervals_[step - plan_.first_id] = {core::make_id<core::StepId>(step), core::make_id<core::LaneId>(lane),
                                         core::timeline_tick(begin), core::timeline_tick(end)};
  }

 private:
  const core::Plan& plan_;
  const models::CostModel& cost_;
  std::vector<core::Interval>& intervals_;
};

class FastPlan final : public core::PreparedPlan {
 public:
  FastPlan(const core::Machine& machine, const core::Plan& plan, models::InterferenceMode mode)
      : plan_(plan), cost_(machine, plan, mode) {}

  core::Timeline run(const core::RunOptions& /*options*/) override { return simulate(plan_, cost_); }
  std::span<const std::byte> host_memory(core::BufferId /*buffer*/) const override { return {}; }

 private:
  const core::Plan& plan_;
  models::CostModel cost_;
};

class FastSession final : public core::Session, private StepObserver {
 public:
  FastSession(std::shared_ptr<const core::Machine> machine, const core::Plan& frame, models::InterferenceMode mode)
      : machine_(std::move(machine)),
        mode_(mode),
        lanes_(frame.lanes.size()),
        devices_(frame.device_count),
        cost_(*machine_, frame_without_steps(frame), mode),
        engine_(cost_, lanes_, 0) {}

  void submit(const core::Plan& fragment) override {
    if (fragment.lanes.size() != lanes_ || fragment.device_count != devices_) {
      throw std::invalid_argument("a fragment must have the lanes and devices that its session was opened with");
    }
    if (fragment.first_id != submitted_) {
      throw std::invalid_argument("a fragment's first_id must be the number of steps submitted before it, " +
                                  std::to_string(submitted_));
    }
    // Kernels and calls are numbered within the fragment, so its steps are priced by a model of its own.
    const models::CostModel cost(*machine_, fragment, mode_);
    for (const core::Step& step : fragment.steps) prices_.emplace_back(cost.cost(step));
    submitted_ += static_cast<std::uint32_t>(fragment.steps.size());
    engine_.append(fragment, *this);
  }

  std::optional<core::StepEvent> next_event() override {
    if (events_.empty()) gather();
    if (events_.empty()) return std::nullopt;
    const core::StepEvent event = events_.front();
    events_.pop_front();
    return event;
  }

  [[nodiscard]] Tick now() const override { return core::timeline_tick(engine_.now()); }

 private:
  static core::Plan frame_without_steps(const core::Plan& frame) {
    core::Plan bare;
    bare.lanes = frame.lanes;
    bare.device_count = frame.device_count;
    return bare;
  }

  /// Goes on until a step has ended, and to the end of that tick, so that events of one tick come ordered by step.
  void gather() {
    while (engine_.advance(*this)) {
      if (events_.empty()) continue;
      const double next = engine_.next_time();
      if (engine_.unfinished() == 0 || next > core::kLongestTimeline || core::round_to_tick(next) != now()) break;
    }
    std::sort(events_.begin(), events_.end(),
              [](const core::StepEvent& a, const core::StepEvent& b) { return a.step < b.step; });
    drop_prices();
  }

  models::StepCost price(std::uint32_t step) override {
    Price& price = prices_[step - first_price_];
    price.used = true;
    return price.cost;
  }

  void finished(std::uint32_t step, std::uint32_t /*lane*/, double begin, double end) override {
    events_.push_back({core::make_id<core::StepId>(step), core::timeline_tick(begin), core::timeline_tick(end)});
  }

  void drop_prices() {
    while (!prices_.empty() && prices_.front().used) {
      prices_.pop_front();
      ++first_price_;
    }
  }

  struct Price {
    explicit Price(const models::StepCost& c) : cost(c) {}
    models::StepCost cost;
    bool used = false;
  };

  std::shared_ptr<const core::Machine> machine_;
  models::InterferenceMode mode_;
  std::size_t lanes_;
  std::uint32_t devices_;
  models::CostModel cost_;
  PlanEngine engine_;
  std::uint32_t submitted_ = 0;
  std::uint32_t first_price_ = 0;
  std::deque<Price> prices_;  ///< of the steps from first_price_ on
  std::deque<core::StepEvent> events_;
};

class FastExecutor final : public core::Executor {
 public:
  FastExecutor(std::shared_ptr<const core::Machine> machine, models::InterferenceMode mode)
      : machine_(std::move(machine)), mode_(mode) {}

  [[nodiscard]] std::string name() const override { return "fast"; }
  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& /*bindings*/) override {
    return std::make_unique<FastPlan>(*machine_, plan, mode_);
  }
  std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& /*bindings*/) override {
    return std::make_unique<FastSession>(machine_, frame, mode_);
  }

 private:
  std::shared_ptr<const core::Machine> machine_;
  models::InterferenceMode mode_;
};

}  // namespace

core::Timeline simulate(const core::Plan& plan, const models::CostModel& cost) {
  core::Timeline timeline;
  if (plan.steps.empty()) return timeline;
  timeline.intervals.resize(plan.steps.size());
  Recorder recorder(plan, cost, timeline.intervals);
  PlanEngine engine(cost, plan.lanes.size(), plan.first_id);
  engine.reserve(plan.steps.size(), plan.dependencies.size());
  engine.append(plan, recorder);
  while (engine.advance(recorder)) {
  }
  timeline.makespan = core::timeline_tick(engine.now() + cost.run_overhead());
  return timeline;
}

std::unique_ptr<core::Executor> make_executor(std::shared_ptr<const core::Machine> machine,
                                              models::InterferenceMode mode) {
  return std::make_unique<FastExecutor>(std::move(machine), mode);
}

}  // namespace forelap::sim::fast
