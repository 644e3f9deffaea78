#include "hw/proxy/arrival_order.hpp"

#include <algorithm>

namespace forelap::hw::proxy {

ArrivalOrder::ArrivalOrder(std::size_t largest_group) : largest_group_(std::max<std::size_t>(largest_group, 1)) {}

void ArrivalOrder::arrived(const core::OpenTask& task, core::Tick) {
  waiting_.push_back(task.key);
}

void ArrivalOrder::withdrawn(core::TaskKey task, core::Tick) {
  const auto at = std::find(waiting_.begin(), waiting_.end(), task);
  if (at != waiting_.end()) waiting_.erase(at);
}

std::vector<core::TaskKey> ArrivalOrder::next(core::Tick, const core::StopToken&) {
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(largest_group_, waiting_.size()));
  std::vector<core::TaskKey> group(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  return group;
}

}  // namespace forelap::hw::proxy
