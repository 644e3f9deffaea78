#pragma once
// The event engine behind simulate() and the sessions of sim/fast. Semantics: sim/fast/executor.hpp.
//
// At most one step of a lane is under way, so what the engine keeps for steps under way it keeps per lane, and its heap
// of next events has one entry a lane, keyed by (time, step). A step waiting costs 24 bytes and 8 a dependency. All
// events of one instant are taken before rates are estimated anew, so that steps which only touch in time never meet.
// A step that sets an advance ends because it is taken from the heap; no time is ever compared within a tolerance. A
// kernel that stands still behind earlier ones has no next event: the end of one of them gives it one.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/plan.hpp"
#include "models/cost.hpp"

namespace forelap::sim::fast {

/// What the engine asks and tells while it runs. Steps are numbered as in the plan (first_id + position).
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  /// The cost of a step; asked once, when it is known when the step begins.
  virtual models::StepCost price(std::uint32_t step) = 0;
  /// Times in picoseconds.
  virtual void finished(std::uint32_t step, std::uint32_t lane, double begin, double end) = 0;
};

/// Not thread-safe. Steps may be appended at any time.
class PlanEngine {
 public:
  /// Takes hops, submission times, domains and mode from `model`, which must outlive the engine. Steps are numbered
  /// from `first_id`; dependencies on earlier ones count as fulfilled.
  PlanEngine(const models::CostModel& model, std::size_t lanes, std::uint32_t first_id);

  /// Makes room for this many steps and dependencies in all.
  void reserve(std::size_t steps, std::size_t dependencies);
  /// Hands the steps of `plan` to their lanes at the current time; `plan` is not kept. Its first_id must be the number
  /// that the next step gets.
  void append(const core::Plan& plan, StepObserver& observer);
  /// Goes to the next instant at which anything happens; false where nothing is left to happen.
  bool advance(StepObserver& observer);

  /// Picoseconds.
  [[nodiscard]] double now() const { return now_; }
  /// When the next thing happens; infinity where nothing is left.
  [[nodiscard]] double next_time() const { return heap_.empty() ? kNever : heap_.front().time; }
  [[nodiscard]] std::size_t unfinished() const { return unfinished_; }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static constexpr double kFullRate = 1;
  static constexpr double kNoRate = -1;  ///< not estimated yet

  struct StepState {
    double ready = 0;               ///< latest end of a dependency plus hop; once finished, the step's own end
    std::uint32_t waiting_for = 0;  ///< dependencies that are not finished; kNone once the step itself is
    std::uint32_t first_edge = kNone;
    std::uint32_t next_on_lane = kNone;
    std::uint32_t lane = 0;
  };
  /// One dependency, in the list of those that wait for the same step.
  struct Edge {
    std::uint32_t waiting = 0;
    std::uint32_t next = kNone;
  };
  enum class Phase : std::uint8_t { idle, before_work, work, last };

  struct Lane {
    Phase phase = Phase::idle;
    core::ActivityClass activity{};
    std::uint32_t head = kNone;  ///< the step under way or next to begin
    std::uint32_t tail = kNone;
    std::uint32_t position = 0;        ///< of the head, counted over all steps of the lane
    std::uint32_t appended = 0;        ///< steps handed to the lane so far
    std::uint32_t submitted_from = 0;  ///< position of the first step of the submission thread's current busy time
    double submit_start = 0;           ///< when that busy time began
    double submit = 0;
    double hop = 0;
    double begin = 0;
    double fixed = 0;                 ///< of one launch
    std::uint32_t launches_left = 1;  ///< of the head, the one under way among them
    double work = 0;                  ///< of one launch
    double work_begin = 0;
    double remaining = 0;   ///< at solo rate, as of `updated`
    double rate = kNoRate;  ///< since `updated`; 0: stands still. Mode full: the smallest one met, before the share
    double updated = 0;
    double fill = 1;
    double share = 1;   ///< part of its rate that earlier kernels leave to a kernel; 1 outside a queue
    double served = 0;  ///< in mode full: time served up to `updated`, in full shares
    std::array<std::uint32_t, 2> domains = {models::kNoDomain, models::kNoDomain};
    std::array<std::uint32_t, 2> member = {0, 0};  ///< place in the member lists of the domains
    std::array<const double*, 2> domain_rates = {&kFullRate, &kFullRate};
  };
  static constexpr std::size_t kClasses = core::kActivityClasses;

  struct Domain {
    const models::RateTable* table = nullptr;  ///< null: slows nothing
    models::ActiveCounts active;
    std::vector<std::uint32_t> members;  ///< lanes at work in it
    /// Lanes at work with kernels, in the order of their start, ties by step. Empty as long as there is one: until a
    /// second meets it, a kernel has all of the device.
    std::vector<std::uint32_t> queue;
    std::uint32_t classes = 0;             ///< number of classes among them
    unsigned set = 0;                      ///< those classes, as bits
    unsigned set_before = 0;               ///< as of the last instant
    std::array<double, kClasses> rates{};  ///< of the classes in set_before
    unsigned differ = 0;   ///< classes active before and after this instant whose rate it has changed, as bits
    bool one_fits = true;  ///< one step of each class never exceeds a capacity
    bool in_order = true;  ///< kernels are served in the order of their start: a device
    bool crowded = false;  ///< a capacity that is shared evenly is exceeded
    bool changed = false;
  };
  struct Event {
    double time = kNever;
    std::uint32_t step = kNone;
    std::uint32_t lane = 0;
    [[nodiscard]] bool before(const Event& other) const {
      return time < other.time || (time == other.time && step < other.step);
    }
  };

  void add_step(const core::Plan& plan, const core::Step& step, std::uint32_t id);
  void begin_step(std::uint32_t lane, StepObserver& observer);
  void begin_work(std::uint32_t lane);
  void end_work(Lane& lane);
  void begin_next_launch(std::uint32_t lane);
  void finish_step(std::uint32_t lane, StepObserver& observer);
  void release(std::uint32_t step, StepObserver& observer);
  void enter(std::uint32_t lane_id, std::size_t side);
  void leave(Lane& lane, std::size_t side);
  void mark(std::uint32_t domain);
  [[nodiscard]] bool hides_event_at(double time) const;
  void estimate_changed();
  static void update_rates(Domain& domain);
  static bool is_crowded(const Domain& domain);
  void update_shares(Domain& domain);
  void enter_queue(std::uint32_t lane_id, Domain& domain);
  void leave_queue(Lane& lane, Domain& domain);
  void estimate(std::uint32_t lane);
  void estimate_whole(std::uint32_t lane);
  void set_event(std::uint32_t lane, double time, std::uint32_t step);
  void sift_up(std::size_t place, Event event);
  void sift_down(std::size_t place, Event event);
  void put(std::size_t place, const Event& event);

  std::uint32_t first_id_;
  bool whole_length_;
  double now_ = 0;
  std::size_t unfinished_ = 0;
  std::vector<StepState> steps_;
  std::vector<Edge> edges_;
  std::vector<Lane> lanes_;
  std::vector<Domain> domains_;
  std::vector<Event> heap_;
  std::vector<std::uint32_t> place_;  ///< of each lane in the heap
  std::vector<std::uint32_t> changed_domains_;
  std::vector<std::uint32_t> fresh_lanes_;  ///< whose work began at this instant
};

}  // namespace forelap::sim::fast
