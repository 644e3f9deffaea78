#include "tune/open_order.hpp"

#include <algorithm>

namespace forelap::tune {
namespace {

std::vector<sim::fast::TaskCost> joined(const std::vector<sim::fast::TaskCost>& before,
                                        const std::vector<sim::fast::TaskCost>& tasks) {
  std::vector<sim::fast::TaskCost> all = before;
  all.insert(all.end(), tasks.begin(), tasks.end());
  return all;
}

}  // namespace

OpenOrder::OpenOrder(const sim::fast::OrderDevice& device, const std::vector<sim::fast::TaskCost>& before,
                     const std::vector<sim::fast::TaskCost>& tasks)
    : engine_(device, joined(before, tasks)), before_(before.size()) {
  for (std::uint32_t i = 0; i < before_; ++i) engine_.push(i);
}

double OpenOrder::makespan(std::span<const std::uint32_t> order) {
  ++judged_;
  while (engine_.size() > before_) engine_.pop();
  for (const std::uint32_t task : order) engine_.push(static_cast<std::uint32_t>(before_) + task);
  return engine_.makespan();
}

void OpenOrder::insert(order::Order& order, std::uint32_t task) {
  order.push_back(task);
  double least = makespan(order);
  std::size_t best = order.size() - 1;
  // The task wanders to the front, one place at a time.
  for (std::size_t place = order.size() - 1; place > 0; --place) {
    std::swap(order[place], order[place - 1]);
    const double time = makespan(order);
    if (time < least) {
      least = time;
      best = place - 1;
    }
  }
  std::rotate(order.begin(), order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

bool OpenOrder::improve(order::Order& order, std::uint64_t most_judged, const core::StopToken& hurry) {
  const std::uint64_t last = judged_ + most_judged;
  const double before = makespan(order);
  double least = before;
  std::size_t without_gain = 0;
  for (std::size_t at = 0; !order.empty() && without_gain < order.size(); at = (at + 1) % order.size()) {
    if (judged_ >= last || hurry.stop_requested()) break;
    order::Order tried = order;
    const std::uint32_t task = tried[at];
    tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(at));
    insert(tried, task);
    const double time = makespan(tried);
    ++without_gain;
    if (!(time < least)) continue;
    least = time;
    order = std::move(tried);
    without_gain = 0;
  }
  return least < before;
}

sim::fast::TaskCost pause_of(double ticks) {
  sim::fast::TaskCost pause;
  pause.htod = {true, ticks, 0};
  return pause;
}

}  // namespace forelap::tune
