#pragma once
// The order of a group behind tasks whose order is settled: what a policy decides while a device is at work.

#include <cstdint>
#include <span>
#include <vector>

#include "core/stop_token.hpp"
#include "sim/fast/order_engine.hpp"
#include "tune/order/problem.hpp"

namespace forelap::tune {

/// Not thread-safe.
class OpenOrder {
 public:
  /// `before` were submitted earlier, in this order; together at most sim::fast::OrderEngine::kMostTasks (else
  /// std::invalid_argument). Orders are permutations of positions of `tasks`.
  OpenOrder(const sim::fast::OrderDevice& device, const std::vector<sim::fast::TaskCost>& before,
            const std::vector<sim::fast::TaskCost>& tasks);

  /// Ticks from the start of what went before to the end of all, run overhead included.
  double makespan(std::span<const std::uint32_t> order);
  /// Puts `task` where `order` takes least with it, the last of equal places: what came first stays first.
  void insert(order::Order& order, std::uint32_t task);
  /// Takes tasks out and puts them where they cost least until none of them gains, `hurry` asks to stop or so many
  /// orders were judged; true where it gained.
  bool improve(order::Order& order, std::uint64_t most_judged, const core::StopToken& hurry);

 private:
  sim::fast::OrderEngine engine_;
  std::size_t before_;
  std::uint64_t judged_ = 0;
};

/// Time that nothing is transferred in, as a task: a transfer that neither slows nor is slowed.
sim::fast::TaskCost pause_of(double ticks);

}  // namespace forelap::tune
