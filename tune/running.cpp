#include "tune/running.hpp"

#include <algorithm>

#include "tune/open_order.hpp"

namespace forelap::tune {

void RunningGroups::submitted(const std::vector<KnownTask>& group, core::Tick now) {
  Group added;
  added.number = next_number_++;
  added.unfinished = group.size();
  if (!groups_.empty()) added.pause = static_cast<double>(std::max<core::Tick>(0, now - last_transfer_));
  for (const KnownTask& task : group) {
    if (task.cost) added.costs.push_back(*task.cost);
    group_of_[task.key] = added.number;
    in_transfer_.insert(task.key);
  }
  groups_.push_back(std::move(added));
  last_transfer_ = now;
}

void RunningGroups::transferred(core::TaskKey task, core::Tick now) {
  if (in_transfer_.erase(task) != 0) last_transfer_ = std::max(last_transfer_, now);
}

void RunningGroups::finished(core::TaskKey task, core::Tick now) {
  transferred(task, now);
  const auto at = group_of_.find(task);
  if (at == group_of_.end()) return;
  const auto group = std::find_if(groups_.begin(), groups_.end(),
                                  [number = at->second](const Group& g) { return g.number == number; });
  if (group != groups_.end()) --group->unfinished;
  group_of_.erase(at);
  while (!groups_.empty() && groups_.front().unfinished == 0) groups_.pop_front();
}

std::vector<sim::fast::TaskCost> RunningGroups::ahead(std::size_t most, std::optional<core::Tick> now) const {
  std::vector<sim::fast::TaskCost> tasks;
  for (const Group& group : groups_) {
    if (!tasks.empty() && group.pause > 0) tasks.push_back(pause_of(group.pause));
    tasks.insert(tasks.end(), group.costs.begin(), group.costs.end());
  }
  if (!tasks.empty() && now && *now > last_transfer_)
    tasks.push_back(pause_of(static_cast<double>(*now - last_transfer_)));
  if (tasks.size() > most) tasks.erase(tasks.begin(), tasks.end() - static_cast<std::ptrdiff_t>(most));
  return tasks;
}

}  // namespace forelap::tune
