#pragma once
// What a policy has submitted and what it knows of how far that is.

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/policy.hpp"
#include "sim/fast/order_engine.hpp"

namespace forelap::tune {

/// A task that waits or runs, with its costs where the models know them.
struct KnownTask {
  core::TaskKey key = 0;
  std::optional<sim::fast::TaskCost> cost;
};

/// The groups with a task that has not ended, and those submitted after them. Not thread-safe.
class RunningGroups {
 public:
  void submitted(const std::vector<KnownTask>& group, core::Tick now);
  /// Keys that are not running are ignored.
  void transferred(core::TaskKey task, core::Tick now);
  void finished(core::TaskKey task, core::Tick now);

  /// Whether a transfer to the device of the last group is still to end.
  [[nodiscard]] bool transferring() const { return !in_transfer_.empty(); }
  /// The last `most` tasks that the device had to do since the first one that still runs began, in their order, with
  /// the pauses between groups as tasks; with `now`, the pause up to it too. Empty where nothing runs.
  [[nodiscard]] std::vector<sim::fast::TaskCost> ahead(std::size_t most, std::optional<core::Tick> now) const;

 private:
  struct Group {
    std::uint64_t number = 0;
    double pause = 0;  ///< ticks between the last transfer of the group before it and its submission
    std::vector<sim::fast::TaskCost> costs;
    std::size_t unfinished = 0;
  };
  std::deque<Group> groups_;
  std::map<core::TaskKey, std::uint64_t> group_of_;  ///< of the tasks that have not ended
  std::set<core::TaskKey> in_transfer_;
  core::Tick last_transfer_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace forelap::tune
