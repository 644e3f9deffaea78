// OrderEngine::frontier: what is left where the last pushed htod ends.

#include <algorithm>

#include "sim/fast/order_engine.hpp"

namespace forelap::sim::fast {

/// Kernels that are left, and when the last of them can end at the earliest.
void OrderEngine::frontier_kernels(const State& s, Frontier& f) const {
  if (!coupled_) {
    // Kernels keep their times whatever follows: all that the lane does up to its end is one piece.
    f.work[kK] = std::max(0.0, s.kernel_free - s.time);
    f.kernels_end = std::max(s.time, s.kernel_free);
    return;
  }
  std::uint32_t i = s.kernel_head;
  if (i < s.kernels && s.remaining[kK] != kNever) {
    const Stage& stage = kernel_queue_[i].task->stage[kK];
    if ((s.working & kKernel) != 0) {
      f.work[kK] = s.remaining[kK];
    } else {
      f.fixed[kK] = s.remaining[kK];
      f.work[kK] = stage.work;
    }
    ++i;
  }
  for (; i < s.kernels; ++i) {
    f.work[kK] += kernel_queue_[i].task->stage[kK].work;
    f.fixed[kK] += kernel_queue_[i].task->stage[kK].fixed;
  }
  f.kernels_end = s.time + f.fixed[kK] + f.work[kK];
}

/// The earliest time at which the dtoh at `i` can be ready; behind kernels that have not ended, by their solo times
/// from `kernel` on, of which `kernels` ticks are counted so far.
double OrderEngine::earliest_ready(const State& s, std::uint32_t i, std::uint32_t& kernel, double& kernels) const {
  const Queued& next = dtoh_queue_[i];
  // As in start_dtoh: a time left from an order taken back means nothing.
  if (next.partner <= s.kernel_head) return next.ready;
  for (; kernel < next.partner; ++kernel) {
    const Stage& stage = kernel_queue_[kernel].task->stage[kK];
    if (kernel != s.kernel_head || s.remaining[kK] == kNever) {
      kernels += stage.alone;
    } else {
      kernels += s.remaining[kK] + ((s.working & kKernel) != 0 ? 0 : stage.work);
    }
  }
  return s.time + kernels + next.task->dtoh_hop;
}

/// The dtoh whose fixed or work part is under way, if there is one; true where it was counted.
bool OrderEngine::frontier_running_dtoh(const State& s, Frontier& f) const {
  if (s.dtoh_head == s.dtohs) return false;
  const Stage& stage = dtoh_queue_[s.dtoh_head].task->stage[kD];
  double wait = 0;  // until its work part begins
  if ((s.working & kDtoh) != 0) {
    f.work[kD] = s.remaining[kD];
  } else if (coupled_ && s.remaining[kD] != kNever) {
    wait = s.remaining[kD];
    f.work[kD] = stage.work;
  } else if (!coupled_ && two_engines_) {
    wait = std::max(0.0, dtoh_work_begin(s) - s.time);
    f.work[kD] = stage.work;
  } else {
    return false;
  }
  f.fixed[kD] = std::min(wait, stage.fixed);
  f.head = wait - f.fixed[kD];
  f.dtohs_end = s.time + wait + f.work[kD];
  return true;
}

/// Dtohs that are left: the one that runs or waits to run, then those behind it.
void OrderEngine::frontier_dtohs(const State& s, Frontier& f) const {
  f.dtohs_end = s.time;
  f.head = kNever;
  std::uint32_t i = s.dtoh_head + (frontier_running_dtoh(s, f) ? 1U : 0U);
  std::uint32_t kernel = s.kernel_head;
  double kernels = 0;
  for (; i < s.dtohs; ++i) {
    const Stage& stage = dtoh_queue_[i].task->stage[kD];
    const double begin = std::max(earliest_ready(s, i, kernel, kernels), f.dtohs_end);
    f.work[kD] += stage.work;
    f.fixed[kD] += stage.fixed;
    if (f.head == kNever) f.head = begin - s.time;
    f.dtohs_end = begin + stage.alone;
  }
}

Frontier OrderEngine::frontier() const {
  const State& s = states_[size_];
  Frontier f;
  f.time = s.time;
  frontier_kernels(s, f);
  frontier_dtohs(s, f);
  return f;
}

}  // namespace forelap::sim::fast
