#pragma once
// Plans of open work: the frame that a session is opened with, and the fragments that are submitted to it.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::run {

/// A fragment and what its steps are of the tasks in it.
struct GroupFragment {
  core::Plan plan;
  struct StepOf {
    std::uint32_t place = 0;  ///< of the task in the group
    bool last_htod = false;   ///< of the task
    bool last = false;        ///< of the task
  };
  std::vector<StepOf> steps;  ///< by place in the fragment
};

/// Writes groups of copies of one case's tasks as scenarios::lower writes a group, on lanes that stay. Each copy works
/// on a buffer of its own as long as there are any (kMostMemory in all); where there are none left, it waits for the
/// task that had its buffer before, but not within a group that is submitted by type: there the wait would never end,
/// and the two share it. Not thread-safe; one for each session.
class OnlinePlans {
 public:
  static constexpr std::uint64_t kMostMemory = std::uint64_t{2} << 30U;

  /// `positions` are the case's tasks that will come, one entry for each copy.
  OnlinePlans(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
              std::span<const std::uint32_t> positions);

  /// Lanes, buffers and kernels of the session; no steps.
  [[nodiscard]] const core::Plan& frame() const { return frame_; }
  /// The case's task that a buffer of the frame is for.
  [[nodiscard]] std::uint32_t position_of(core::BufferId buffer) const { return owners_.at(index(buffer)); }
  [[nodiscard]] std::uint32_t submitted_steps() const { return submitted_; }

  /// Copies of the case's tasks at `positions`, in this order; counts as submitted.
  GroupFragment group(std::span<const std::uint32_t> positions);
  /// A step that takes `duration` on a lane that slows nothing; counts as submitted.
  core::Plan timer(core::Tick duration);
  /// Whether the task has a transfer to the device, or anything to do at all.
  [[nodiscard]] bool has_htod(std::uint32_t position) const { return counts_[position][0] != 0; }
  [[nodiscard]] bool has_steps(std::uint32_t position) const {
    return counts_[position][0] + counts_[position][1] + counts_[position][2] != 0;
  }

 private:
  using StageCounts = std::array<std::uint32_t, 3>;  ///< steps of htod, kernel, dtoh

  core::Plan lower(std::span<const std::uint32_t> positions);
  void count_steps();
  void add_buffers(std::span<const std::uint32_t> positions);
  [[nodiscard]] std::vector<GroupFragment::StepOf> steps_of(std::span<const std::uint32_t> positions) const;
  struct Taken {
    core::BufferId buffer{};
    core::StepId before{};  ///< last step of the task that had it before, or none
  };
  std::vector<Taken> take_buffers(const GroupFragment& group, std::span<const std::uint32_t> positions);
  void renumber(GroupFragment& group, const std::vector<Taken>& taken) const;

  std::size_t tasks_;
  std::vector<scenarios::TaskSpec> specs_;  ///< of the case
  scenarios::TaskGroupTuning sized_;        ///< of the case
  scenarios::Scenario scenario_;            ///< whose only case is the group being written
  bool by_type_;
  core::Plan frame_;
  core::LaneId timer_lane_{};
  std::vector<StageCounts> counts_;                  ///< by position
  std::vector<std::uint32_t> owners_;                ///< position of the task that each buffer is for
  std::vector<std::vector<std::uint32_t>> buffers_;  ///< of each position
  std::vector<std::uint32_t> taken_;                 ///< times that a buffer of the task was taken, by position
  std::vector<core::StepId> last_step_;              ///< of the task that had the buffer last, by buffer
  std::uint32_t submitted_ = 0;
};

}  // namespace forelap::run
