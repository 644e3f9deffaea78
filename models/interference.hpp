#pragma once
// How fast a step's work part progresses while others are active in the same contention domain.
//
// A domain (a device, the host's memory and cores, the network) has a table: for each set of active classes, each
// class's rate as a fraction of its solo rate, measured direction by direction. Work parts only: a step's fixed part
// (latency, launch) neither slows nor is slowed. Source: partial overlap of opposite transfers as in the ordering paper
// (section 0.4), extended to any set of classes and re-estimated at every start and finish.
//
// Pure functions and values; thread-safe once built.

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/activity.hpp"
#include "core/machine.hpp"

namespace forelap::models {

using core::InterferenceMode;

/// What is active in one domain: how many work parts of each class, and the summed fill of the kernels among them.
struct ActiveCounts {
  std::array<std::uint32_t, core::kActivityClasses> count{};
  double kernel_fill = 0;

  void add(core::ActivityClass c, double fill) {
    ++count[static_cast<std::size_t>(c)];
    if (c == core::ActivityClass::kernel) kernel_fill += fill;
  }
  void remove(core::ActivityClass c, double fill) {
    auto& n = count[static_cast<std::size_t>(c)];
    --n;
    // Back to an exact zero, so that sums do not drift over long runs.
    if (c == core::ActivityClass::kernel) kernel_fill = n == 0 ? 0 : kernel_fill - fill;
  }
  [[nodiscard]] core::ActivitySet set() const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < core::kActivityClasses; ++i) bits |= (count[i] != 0 ? 1U : 0U) << i;
    return static_cast<core::ActivitySet>(bits);
  }
};

/// Rates of one domain. A rate is in (0, 1].
class RateTable {
 public:
  /// Every class at its solo rate, whatever else is active; unlimited capacity.
  RateTable();
  /// From measured rows. A set without a row takes, for each class, the smallest rate that the class has in any row
  /// whose classes are all in the set (1 where there is none). Rates above 1 are clamped to 1.
  explicit RateTable(std::span<const core::InterferenceRow> rows);

  /// At most `capacity` units of class `c` progress at full rate together (copies: transfers of one direction; kernels:
  /// summed fill; host work: cores); above it they share evenly.
  void set_capacity(core::ActivityClass c, double capacity) { capacity_[static_cast<std::size_t>(c)] = capacity; }

  /// The rate of each active step of class `c`, which is among `active`.
  [[nodiscard]] double rate(core::ActivityClass c, const ActiveCounts& active) const {
    const auto i = static_cast<std::size_t>(c);
    const double solo = rate_[active.set()][i];
    const double demand = c == core::ActivityClass::kernel ? active.kernel_fill : active.count[i];
    return demand > capacity_[i] ? solo * (capacity_[i] / demand) : solo;
  }
  /// The measured part alone: rate of `c` while exactly the classes of `set` are active.
  [[nodiscard]] double rate_in_set(core::ActivityClass c, core::ActivitySet set) const {
    return rate_[set][static_cast<std::size_t>(c)];
  }
  [[nodiscard]] double capacity(core::ActivityClass c) const { return capacity_[static_cast<std::size_t>(c)]; }
  /// True where no set slows anything and nothing has a capacity: the domain can be left out.
  [[nodiscard]] bool is_trivial() const;

 private:
  std::array<std::array<double, core::kActivityClasses>, core::kActivitySets> rate_{};
  std::array<double, core::kActivityClasses> capacity_{};
};

}  // namespace forelap::models
