#pragma once
// The engine for orders of a task group on one device: what tuners ask millions of times a second. Tasks are pushed and
// popped; the answer equals simulate() on the lowered plan to one tick.
//
// It knows tasks of at most one htod, one kernel and one dtoh, one kernel lane, and the submission scheme of the
// engines. Not thread-safe; no allocation after construction.

#include <cstdint>
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
  double hop = 0;           ///< between lanes, ticks
  double submit = 0;        ///< ticks a step on its lane's submitting thread
  double run_overhead = 0;  ///< added to the makespan
  models::RateTable rates;
};

class OrderEngine {
 public:
  /// `tasks` are referred to by position; at most 64 of them.
  OrderEngine(OrderDevice device, std::vector<TaskCost> tasks);

  /// Appends task `i`; each task at most once at a time.
  void push(std::uint32_t i);
  /// Takes the last one back.
  void pop();
  [[nodiscard]] std::size_t size() const;
  /// Ticks from the release to the end of everything pushed, run overhead included; does not change the state.
  [[nodiscard]] double makespan();
  /// Empties it, pushes `order` and returns the makespan.
  double evaluate(std::span<const std::uint32_t> order);

 private:
  struct State;
  // The implementer chooses the members.
};

}  // namespace forelap::sim::fast
