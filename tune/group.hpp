#pragma once
// Choosing the order of a task group, the device of each task and the number of kernel lanes, and what the choice is
// worth.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/stop_token.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"
#include "tune/group_evaluator.hpp"
#include "tune/order/search.hpp"

namespace forelap::tune {

struct GroupOptions {
  order::Method method = order::Method::automatic;
  double seconds = 1;  ///< of wall-clock time for the search, >= 0; what the choice is worth gets three quarters of it
  double gap = 0;      ///< relative: the search ends when it has proved that no choice is so much faster
  std::uint64_t seed = 1;     ///< of iterated greedy, samples and drawn machines
  std::uint64_t rounds = 0;   ///< where not 0, most rounds of iterated greedy or nodes of branch and bound
  bool free_devices = true;   ///< whether tasks may go to other devices than the scenario says
  bool figures = true;        ///< whether worst, mean, other methods and ties are looked for
  std::uint32_t draws = 100;  ///< of machines, for ties
  core::StopToken stop;       ///< ends the search, and what follows it, as the time limit does
};

/// An arrangement with its predicted time in ticks.
struct Timed {
  Arrangement arrangement;
  double time = 0;
};

/// An order that the model cannot tell from the chosen one: over machines drawn from the spreads of the parameters, the
/// same ones for both, it is the faster one in more than 5 % of the cases.
struct Tie {
  Timed timed;
  double behind_low = 0, behind_high = 0;  ///< 90 % interval of how much longer it takes, relative
};

/// What 10 % faster steps of one kind would do.
struct StageGain {
  StageKind kind = StageKind::htod;
  double gain = 0;  ///< relative: by so much the time falls
};

struct GroupChoice {
  Timed chosen;
  double lower_bound = 0;  ///< ticks; no allowed arrangement is faster
  bool proven = false;     ///< lower_bound is within the wished gap of the time
  bool out_of_time = false;
  std::string how;  ///< what was searched: "branch and bound", "every arrangement", "iterated greedy", ...
  std::uint64_t evaluations = 0;
  double search_seconds = 0;  ///< wall clock of the search alone

  Timed given;  ///< as the scenario writes it
  // Orders of other methods, on the chosen devices and kernel lanes; nothing where a method does not take the group.
  std::optional<Timed> heuristic, neh, johnson;
  // Over orders on the chosen devices and kernel lanes.
  std::optional<Timed> worst;
  std::optional<double> mean;  ///< ticks
  std::uint64_t orders = 0;    ///< that mean and worst were taken over
  bool all_orders = false;     ///< those are all there are; else random ones, and the worst was searched for from them
  /// Time ran out before as many orders were looked at, or compared on as many machines, as would have been.
  bool figures_cut_short = false;

  std::vector<LaneUse> lanes;    ///< of the chosen arrangement
  std::vector<StageGain> gains;  ///< of the kinds of steps that there are, largest first
  std::vector<Tie> ties;         ///< by time, at most kMostTies
  std::uint64_t tie_count = 0;   ///< among the orders compared
  std::uint64_t compared = 0;    ///< orders that were compared with the chosen one

  static constexpr std::size_t kMostTies = 10;
};

/// (time - lower bound) / lower bound; 0 for a group that takes no time.
double gap_of(const GroupChoice& choice);
/// Share of the gain that was possible, (S - 1) / (S_best - 1) with the speed-ups S = worst / time and
/// S_best = worst / lower bound (ordering paper, section 5). Nothing where no order gains, because the worst is as good
/// as the bound, and for arrangements on other devices or lanes than the worst was taken over.
std::optional<double> share_of_gain(const GroupChoice& choice, const Timed& timed);

/// Tunes one case. `tuning` is its sized tuning (size_case) in the given order, and `machine` the one that predicts,
/// both for the scenario's devices. Kernel lanes are free where the scenario leaves them so (`kernel_lanes: auto`) or a
/// kernel fills less than its device; tried are 1, 2, 4, ... up to the number of tasks. Throws core::Error (bad_input):
/// a task larger than the memory limit, dependencies in a circle, a method that does not take a group of this size, a
/// kernel or transfer without a model.
GroupChoice tune_group(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                       const core::Machine& machine, const GroupOptions& options);

}  // namespace forelap::tune
