#pragma once
// One group of tasks on one device whose order is free, in the terms of the order engine.

#include <cstdint>
#include <vector>

#include "sim/fast/order_engine.hpp"

namespace forelap::tune::order {

/// Permutation of the positions of Problem::tasks, or a part of one.
using Order = std::vector<std::uint32_t>;

/// At most sim::fast::OrderEngine::kMostTasks tasks; durations in ticks as doubles, finite, >= 0.
struct Problem {
  sim::fast::OrderDevice device;
  std::vector<sim::fast::TaskCost> tasks;
  /// Tasks that every order begins with, because they are submitted already. What of them has run is left out of their
  /// costs; one whose transfer to the device is done keeps an htod of no time.
  Order prefix = {};
};

/// The tasks that are not in the prefix, by position.
inline Order free_tasks(const Problem& problem) {
  std::vector<bool> taken(problem.tasks.size());
  for (const std::uint32_t task : problem.prefix) taken.at(task) = true;
  Order free;
  for (std::uint32_t i = 0; i < problem.tasks.size(); ++i) {
    if (!taken[i]) free.push_back(i);
  }
  return free;
}

}  // namespace forelap::tune::order
