#pragma once
// One group of tasks on one device whose order is free, in the terms of the order engine.

#include <cstdint>
#include <vector>

#include "sim/fast/order_engine.hpp"

namespace forelap::tune::order {

/// At most sim::fast::OrderEngine::kMostTasks tasks; durations in ticks as doubles, finite, >= 0.
struct Problem {
  sim::fast::OrderDevice device;
  std::vector<sim::fast::TaskCost> tasks;
};

/// Permutation of the positions of Problem::tasks.
using Order = std::vector<std::uint32_t>;

}  // namespace forelap::tune::order
