#pragma once
// How long a task group takes in an arrangement: what searches ask when a group does not fit the order engine. Equal to
// lowering the arrangement and simulating the plan, without pricing and building its steps anew each time.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "models/cost.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/submission.hpp"
#include "scenarios/tuning.hpp"
#include "sim/fast/plan_engine.hpp"
#include "tune/order/bound.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune {

/// What is chosen of a group.
struct Arrangement {
  std::vector<std::uint32_t> order;   ///< positions of tasks; all of them, or while it is built some
  std::vector<std::uint32_t> device;  ///< of each task, by position
  std::uint32_t kernel_lanes = 1;     ///< of each device
  bool operator==(const Arrangement&) const = default;
};

/// The tuning with what was chosen.
scenarios::TaskGroupTuning tuning_with(const scenarios::TaskGroupTuning& tuning, const Arrangement& arrangement);

enum class StageKind : std::uint8_t { htod, kernel, dtoh };

/// One command's cost on one device, and the sum of a stage's.
struct StageSum {
  std::uint32_t commands = 0;
  double fixed = 0;      ///< ticks
  double work = 0;       ///< ticks at solo rate
  double fill = 1;       ///< the largest of the commands
  double fill_work = 0;  ///< ticks at solo rate, each command's weighted with its fill
  [[nodiscard]] double alone() const { return fixed + work; }
};

/// How long a lane was at work, ticks.
struct LaneUse {
  std::string name;
  core::LaneKind kind = core::LaneKind::kernel;
  std::uint32_t device = 0;
  double busy = 0;
};

/// Not thread-safe, nor are copies of one used side by side.
class GroupEvaluator {
 public:
  /// `scenario` is referred to; `tuning` is sized. Throws core::Error (bad_input) where a task cannot run on the device
  /// that `tuning` gives it.
  GroupEvaluator(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                 const core::Machine& machine);
  /// The same group on a machine with the same devices and other parameters.
  [[nodiscard]] GroupEvaluator on(const core::Machine& machine) const;

  [[nodiscard]] std::size_t task_count() const { return tuning_.tasks.size(); }
  [[nodiscard]] std::uint32_t device_count() const { return tuning_.device_count; }
  [[nodiscard]] const scenarios::TaskGroupTuning& tuning() const { return tuning_; }
  [[nodiscard]] const std::vector<scenarios::TaskSpec>& specs() const;
  [[nodiscard]] const scenarios::Scenario& scenario() const { return *scenario_; }
  [[nodiscard]] std::uint64_t memory_limit() const;
  /// Whether the models of `device` price all that the task does.
  [[nodiscard]] bool can_run(std::uint32_t task, std::uint32_t device) const { return priced(task, device).possible; }
  [[nodiscard]] const StageSum& stage(std::uint32_t task, std::uint32_t device, StageKind kind) const {
    return priced(task, device).sums[static_cast<std::size_t>(kind)];
  }
  /// The first task that does the same as this one on every device, and that nothing tells apart in `after`: exchanging
  /// the two changes no time.
  [[nodiscard]] std::uint32_t like(std::uint32_t task) const { return like_[task]; }
  /// Ticks from the end of a step on one lane of the device to one on another.
  [[nodiscard]] double hop(std::uint32_t device) const { return hop_[device]; }
  [[nodiscard]] double run_overhead(std::uint32_t device) const { return overhead_[device]; }
  /// Summed fill of kernels that run at full rate together; infinite where nothing says so.
  [[nodiscard]] double kernel_capacity(std::uint32_t device) const { return capacity_[device]; }
  /// Whether transfers of different devices slow each other.
  [[nodiscard]] bool devices_interfere() const { return host_interferes_; }

  /// Ticks from the release to the end of all, run overhead included. Throws core::Error (bad_input) where the order
  /// breaks `after` or a task is larger than the memory limit.
  double evaluate(const Arrangement& arrangement);
  /// Likewise, with every step of `kind` taking `factor` of its time.
  double evaluate_scaled(const Arrangement& arrangement, StageKind kind, double factor);
  /// The lanes of the arrangement, and how long each was at work.
  std::vector<LaneUse> lane_use(const Arrangement& arrangement);
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

  /// The device as the order engine takes it, run overhead and the host's rates included.
  [[nodiscard]] sim::fast::OrderDevice order_device(std::uint32_t device) const;
  /// The bound on one device's states; where there are several, without the host's rates, of which what the others
  /// transfer decides. Made when first asked for.
  [[nodiscard]] const order::BoundTable& bound_table(std::uint32_t device) const;
  /// The tasks on `device` as the order engine takes them, all of them or nothing; a task that cannot run there is an
  /// empty one. Dependencies and the memory limit are not looked at.
  [[nodiscard]] std::optional<order::Problem> problem_on(std::uint32_t device) const;

 private:
  struct Priced {
    bool possible = false;
    std::array<std::vector<models::StepCost>, 3> steps;
    std::array<StageSum, 3> sums;
  };
  /// Lanes and rates for one number of kernel lanes.
  struct Frame {
    core::Plan plan;
    std::vector<std::array<std::uint32_t, 3>> first_lane;  ///< of each device: htod, kernel, dtoh
    std::optional<models::CostModel> cost;
  };
  class Observer;

  [[nodiscard]] const Priced& priced(std::uint32_t task, std::uint32_t device) const {
    return prices_[task * tuning_.device_count + device];
  }
  void make_lone_plans();
  void price(const core::Machine& machine);
  void find_alike();
  [[nodiscard]] bool alike(std::uint32_t a, std::uint32_t b) const;
  Frame& frame(std::uint32_t kernel_lanes);
  void build_steps(const Arrangement& arrangement, Frame& frame);
  void add_stage(std::uint32_t task, std::uint32_t device, StageKind kind, Frame& frame);
  double run(const Arrangement& arrangement, std::vector<double>* busy);

  const scenarios::Scenario* scenario_;
  scenarios::TaskGroupTuning tuning_;
  std::shared_ptr<const core::Machine> machine_;
  /// Of each task on each device: its steps alone.
  std::shared_ptr<const std::vector<core::Plan>> lone_;
  std::vector<Priced> prices_;
  std::vector<std::uint32_t> like_;
  std::vector<double> hop_, overhead_, capacity_;
  bool host_interferes_ = false;
  scenarios::SubmissionOrder submission_;
  std::map<std::uint32_t, std::shared_ptr<Frame>> frames_;
  mutable std::map<std::uint32_t, std::shared_ptr<const order::BoundTable>> bounds_;
  std::array<double, 3> scale_ = {1, 1, 1};
  std::uint64_t evaluations_ = 0;
  // Of the steps of the arrangement at work.
  std::vector<const models::StepCost*> costs_;
  std::vector<StageKind> kinds_;
  std::vector<core::StepId> last_;  ///< of each task
};

}  // namespace forelap::tune
