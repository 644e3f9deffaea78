#pragma once
// A time that no arrangement of a group beats, whatever the order, the devices, the kernel lanes, the dependencies and
// the memory limit.
//
// Rates are at most 1, so solo times are the least that steps take. With h, k, d the solo times of a task's stages on a
// device, a before() the least time from the release to a stage and an after() the least time from its end to the end
// of all, both along `after`:
// - Resources. What a resource of a device (the lane of htods, that of dtohs or one lane of both, the kernel lanes, the
//   kernels' capacity by fill, device memory by bytes and time) must do takes its sum of loads, behind the least
//   before() and before the least after() of any task. Over devices a task's load is where it runs, which is free; so
//   of all weights w >= 0 of (device, resource) with sum 1 the bound is the largest of
//       sum_tasks min_devices sum_resources w load + sum w (least before + least after),
//   by weak duality of the fractional assignment. Any w gives a valid bound; subgradient steps find a good one.
// - States. On each device time splits into the sets of lanes at work, each with its measured rates; the optimum of
// that
//   linear program is the largest of a few weighted sums of the tasks' stages (tune/order/bound.hpp). Each of them is
//   a resource like the others, so that the bound knows how transfers and kernels slow each other, at any number of
//   tasks. With several kernel lanes the kernels' work counts by its share of the lanes, or by fill, and their
//   fixed parts not at all.
// - Paths. No chain of tasks along `after`, each on its fastest device, is faster than its sum.

#include "tune/group_evaluator.hpp"

namespace forelap::tune {

struct BoundScope {
  bool free_devices = false;            ///< else each task stays on the device of the evaluator's tuning
  std::uint32_t most_kernel_lanes = 1;  ///< of the arrangements that the bound is for
};

/// Ticks, run overhead included; 0 for a group without steps.
double least_time(const GroupEvaluator& evaluator, const BoundScope& scope);

}  // namespace forelap::tune
