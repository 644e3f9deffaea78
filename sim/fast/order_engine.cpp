#include "sim/fast/order_engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace forelap::sim::fast {
namespace {

using core::ActivityClass;

constexpr std::array<ActivityClass, 3> kClasses = {ActivityClass::htod, ActivityClass::kernel, ActivityClass::dtoh};

/// The rate of `c` while one step of each lane in `lanes` (bits by position in kClasses) is at work.
double rate_in(const models::RateTable& table, ActivityClass c, unsigned lanes) {
  models::ActiveCounts counts;
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    if ((lanes >> i & 1U) != 0) counts.add(kClasses[i]);
  }
  return table.rate(c, counts);
}

}  // namespace

LaneRates lane_rates(const OrderDevice& device) {
  LaneRates rates;
  for (unsigned lanes = 0; lanes < rates.size(); ++lanes) {
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      rates[lanes][i] = 1;
      if ((lanes >> i & 1U) == 0) continue;
      // A kernel contends on its device only.
      const double rate = rate_in(device.rates, kClasses[i], lanes);
      const bool transfer = kClasses[i] != ActivityClass::kernel;
      rates[lanes][i] = transfer ? std::min(rate, rate_in(device.host_rates, kClasses[i], lanes & ~2U)) : rate;
    }
  }
  return rates;
}

OrderEngine::OrderEngine(const OrderDevice& device, const std::vector<TaskCost>& tasks)
    : two_engines_(device.two_engines), hop_(device.hop), submit_(device.submit), run_overhead_(device.run_overhead) {
  if (tasks.size() > kMostTasks) {
    throw std::invalid_argument("an order engine takes at most " + std::to_string(kMostTasks) + " tasks, not " +
                                std::to_string(tasks.size()));
  }
  const LaneRates rates = lane_rates(device);
  for (unsigned lanes = 0; lanes < rows_.size(); ++lanes) {
    const bool happens = two_engines_ || (lanes & (kHtod | kDtoh)) != (kHtod | kDtoh);
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
      const double rate = rates[lanes][i];
      rows_[lanes].rate[i] = rate;
      rows_[lanes].inverse[i] = 1 / rate;
      if (happens && (lanes & kKernel) != 0) coupled_ = coupled_ || rate != rates[lanes & ~unsigned{kKernel}][i];
    }
  }
  for (const TaskCost& cost : tasks) {
    Task task;
    const std::array<const StageCost*, 3> stages = {&cost.htod, &cost.kernel, &cost.dtoh};
    for (std::size_t i = 0; i < stages.size(); ++i) {
      task.present[i] = stages[i]->present;
      if (stages[i]->present) task.stage[i] = {stages[i]->fixed, stages[i]->work, stages[i]->fixed + stages[i]->work};
    }
    // Between htod and dtoh of one engine there is no other lane to hop to.
    task.kernel_hop = task.present[kH] ? hop_ : 0;
    task.dtoh_hop = task.present[kK] || (task.present[kH] && two_engines_) ? hop_ : 0;
    all_have_htod_ = all_have_htod_ && task.present[kH];
    tasks_.push_back(task);
  }
  states_[0].dtohs_open = two_engines_;
}

void OrderEngine::push(std::uint32_t i) {
  order_[size_] = i;
  ++size_;
  if (!all_have_htod_) return;
  State& s = states_[size_];
  s = states_[size_ - 1];
  const Task& task = tasks_[i];
  if (coupled_) {
    const std::uint32_t kernel = s.kernels;
    const std::uint32_t dtoh = s.dtohs;
    enqueue(s, task);
    run_htod(s, task, kernel, dtoh);
  } else {
    push_transfers(s, task);
  }
}

double OrderEngine::makespan() {
  if (!all_have_htod_) return simulate_all();
  if (size_ == 0) return 0;
  return (coupled_ ? finish_coupled(states_[size_]) : finish_transfers(states_[size_])) + run_overhead_;
}

