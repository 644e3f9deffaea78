#pragma once
// The engine for orders of a task group on one device: what tuners ask millions of times a second. Tasks are pushed and
// popped; the answer equals simulate() on the lowered plan to one tick.
//
// It knows tasks of at most one htod, one kernel and one dtoh, one kernel lane, and the submission scheme of the
// engines. Not thread-safe; no allocation after construction.
//
// Why pushing and popping is cheap: when the last pushed htod ends, whatever is pushed later can change nothing before
// that instant. So push() goes on to there and keeps the small state of that instant, and makespan() goes on from it to
// the end without keeping anything. Where a task has no htod this does not hold (its kernel may begin at once), and
// makespan() starts from the release. Where kernels neither slow nor are slowed, their ends follow from one addition
// each, and only the two directions of transfer are stepped through.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/interference.hpp"

namespace forelap::sim::fast {

/// Costs of one task's stages in picoseconds; a stage with `present` false is left out.
struct StageCost {
  bool present = false;
  double fixed = 0;
  double work = 0;
};
struct TaskCost {
  StageCost htod, kernel, dtoh;
};

/// What the engine needs of the device.
struct OrderDevice {
  bool two_engines = true;
  double hop = 0;                  ///< between lanes, ticks
  double submit = 0;               ///< ticks a step on its lane's submitting thread
  double run_overhead = 0;         ///< added to the makespan
  models::RateTable rates{};       ///< of the device's domain
  models::RateTable host_rates{};  ///< of the host's domain, where transfers may slow each other too; the smaller holds
};

/// Rates of the lanes htod, kernel, dtoh for each set of them at work (bit 0 htod, bit 1 kernel, bit 2 dtoh): the
/// smaller of the device's and the host's; 1 for lanes that are not in the set.
using LaneRates = std::array<std::array<double, 3>, 8>;
LaneRates lane_rates(const OrderDevice& device);

/// What is under way where the last pushed htod ends, for searches that bound what may follow. Ticks.
struct Frontier {
  double time = 0;                ///< from the release to the end of the last htod
  std::array<double, 3> work{};   ///< of kernels and dtohs pushed that are left (position 0 is unused)
  std::array<double, 3> fixed{};  ///< their fixed parts
  double head = 0;                ///< no dtoh pushed is at work for at least so long; infinity where none is left
  double kernels_end = 0;         ///< no kernel pushed later starts before
  double dtohs_end = 0;           ///< no dtoh pushed later starts before
};

class OrderEngine {
 public:
  static constexpr std::size_t kMostTasks = 64;

  /// `tasks` are referred to by position; at most 64 of them (else std::invalid_argument).
  OrderEngine(const OrderDevice& device, const std::vector<TaskCost>& tasks);

  /// Appends task `i` < tasks; each task at most once at a time.
  void push(std::uint32_t i);
  /// Takes the last one back; there must be one.
  void pop() { --size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Ticks from the release to the end of everything pushed, run overhead included; does not change the state.
  [[nodiscard]] double makespan();
  /// False where a task has no htod: there is no frontier then.
  [[nodiscard]] bool has_frontier() const { return all_have_htod_; }
  /// Of the tasks pushed; has_frontier() must hold. Dtohs wait for the last htod where there is one engine: their
  /// `head` counts from there only where no htod follows.
  [[nodiscard]] Frontier frontier() const;
  /// Empties it, pushes `order` and returns the makespan.
  double evaluate(std::span<const std::uint32_t> order);

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  enum LaneBit : unsigned { kHtod = 1, kKernel = 2, kDtoh = 4 };
  enum LaneIndex : std::size_t { kH = 0, kK = 1, kD = 2 };

  /// A stage as the inner loops want it.
  struct Stage {
    double fixed = 0;
    double work = 0;
    double alone = 0;  ///< fixed + work
  };
  struct Task {
    std::array<Stage, 3> stage;
    std::array<bool, 3> present{};
    double kernel_hop = 0;  ///< from the end of the task's htod to its kernel
    double dtoh_hop = 0;    ///< from the end of the stage before it to the dtoh
  };
  /// For one set of lanes at work: each lane's rate (1 where it is not in the set) and its inverse.
  struct RateRow {
    std::array<double, 3> rate;
    std::array<double, 3> inverse;
  };
  /// What is under way at an instant, `time`. Heads are places of steps in the lists of their lanes.
  struct State {
    double time = 0;
    double kernel_free = 0;  ///< transfers only: end of the last kernel pushed
    double dtoh_free = 0;    ///< transfers only: end of the last dtoh that has ended
    std::array<double, 3> remaining = {kNever, kNever, kNever};  ///< of each lane's phase; infinity: idle
    unsigned working = 0;                                        ///< lanes in their work part
    std::uint32_t htods = 0, kernels = 0, dtohs = 0;             ///< steps handed to each lane
    std::uint32_t kernel_head = 0, dtoh_head = 0;                ///< first step that has not ended
    bool dtohs_open = true;                                      ///< false: one engine, and htods are still to come
  };
  /// A step in the list of its lane, in order of submission.
  struct Queued {
    const Task* task = nullptr;
    double ready = 0;           ///< infinity until the stage before it has ended
    std::uint32_t partner = 0;  ///< of a kernel: place of its dtoh; of a dtoh: how many kernels must have ended
  };

  void frontier_kernels(const State& s, Frontier& f) const;
  void frontier_dtohs(const State& s, Frontier& f) const;
  bool frontier_running_dtoh(const State& s, Frontier& f) const;
  double earliest_ready(const State& s, std::uint32_t i, std::uint32_t& kernel, double& kernels) const;

  // Transfers only (order_engine.cpp).
  void push_transfers(State& s, const Task& task);
  void run_dtohs_until(State& s, double until) const;
  void overlap_htod(State& s, double work) const;
  [[nodiscard]] double dtoh_work_begin(const State& s) const;
  [[nodiscard]] double finish_transfers(const State& s) const;

  // All three lanes (order_engine_coupled.cpp).
  void enqueue(State& s, const Task& task);
  void run_htod(State& s, const Task& task, std::uint32_t kernel, std::uint32_t dtoh);
  void start_kernel(State& s);
  void start_dtoh(State& s);
  void end_kernel(State& s);
  void settle(State& s, unsigned fired);
  unsigned next_event(State& s) const;
  void begin_phase(State& s, LaneIndex lane, double begin, const Stage& stage) const;
  [[nodiscard]] double finish_coupled(State s);
  [[nodiscard]] double simulate_all();

  bool two_engines_;
  double hop_;
  double submit_;
  double run_overhead_;
  bool all_have_htod_ = true;
  bool coupled_ = false;  ///< kernels slow or are slowed
  std::array<RateRow, 8> rows_{};
  std::vector<Task> tasks_;
  std::size_t size_ = 0;
  std::array<State, kMostTasks + 1> states_{};
  std::array<std::uint32_t, kMostTasks> order_{};
  std::array<Queued, kMostTasks> kernel_queue_{};
  std::array<Queued, kMostTasks> dtoh_queue_{};
};

}  // namespace forelap::sim::fast
