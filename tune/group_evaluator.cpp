#include "tune/group_evaluator.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/timeline.hpp"
#include "scenarios/lower.hpp"
#include "tune/task_cost.hpp"

namespace forelap::tune {
namespace {

constexpr std::size_t kHtod = 0, kKernel = 1, kDtoh = 2;

const scenarios::TaskGroup& group_of(const scenarios::Scenario& scenario) {
  return std::get<scenarios::TaskGroup>(scenario.body);
}

std::size_t stage_of(const core::Step& step) {
  if (step.kind == core::StepKind::kernel) return kKernel;
  return step.direction == core::Direction::host_to_device ? kHtod : kDtoh;
}

/// One task alone, to be lowered on any device.
class Alone {
 public:
  Alone(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning) : tuning_(tuning) {
    scenario_.kernels = scenario.kernels;
    scenario_.body = scenarios::TaskGroup{};
    std::get<scenarios::TaskGroup>(scenario_.body).cases.resize(1);
    std::get<scenarios::TaskGroup>(scenario_.body).cases[0].tasks.resize(1);
    alone_.memory = tuning.memory;
    alone_.order = {0};
    alone_.device_count = tuning.device_count;
    alone_.engines = tuning.engines;
  }

  core::Plan plan(std::uint32_t task, std::uint32_t device) {
    alone_.tasks = {tuning_.tasks[task]};
    alone_.device = {device};
    return scenarios::lower(scenario_, alone_);
  }

 private:
  const scenarios::TaskGroupTuning& tuning_;
  scenarios::Scenario scenario_;
  scenarios::TaskGroupTuning alone_;
};

}  // namespace

scenarios::TaskGroupTuning tuning_with(const scenarios::TaskGroupTuning& tuning, const Arrangement& arrangement) {
  scenarios::TaskGroupTuning chosen = tuning;
  chosen.order = arrangement.order;
  chosen.device = arrangement.device;
  chosen.kernel_lanes = arrangement.kernel_lanes;
  return chosen;
}

/// Hands the prices to the engine and, where asked, adds up how long lanes are at work.
class GroupEvaluator::Observer final : public sim::fast::StepObserver {
 public:
  Observer(const GroupEvaluator& evaluator, std::uint32_t kernel_lanes, std::vector<double>* busy)
      : evaluator_(evaluator), one_lane_(kernel_lanes == 1), busy_(busy) {}

  models::StepCost price(std::uint32_t step) override {
    models::StepCost cost = *evaluator_.costs_[step];
    if (one_lane_) cost = cost.folded();
    const double scale = evaluator_.scale_[static_cast<std::size_t>(evaluator_.kinds_[step])];
    cost.fixed *= scale;
    cost.work *= scale;
    return cost;
  }
  void finished(std::uint32_t /*step*/, std::uint32_t lane, double begin, double end) override {
    if (busy_ != nullptr) (*busy_)[lane] += end - begin;
  }

