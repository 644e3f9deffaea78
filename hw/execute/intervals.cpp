#include "hw/execute/intervals.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace forelap::hw::execute {
namespace {

enum class Known : std::uint8_t { no, stamped, empty };

}  // namespace

void check_stamps(const core::Plan& plan, const LaneProgram& lane, LaneStamps& stamps) {
  core::Tick before = 0;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    Stamp& stamp = stamps[i];
    if (stamp.begin < before - kStampSlack || stamp.end < stamp.begin - kStampSlack) {
      core::throw_device_failed("device timestamps run backwards on lane " + plan.lanes[core::index(lane.lane)].name +
                                ": command " + std::to_string(i) + " is stamped from " + std::to_string(stamp.begin) +
                                " to " + std::to_string(stamp.end) + " ps, after one that ends at " +
                                std::to_string(before) + " ps; measure without intervals on this device");
    }
    stamp.begin = std::max(stamp.begin, before);
    stamp.end = std::max(stamp.end, stamp.begin);
    before = stamp.end;
  }
}

std::vector<core::Interval> make_intervals(const core::Plan& plan, const Program& program,
                                           const std::vector<LaneOutcome>& outcomes,
                                           const std::vector<LaneStamps>& stamps) {
  std::vector<core::Interval> all(plan.steps.size());
  std::vector<Known> known(plan.steps.size(), Known::no);
  for (std::size_t l = 0; l < program.lanes.size(); ++l) {
    std::size_t next = 0;
    for (std::size_t s = 0; s < outcomes[l].submitted; ++s) {
      const LaneStep& step = program.lanes[l].steps[s];
      const std::size_t count = program.lanes[l].queue ? step.commands : 1;
      known[step.step] = count == 0 ? Known::empty : Known::stamped;
      if (count == 0) continue;
      all[step.step].begin = stamps[l][next].begin;
      all[step.step].end = stamps[l][next + count - 1].end;
      next += count;
    }
  }
  std::vector<core::Tick> lane_end(plan.lanes.size(), 0);
  std::vector<core::Interval> result;
  result.reserve(plan.steps.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (known[i] == Known::no) continue;
    const core::Step& step = plan.steps[i];
    core::Tick& end = lane_end[core::index(step.lane)];
    if (known[i] == Known::empty) {
      core::Tick ready = end;
      for (const core::StepId dependency : plan.dependencies_of(step)) {
        ready = std::max(ready, all[core::index(dependency) - plan.first_id].end);
      }
      all[i].begin = all[i].end = ready;
    }
    end = all[i].end;
    all[i].step = core::make_id<core::StepId>(plan.first_id + i);
    all[i].lane = step.lane;
    result.push_back(all[i]);
  }
  return result;
}

}  // namespace forelap::hw::execute
