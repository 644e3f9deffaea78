// OrderEngine where kernels and transfers slow each other, or where a task has no htod: all three lanes are stepped
// through together.

#include <algorithm>

#include "sim/fast/order_engine.hpp"

namespace forelap::sim::fast {

/// Puts the task's kernel and dtoh into the lists of their lanes.
void OrderEngine::enqueue(State& s, const Task& task) {
  const bool has_kernel = task.present[kK];
  if (has_kernel) kernel_queue_[s.kernels++] = {&task, task.present[kH] ? kNever : 0.0, s.dtohs};
  if (!task.present[kD]) return;
  // Behind its kernel, whose end is what tells when it is ready: a time left from an order taken back means nothing.
  dtoh_queue_[s.dtohs++] = {&task, task.present[kH] || has_kernel ? kNever : 0.0, has_kernel ? s.kernels : 0};
}

/// A lane goes on at `begin` >= s.time with `stage`: the wait and the fixed part are one phase, the work part another.
void OrderEngine::begin_phase(State& s, LaneIndex lane, double begin, const Stage& stage) const {
  const double wait = begin - s.time + stage.fixed;
  if (wait > 0 || !(stage.work > 0)) {
    s.remaining[lane] = wait;
    return;
  }
  s.remaining[lane] = stage.work;
  s.working |= 1U << lane;
}

void OrderEngine::start_kernel(State& s) {
  if (s.kernel_head == s.kernels) return;
  const Queued& next = kernel_queue_[s.kernel_head];
  if (next.ready == kNever) return;
  begin_phase(s, kK, std::max(std::max(s.time, next.ready), s.kernel_head * submit_), next.task->stage[kK]);
}

void OrderEngine::start_dtoh(State& s) {
  if (s.dtoh_head == s.dtohs || !s.dtohs_open) return;
  const Queued& next = dtoh_queue_[s.dtoh_head];
  if (next.ready == kNever || next.partner > s.kernel_head) return;
  const std::uint32_t before = s.dtoh_head + (two_engines_ ? 0 : s.htods);
  begin_phase(s, kD, std::max(std::max(s.time, next.ready), before * submit_), next.task->stage[kD]);
}

void OrderEngine::end_kernel(State& s) {
  const Queued& ended = kernel_queue_[s.kernel_head++];
  if (ended.task->present[kD]) {
    dtoh_queue_[ended.partner].ready = s.time + ended.task->dtoh_hop;
    if (s.remaining[kD] == kNever) start_dtoh(s);
  }
  start_kernel(s);
}

/// Advances to the next end of a phase; the lanes whose phase it is.
unsigned OrderEngine::next_event(State& s) const {
  const RateRow& row = rows_[s.working];
  const double htod = s.remaining[kH] * row.inverse[kH];
  const double kernel = s.remaining[kK] * row.inverse[kK];
  const double dtoh = s.remaining[kD] * row.inverse[kD];
  const double step = std::min(std::min(htod, kernel), dtoh);
  s.time += step;
  s.remaining[kH] -= step * row.rate[kH];
  s.remaining[kK] -= step * row.rate[kK];
  s.remaining[kD] -= step * row.rate[kD];
  return (htod == step ? unsigned{kHtod} : 0U) | (kernel == step ? unsigned{kKernel} : 0U) |
         (dtoh == step ? unsigned{kDtoh} : 0U);
}

/// What follows on the kernel and dtoh lanes from the ends of phases in `fired`.
void OrderEngine::settle(State& s, unsigned fired) {
  if ((fired & kKernel) != 0) {
    const double work = kernel_queue_[s.kernel_head].task->stage[kK].work;
    if ((s.working & kKernel) == 0 && work > 0) {
      s.working |= kKernel;
      s.remaining[kK] = work;
    } else {
      s.working &= ~unsigned{kKernel};
      s.remaining[kK] = kNever;
      end_kernel(s);
    }
  }
  if ((fired & kDtoh) != 0) {
    const double work = dtoh_queue_[s.dtoh_head].task->stage[kD].work;
    if ((s.working & kDtoh) == 0 && work > 0) {
      s.working |= kDtoh;
      s.remaining[kD] = work;
    } else {
      s.working &= ~unsigned{kDtoh};
      s.remaining[kD] = kNever;
      ++s.dtoh_head;
      start_dtoh(s);
    }
  }
}

/// Runs the task's htod to its end; `kernel` and `dtoh` are the places of its other stages in their lists.
void OrderEngine::run_htod(State& s, const Task& task, std::uint32_t kernel, std::uint32_t dtoh) {
  const Stage& stage = task.stage[kH];
  begin_phase(s, kH, std::max(s.time, s.htods * submit_), stage);
  ++s.htods;
  for (;;) {
    const unsigned fired = next_event(s);
    if ((fired & (kKernel | kDtoh)) != 0) settle(s, fired);
    if ((fired & kHtod) == 0) continue;
    if ((s.working & kHtod) != 0 || !(stage.work > 0)) break;
    s.working |= kHtod;
    s.remaining[kH] = stage.work;
  }
  s.working &= ~unsigned{kHtod};
  s.remaining[kH] = kNever;
  if (task.present[kK]) {
    kernel_queue_[kernel].ready = s.time + task.kernel_hop;
    if (s.remaining[kK] == kNever) start_kernel(s);
  } else if (task.present[kD]) {
    dtoh_queue_[dtoh].ready = s.time + task.dtoh_hop;
    if (s.remaining[kD] == kNever) start_dtoh(s);
  }
}

double OrderEngine::finish_coupled(State s) {
  if (!s.dtohs_open) {
    s.dtohs_open = true;
    start_dtoh(s);
  }
  while (s.kernel_head < s.kernels || s.dtoh_head < s.dtohs) settle(s, next_event(s));
  return s.time;
}

double OrderEngine::simulate_all() {
  State s;
  s.dtohs_open = two_engines_;
  std::array<std::uint32_t, kMostTasks> kernels{};
  std::array<std::uint32_t, kMostTasks> dtohs{};
  for (std::size_t p = 0; p < size_; ++p) {
    kernels[p] = s.kernels;
    dtohs[p] = s.dtohs;
    enqueue(s, tasks_[order_[p]]);
  }
  start_kernel(s);
  start_dtoh(s);
  bool any = s.kernels != 0 || s.dtohs != 0;
  for (std::size_t p = 0; p < size_; ++p) {
    const Task& task = tasks_[order_[p]];
    if (!task.present[kH]) continue;
    run_htod(s, task, kernels[p], dtohs[p]);
    any = true;
  }
  return any ? finish_coupled(s) + run_overhead_ : 0;
}

}  // namespace forelap::sim::fast