 private:
  const GroupEvaluator& evaluator_;
  bool one_lane_;  ///< nothing comes between the launches of a kernel
  std::vector<double>* busy_;
};

GroupEvaluator::GroupEvaluator(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                               const core::Machine& machine)
    : scenario_(&scenario), tuning_(tuning), submission_(scenario, tuning) {
  make_lone_plans();
  price(machine);
  find_alike();
}

GroupEvaluator GroupEvaluator::on(const core::Machine& machine) const {
  GroupEvaluator other = *this;
  other.frames_.clear();
  other.bounds_.clear();
  other.price(machine);
  return other;
}

const std::vector<scenarios::TaskSpec>& GroupEvaluator::specs() const {
  return group_of(*scenario_).cases.at(tuning_.case_index).tasks;
}

std::uint64_t GroupEvaluator::memory_limit() const {
  return group_of(*scenario_).device_memory;
}

void GroupEvaluator::make_lone_plans() {
  auto plans = std::make_shared<std::vector<core::Plan>>();
  Alone alone(*scenario_, tuning_);
  for (std::uint32_t task = 0; task < task_count(); ++task) {
    for (std::uint32_t device = 0; device < device_count(); ++device) plans->push_back(alone.plan(task, device));
  }
  lone_ = std::move(plans);
}

void GroupEvaluator::price(const core::Machine& machine) {
  machine_ = std::make_shared<core::Machine>(machine);
  prices_.assign(lone_->size(), Priced{});
  for (std::size_t i = 0; i < lone_->size(); ++i) {
    const core::Plan& plan = (*lone_)[i];
    try {
      const models::CostModel cost(machine, plan, scenario_->interference);
      for (const core::Step& step : plan.steps) {
        const models::StepCost by_launch = cost.cost_by_launch(step);
        const models::StepCost price = by_launch.folded();
        const std::size_t stage = stage_of(step);
        StageSum& sum = prices_[i].sums[stage];
        sum.fill = sum.commands == 0 ? price.fill : std::max(sum.fill, price.fill);
        ++sum.commands;
        sum.fixed += price.fixed;
        sum.work += price.work;
        sum.fill_work += price.work * price.fill;
        prices_[i].steps[stage].push_back(by_launch);
      }
      prices_[i].possible = true;
    } catch (const core::Error&) {
      if (tuning_.device[i / device_count()] == i % device_count()) throw;
      prices_[i] = Priced{};
    }
  }
  const Frame& lanes = frame(1);
  hop_.clear();
  overhead_.clear();
  capacity_.clear();
  for (std::uint32_t d = 0; d < device_count(); ++d) {
    hop_.push_back(lanes.cost->hop(core::make_id<core::LaneId>(lanes.first_lane[d][kKernel])));
    overhead_.push_back(machine.devices[d].run_overhead.value * core::kTicksPerSecond);
    capacity_.push_back(lanes.cost->domain(d).capacity(core::ActivityClass::kernel));
  }
  host_interferes_ = !lanes.cost->domain(device_count()).is_trivial();
}

bool GroupEvaluator::alike(std::uint32_t a, std::uint32_t b) const {
  if (tuning_.tasks[a].buffer_bytes != tuning_.tasks[b].buffer_bytes || specs()[a].after != specs()[b].after) {
    return false;
  }
  const auto same_cost = [](const models::StepCost& x, const models::StepCost& y) {
    return x.fixed == y.fixed && x.work == y.work && x.fill == y.fill && x.launches == y.launches &&
           x.activity == y.activity;
  };
  for (std::uint32_t d = 0; d < device_count(); ++d) {
    if (can_run(a, d) != can_run(b, d)) return false;
    for (std::size_t s = 0; s < 3; ++s) {
      const auto& x = priced(a, d).steps[s];
      const auto& y = priced(b, d).steps[s];
      if (!std::equal(x.begin(), x.end(), y.begin(), y.end(), same_cost)) return false;
    }
  }
  return true;
}

void GroupEvaluator::find_alike() {
  std::vector<bool> waited_for(task_count());
  for (const auto& spec : specs()) {
    for (const std::uint32_t other : spec.after) waited_for[other] = true;
  }
  for (std::uint32_t t = 0; t < task_count(); ++t) {
    std::uint32_t first = 0;
    while (first < t && (like_[first] != first || waited_for[t] || waited_for[first] || !alike(first, t))) ++first;
    like_.push_back(first);
  }
}

GroupEvaluator::Frame& GroupEvaluator::frame(std::uint32_t kernel_lanes) {
  auto& slot = frames_[kernel_lanes];
  if (slot) return *slot;
  slot = std::make_shared<Frame>();
  core::Plan& plan = slot->plan;
  plan.device_count = device_count();
  for (std::uint32_t d = 0; d < device_count(); ++d) {
    const auto add = [&](core::LaneKind kind, const std::string& name) {
      plan.lanes.push_back({kind, core::make_id<core::DeviceId>(d), core::RankId{}, name});
      return static_cast<std::uint32_t>(plan.lanes.size() - 1);
    };
    const bool two = tuning_.engines.at(d) == 2;
    std::array<std::uint32_t, 3> first{};
    first[kHtod] = add(core::LaneKind::copy, two ? "htod" : "copy");
    first[kDtoh] = two ? add(core::LaneKind::copy, "dtoh") : first[kHtod];
    for (std::uint32_t k = 0; k < kernel_lanes; ++k) {
      const auto lane = add(core::LaneKind::kernel, kernel_lanes == 1 ? "kernel" : "kernel " + std::to_string(k));
      if (k == 0) first[kKernel] = lane;
    }
    slot->first_lane.push_back(first);
  }
  slot->cost.emplace(*machine_, plan, scenario_->interference);
  return *slot;
}

void GroupEvaluator::add_stage(std::uint32_t task, std::uint32_t device, StageKind kind, Frame& frame) {
  const auto stage = static_cast<std::size_t>(kind);
  core::Plan& plan = frame.plan;
  std::uint32_t lane = frame.first_lane[device][stage];
  if (kind == StageKind::kernel) lane += submission_.kernel_lane(task);
  bool first = true;
  for (const models::StepCost& cost : priced(task, device).steps[stage]) {
    core::Step& step = plan.steps.emplace_back();
    step.lane = core::make_id<core::LaneId>(lane);
    step.first_dependency = static_cast<std::uint32_t>(plan.dependencies.size());
    if (first) {
      if (last_[task] != core::none<core::StepId>()) {
        plan.dependencies.push_back(last_[task]);
      } else {
        for (const std::uint32_t other : submission_.waits(task)) plan.dependencies.push_back(last_[other]);
      }
    }
    first = false;
    step.dependency_count = static_cast<std::uint32_t>(plan.dependencies.size()) - step.first_dependency;
    last_[task] = core::make_id<core::StepId>(plan.steps.size() - 1);
    costs_.push_back(&cost);
    kinds_.push_back(kind);
  }
}

void GroupEvaluator::build_steps(const Arrangement& arrangement, Frame& frame) {
  submission_.arrange(arrangement.order, arrangement.device, arrangement.kernel_lanes);
  frame.plan.steps.clear();
  frame.plan.dependencies.clear();
  costs_.clear();
  kinds_.clear();
  last_.assign(task_count(), core::none<core::StepId>());
  constexpr std::array<StageKind, 3> kStages = {StageKind::htod, StageKind::kernel, StageKind::dtoh};
  for (std::size_t r = 0; r < submission_.round_count(); ++r) {
    bool any_by_type = false;
    for (const std::uint32_t task : submission_.round(r)) {
      const std::uint32_t device = arrangement.device[task];
      if (scenarios::submits_by_type(tuning_, device)) {
        any_by_type = true;
        continue;
      }
      for (const StageKind kind : kStages) add_stage(task, device, kind, frame);
    }
    if (!any_by_type) continue;
    for (const StageKind kind : kStages) {
      for (const std::uint32_t task : submission_.round(r)) {
        const std::uint32_t device = arrangement.device[task];
        if (scenarios::submits_by_type(tuning_, device)) add_stage(task, device, kind, frame);
      }
    }
  }
}

double GroupEvaluator::run(const Arrangement& arrangement, std::vector<double>* busy) {
  ++evaluations_;
  Frame& lanes = frame(arrangement.kernel_lanes);
  build_steps(arrangement, lanes);
  if (costs_.empty()) return 0;
  Observer observer(*this, arrangement.kernel_lanes, busy);
  sim::fast::PlanEngine engine(*lanes.cost, lanes.plan.lanes.size(), 0);
  engine.reserve(lanes.plan.steps.size(), lanes.plan.dependencies.size());
  engine.append(lanes.plan, observer);
  while (engine.advance(observer)) {
  }
  double overhead = 0;
  for (const std::uint32_t task : arrangement.order) {
    if (last_[task] != core::none<core::StepId>()) overhead = std::max(overhead, overhead_[arrangement.device[task]]);
  }
  const double time = engine.now() + overhead;
  if (!(time <= core::kLongestTimeline)) core::throw_beyond_timeline();
  return time;
}

double GroupEvaluator::evaluate(const Arrangement& arrangement) {
  return run(arrangement, nullptr);
}

double GroupEvaluator::evaluate_scaled(const Arrangement& arrangement, StageKind kind, double factor) {
  scale_[static_cast<std::size_t>(kind)] = factor;
  const double time = run(arrangement, nullptr);
  scale_ = {1, 1, 1};
  return time;
}

std::vector<LaneUse> GroupEvaluator::lane_use(const Arrangement& arrangement) {
  const Frame& lanes = frame(arrangement.kernel_lanes);
  std::vector<double> busy(lanes.plan.lanes.size());
  run(arrangement, &busy);
  std::vector<LaneUse> uses;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const core::Lane& lane = lanes.plan.lanes[i];
    uses.push_back({lane.name, lane.kind, static_cast<std::uint32_t>(index(lane.device)), busy[i]});
  }
  return uses;
}

