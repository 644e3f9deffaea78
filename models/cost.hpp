#pragma once
// From a step of a plan to its cost on a machine: the one place where models and plans meet. Both simulators ask it, so
// they differ in how time advances and in nothing else.

#include <array>
#include <cstdint>
#include <vector>

#include "core/activity.hpp"
#include "core/machine.hpp"
#include "core/plan.hpp"
#include "models/interference.hpp"

namespace forelap::models {

inline constexpr std::uint32_t kNoDomain = UINT32_MAX;

/// Cost of one step, in picoseconds as doubles.
struct StepCost {
  double fixed = 0;  ///< runs first: latency, launch; neither slows nor is slowed
  double work = 0;   ///< at solo rate
  double fill = 1;   ///< fraction of the device that a kernel occupies, (0, 1]; 1 for other classes
  /// Launches in a row that make up the step, each with this fixed part and this work. Above 1 only for kernels of
  /// several launches on a device with several kernel lanes, where others may come between two of them; all else is
  /// priced as a whole.
  std::uint32_t launches = 1;

  /// All launches as one, as where nothing can come between them.
  [[nodiscard]] StepCost folded() const {
    StepCost all = *this;
    all.fixed *= launches;
    all.work *= launches;
    all.launches = 1;
    return all;
  }
  core::ActivityClass activity = core::ActivityClass::host_work;
  /// Where the work part contends; in two domains the smaller rate holds. kNoDomain where not. A kernel contends on its
  /// device, the first, and where it works in the host's memory in the second, its rank's host.
  std::array<std::uint32_t, 2> domains = {kNoDomain, kNoDomain};
};

/// Costs of the steps of one plan on one machine. Domains: one a device, then one a rank's host, then the network.
/// In InterferenceMode::none the domains' tables hold capacities only, so engines ask them as in the other modes.
/// Copies what it needs: neither argument must outlive it. Thread-safe once built.
class CostModel {
 public:
  /// Throws core::Error (bad_input) where the machine lacks a model that a step without given duration needs: it names
  /// the step's kind, the device or kernel, and how to get the model. Plan::device_count devices of the plan are
  /// machine.devices[0..n); host work and messages take their models from the machine's host and network.
  CostModel(const core::Machine& machine, const core::Plan& plan, InterferenceMode mode);

  [[nodiscard]] StepCost cost(const core::Step& step) const;
  /// Likewise, with the launches of a kernel apart whatever lanes there are.
  [[nodiscard]] StepCost cost_by_launch(const core::Step& step) const;
  /// Ticks from the end of a step to the start of one on another lane that depends on it, by the waiting step's lane.
  [[nodiscard]] double hop(core::LaneId waiting) const { return lanes_[index(waiting)].hop; }
  /// Ticks that the submitting thread of `lane` needs a step: the k-th step (from 0) of a lane starts no earlier than
  /// k times this after it was handed over.
  [[nodiscard]] double submit(core::LaneId lane) const { return lanes_[index(lane)].submit; }
  /// Ticks that the makespan holds beside the steps: the largest run overhead of the devices with a step.
  [[nodiscard]] double run_overhead() const { return run_overhead_; }

  [[nodiscard]] std::size_t domain_count() const { return domains_.size(); }
  /// The first so many domains are devices, where kernels are served in the order of their start.
  [[nodiscard]] std::size_t device_domains() const { return device_domains_; }
  [[nodiscard]] const RateTable& domain(std::size_t i) const { return domains_[i]; }
  [[nodiscard]] InterferenceMode mode() const { return mode_; }
  /// Steps whose size lies outside the range its model was fitted on (0 = prediction within the fitted range).
  [[nodiscard]] std::size_t extrapolated_steps() const { return extrapolated_; }

 private:
  struct LaneCost {
    double hop = 0;
    double submit = 0;
    std::uint32_t host_domain = kNoDomain;
    bool launches_apart = false;  ///< a kernel lane beside others of its device
  };
  struct Piece {
    double from = 0, to = 0;                       // of bytes (copies) or work-items (kernels)
    double fixed = 0, slope = 0, slope_items = 0;  // ticks, ticks per unit
    double least = 0, most = 0;                    // fitted range of the amount
  };
  struct PieceList {
    std::vector<Piece> pieces;  ///< empty: no model
    double fill = 1;
    double full_items = 0;
  };
  [[nodiscard]] const PieceList& pieces_of(const core::Step& step) const;
  static double size_of(const core::Step& step);
  static const Piece& piece_at(const PieceList& list, double size);
  [[nodiscard]] std::size_t copy_index(const core::Step& step) const {
    return index(step.device) * 4 + static_cast<std::size_t>(step.direction) * 2 +
           static_cast<std::size_t>(step.memory);
  }
  void build_domains(const core::Machine& machine, const core::Plan& plan);
  void build_lanes(const core::Machine& machine, const core::Plan& plan);
  void build_pieces(const core::Machine& machine, const core::Plan& plan);
  /// Throws for the first step without a model; counts steps outside the fitted ranges.
  void check_steps(const core::Machine& machine, const core::Plan& plan);

  InterferenceMode mode_;
  std::vector<LaneCost> lanes_;
  std::vector<RateTable> domains_;
  std::vector<PieceList> copies_;   // [device][direction][memory]
  std::vector<PieceList> kernels_;  // [device][kernel of the plan]
  std::vector<PieceList> works_;    // by HostWorkId
  PieceList send_, receive_;
  std::vector<core::KernelId> kernel_of_call_;
  std::vector<bool> in_place_;  ///< of each device: its kernels work in the host's memory
  std::size_t device_domains_ = 0;
  std::size_t kernel_count_ = 0;
  double run_overhead_ = 0;
  std::uint32_t network_domain_ = kNoDomain;
  std::size_t extrapolated_ = 0;
};

}  // namespace forelap::models
