#pragma once
// How fast a step's work part progresses while others are active in the same contention domain.
//
// A domain (a device, the host's memory and cores, the network) has a table: for each set of active classes, each
// class's rate as a fraction of its solo rate, measured direction by direction. Work parts only: a step's fixed part
// (latency, launch) neither slows nor is slowed. Source: partial overlap of opposite transfers as in the ordering paper
// (section 0.4), extended to any set of classes and re-estimated at every start and finish.
//
// Where more is active than a domain has room for, host work (cores) and transfers of one direction share evenly.
// Kernels do not: a device places the blocks of kernels in the order in which they started, and a later kernel gets
// what the earlier ones leave. Of the kernels active on a device, in the order in which their work parts began (those
// that began at the same instant by step id), with fills f1, f2, ... and capacity C,
//
//     rate of kernel i = rate of its class in the active set * clamp((C - (f1 + ... + f(i-1))) / fi, 0, 1)
//
// so that of two kernels which each fill the device the second stands still until the first has ended, and then begins
// at once, its launch being over; two that fill a half each run side by side at full rate. A kernel that stands still
// counts as active in the set, which changes nothing: the earlier ones are kernels too. Since earlier kernels only ever
// end, the share of a kernel never falls, and that of the first is above 0. In InterferenceMode::full, where a step is
// slowed over its whole length by the smallest rate it met, that is the smallest measured rate; a share counts only
// while it holds.
//
// The launches of a kernel that has several queue up one by one: each begins its work anew when the one before it has
// ended and its own fixed part is over, behind kernels of other lanes that began to wait meanwhile
// (StepCost::launches). With one kernel lane nothing comes between them.
//
// A kernel of a group of CPU cores that works in the host's memory contends there too: its class in the host's domain
// stands for such kernels alone, and where several of them exceed the domain's capacity they share it evenly.
//
// Pure functions and values; thread-safe once built.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/activity.hpp"
#include "core/machine.hpp"

namespace forelap::models {

using core::InterferenceMode;

/// What is active in one domain: how many work parts of each class.
struct ActiveCounts {
  std::array<std::uint32_t, core::kActivityClasses> count{};

  void add(core::ActivityClass c) { ++count[static_cast<std::size_t>(c)]; }
  void remove(core::ActivityClass c) { --count[static_cast<std::size_t>(c)]; }
  [[nodiscard]] core::ActivitySet set() const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < core::kActivityClasses; ++i) bits |= (count[i] != 0 ? 1U : 0U) << i;
    return static_cast<core::ActivitySet>(bits);
  }
};

/// Rates of one domain.
class RateTable {
 public:
  /// Every class at its solo rate, whatever else is active; unlimited capacity.
  RateTable();
  /// From measured rows. A set without a row takes, for each class, the smallest rate that the class has in any row
  /// whose classes are all in the set (1 where there is none). Rates above 1 are clamped to 1.
  explicit RateTable(std::span<const core::InterferenceRow> rows);

  /// At most `capacity` (above 0) units of class `c` progress at full rate together (copies: transfers of one
  /// direction; kernels: summed fill; host work: cores). Above it kernels go in the order of their start, others share
  /// evenly.
  void set_capacity(core::ActivityClass c, double capacity) { capacity_[static_cast<std::size_t>(c)] = capacity; }

  /// The rate of each active step of class `c`, which is among `active`; in (0, 1]. Of a kernel: before its share.
  [[nodiscard]] double rate(core::ActivityClass c, const ActiveCounts& active) const {
    const auto i = static_cast<std::size_t>(c);
    const double solo = rate_[active.set()][i];
    const double demand = active.count[i];
    if (c == core::ActivityClass::kernel || demand <= capacity_[i]) return solo;
    return solo * (capacity_[i] / demand);
  }
  /// As rate, but kernels share a capacity evenly like all others: those of groups of CPU cores, on the host.
  [[nodiscard]] double rate_shared(core::ActivityClass c, const ActiveCounts& active) const {
    const auto i = static_cast<std::size_t>(c);
    const double solo = rate_[active.set()][i];
    const double demand = active.count[i];
    return demand <= capacity_[i] ? solo : solo * (capacity_[i] / demand);
  }
  /// The part of its rate, in [0, 1], at which a kernel of this fill progresses while the kernels that started before
  /// it and still run have `earlier_fill` in all. Sum the fills in the order of the starts, so that all get the same
  /// sum.
  [[nodiscard]] double kernel_share(double earlier_fill, double fill) const {
    const double left = capacity_[static_cast<std::size_t>(core::ActivityClass::kernel)] - earlier_fill;
    return left >= fill ? 1 : std::max(0.0, left / fill);
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