sim::fast::OrderDevice GroupEvaluator::order_device(std::uint32_t device) const {
  return TaskPrices(*machine_, device, scenario_->interference, tuning_.memory, tuning_.engines.at(device)).device();
}

const order::BoundTable& GroupEvaluator::bound_table(std::uint32_t device) const {
  auto& slot = bounds_[device];
  if (!slot) {
    auto described = order_device(device);
    if (device_count() > 1) described.host_rates = models::RateTable();
    slot = std::make_shared<const order::BoundTable>(described);
  }
  return *slot;
}

std::optional<order::Problem> GroupEvaluator::problem_on(std::uint32_t device) const {
  const bool one_by_task = tuning_.engines.at(device) == 1 && tuning_.submission == scenarios::Submission::by_task;
  if (one_by_task || scenario_->interference == core::InterferenceMode::full ||
      task_count() > sim::fast::OrderEngine::kMostTasks) {
    return std::nullopt;
  }
  order::Problem problem;
  problem.device = order_device(device);
  for (std::uint32_t task = 0; task < task_count(); ++task) {
    sim::fast::TaskCost cost;
    const std::array<sim::fast::StageCost*, 3> stages = {&cost.htod, &cost.kernel, &cost.dtoh};
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const StageSum& sum = priced(task, device).sums[s];
      if (sum.commands > 1) return std::nullopt;
      *stages[s] = {sum.commands == 1, sum.fixed, sum.work};
    }
    problem.tasks.push_back(cost);
  }
  return problem;
}

}  // namespace forelap::tune