double OrderEngine::evaluate(std::span<const std::uint32_t> order) {
  size_ = 0;
  for (const std::uint32_t i : order) push(i);
  return makespan();
}

void OrderEngine::push_transfers(State& s, const Task& task) {
  const Stage& htod = task.stage[kH];
  const double begin = std::max(s.time, s.htods * submit_) + htod.fixed;
  ++s.htods;
  if (two_engines_) {
    run_dtohs_until(s, begin);
    s.time = begin;
    overlap_htod(s, htod.work);
  } else {
    s.time = begin + htod.work;
  }
  double ready = s.time;
  if (task.present[kK]) {
    const double kernel = std::max(std::max(s.time + task.kernel_hop, s.kernel_free), s.kernels * submit_);
    s.kernel_free = kernel + task.stage[kK].alone;
    ++s.kernels;
    ready = s.kernel_free;
  }
  if (task.present[kD]) dtoh_queue_[s.dtohs++] = {&task, ready + task.dtoh_hop, 0};
}

/// When the work part of the first waiting dtoh begins; infinity where none is known.
double OrderEngine::dtoh_work_begin(const State& s) const {
  if (s.dtoh_head == s.dtohs) return kNever;
  const Queued& next = dtoh_queue_[s.dtoh_head];
  return std::max(std::max(s.dtoh_free, next.ready), s.dtoh_head * submit_) + next.task->stage[kD].fixed;
}

/// Goes on with the dtohs to `until` (from s.time), with no htod at work.
void OrderEngine::run_dtohs_until(State& s, double until) const {
  double from = s.time;
  for (;;) {
    if (s.working == 0) {
      from = dtoh_work_begin(s);
      if (from >= until) return;
      s.remaining[kD] = dtoh_queue_[s.dtoh_head].task->stage[kD].work;
      s.working = kDtoh;
    }
    const double end = from + s.remaining[kD];
    if (end > until) {
      s.remaining[kD] = end - until;
      return;
    }
    s.dtoh_free = end;
    ++s.dtoh_head;
    s.working = 0;
  }
}

/// An htod of `work` begins at s.time; goes on to its end.
void OrderEngine::overlap_htod(State& s, double work) const {
  const RateRow& both = rows_[kHtod | kDtoh];
  while (work > 0) {
    if (s.working == 0) {
      const double alone_until = dtoh_work_begin(s);
      const double end = s.time + work;
      if (end <= alone_until) {
        s.time = end;
        return;
      }
      work -= alone_until - s.time;
      s.time = alone_until;
      s.remaining[kD] = dtoh_queue_[s.dtoh_head].task->stage[kD].work;
      s.working = kDtoh;
    }
    const double htod_end = s.time + work * both.inverse[kH];
    const double dtoh_end = s.time + s.remaining[kD] * both.inverse[kD];
    if (htod_end <= dtoh_end) {
      s.remaining[kD] = std::max(0.0, s.remaining[kD] - (htod_end - s.time) * both.rate[kD]);
      s.time = htod_end;
      return;
    }
    work -= (dtoh_end - s.time) * both.rate[kH];
    s.time = dtoh_end;
    s.dtoh_free = dtoh_end;
    ++s.dtoh_head;
    s.working = 0;
  }
}

double OrderEngine::finish_transfers(const State& s) const {
  const std::uint32_t before = two_engines_ ? 0 : s.htods;
  std::uint32_t i = s.dtoh_head;
  double free = two_engines_ ? s.dtoh_free : s.time;
  if (s.working != 0) {
    free = s.time + s.remaining[kD];
    ++i;
  }
  for (; i < s.dtohs; ++i) {
    const Queued& next = dtoh_queue_[i];
    free = std::max(std::max(free, next.ready), (before + i) * submit_) + next.task->stage[kD].alone;
  }
  return std::max(std::max(s.time, s.kernel_free), free);
}

}  // namespace forelap::sim::fast
