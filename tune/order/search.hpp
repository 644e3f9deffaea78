#pragma once
// Finding a good or the best order of one group on one device, by name of the method.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/stop_token.hpp"
#include "tune/order/bound.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune::order {

enum class Method : std::uint8_t {
  automatic,         ///< branch and bound up to kExactTasks tasks, iterated greedy beyond, best bound either way
  heuristic,         ///< the paper's batch reordering (constructive.hpp)
  johnson,           ///< Johnson's rule on the two machines that carry most (constructive.hpp)
  neh,               ///< insertion by decreasing total time (constructive.hpp)
  branch_and_bound,  ///< exact, or with the gap that is left
  iterated_greedy,
  exhaustive,  ///< every order; at most 10 tasks
};

/// "auto", "heuristic", "johnson", "neh", "branch-and-bound", "iterated-greedy", "exhaustive".
std::string method_name(Method method);
std::optional<Method> method_of(const std::string& name);

struct Limits {
  double seconds = 1;       ///< of wall-clock time, >= 0; the search ends within a millisecond of it
  double gap = 0;           ///< relative; a search ends when it has proved that its order is within it of the best
  std::uint64_t seed = 1;   ///< of iterated greedy
  core::StopToken stop;     ///< ends the search as a time limit does
  std::uint64_t nodes = 0;  ///< most nodes of branch and bound or rounds of iterated greedy, 0 = no limit
};

struct Outcome {
  Order order;                        ///< empty for a group of none
  double makespan = 0;                ///< ticks, by the order engine
  double lower_bound = 0;             ///< ticks; no order is faster. Equal to `makespan` where it is the best
  bool proven = false;                ///< lower_bound is within `Limits::gap` of makespan
  bool out_of_time = false;           ///< ended by the time limit, the node limit or the stop token
  Method method = Method::automatic;  ///< that found the order
  std::uint64_t evaluations = 0;      ///< makespans or nodes asked of the engine
};

/// Searches for the fastest order. `bounds` belongs to the device's rates (make it once, it is reused for any number of
/// groups). Throws std::invalid_argument for a group the engine does not take. Deterministic but for time limits.
Outcome find_order(const Problem& problem, const BoundTable& bounds, Method method, const Limits& limits);

/// (makespan - lower bound) / lower bound, 0 for an empty group.
double gap_of(const Outcome& outcome);

}  // namespace forelap::tune::order
