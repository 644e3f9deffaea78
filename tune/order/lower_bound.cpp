#include "tune/order/lower_bound.hpp"

#include <algorithm>
#include <limits>

namespace forelap::tune::order {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kH = 0, kK = 1, kD = 2;

double alone(const sim::fast::StageCost& stage) {
  return stage.present ? stage.fixed + stage.work : 0;
}

std::array<const sim::fast::StageCost*, 3> stages_of(const sim::fast::TaskCost& task) {
  return {&task.htod, &task.kernel, &task.dtoh};
}

/// Solo time of all that follows a task's htod, hops included.
double after_htod(const sim::fast::OrderDevice& device, const sim::fast::TaskCost& task) {
  double time = alone(task.kernel) + alone(task.dtoh);
  if (task.kernel.present) time += device.hop;
  if (task.dtoh.present && (task.kernel.present || device.two_engines)) time += device.hop;
  return time;
}

}  // namespace

GroupBound::GroupBound(const Problem& problem, const BoundTable& table) : problem_(problem), table_(table) {
  const double hop = problem.device.hop;
  for (const auto& task : problem.tasks) {
    const bool kernel = task.kernel.present;
    const double to_kernel = alone(task.htod) + (task.htod.present ? hop : 0);
    const double kernel_end = kernel ? to_kernel + alone(task.kernel) : alone(task.htod);
    const bool hops = kernel || (task.htod.present && problem.device.two_engines);
    before_dtoh_.value.push_back(task.dtoh.present ? kernel_end + (hops ? hop : 0) : kNever);
    before_kernel_.value.push_back(kernel ? to_kernel : kNever);
    after_htod_.value.push_back(task.htod.present ? after_htod(problem.device, task) : kNever);
    after_kernel_.value.push_back(!kernel ? kNever : task.dtoh.present ? hop + alone(task.dtoh) : 0);
  }
  for (Ranked* ranked : {&before_dtoh_, &before_kernel_, &after_htod_, &after_kernel_}) rank(*ranked);
  for (std::uint32_t i = 0; i < problem.tasks.size(); ++i) give_back(i);
}

void GroupBound::rank(Ranked& ranked) const {
  for (std::uint32_t i = 0; i < ranked.value.size(); ++i) ranked.tasks.push_back(i);
  std::sort(ranked.tasks.begin(), ranked.tasks.end(), [&ranked](std::uint32_t a, std::uint32_t b) {
    return ranked.value[a] != ranked.value[b] ? ranked.value[a] < ranked.value[b] : a < b;
  });
}

void GroupBound::take(std::uint32_t task) {
  left_ &= ~(std::uint64_t{1} << task);
  const auto stages = stages_of(problem_.tasks[task]);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i]->present) continue;
    sums_.work[i] -= stages[i]->work;
    sums_.fixed[i] -= stages[i]->fixed;
  }
}

void GroupBound::give_back(std::uint32_t task) {
  left_ |= std::uint64_t{1} << task;
  const auto stages = stages_of(problem_.tasks[task]);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i]->present) continue;
    sums_.work[i] += stages[i]->work;
    sums_.fixed[i] += stages[i]->fixed;
  }
}

double GroupBound::least(const Ranked& ranked) const {
  for (const std::uint32_t task : ranked.tasks) {
    if (is_left(task)) return ranked.value[task];
  }
  return kNever;
}

/// Each lane does what is left without a pause, after the least that must come before and before the least that must
/// come after.
double GroupBound::flow_shop(const sim::fast::Frontier& f, double tail) const {
  const double htods = f.time + sums_.work[kH] + sums_.fixed[kH];
  double end = std::max(std::max(f.kernels_end, f.dtohs_end), htods + tail);
  const double kernel = least(before_kernel_);
  if (kernel != kNever) {
    const double begin = std::max(f.kernels_end, f.time + kernel);
    end = std::max(end, begin + sums_.work[kK] + sums_.fixed[kK] + least(after_kernel_));
  }
  const double dtoh = least(before_dtoh_);
  if (problem_.device.two_engines) {
    if (dtoh != kNever) end = std::max(end, std::max(f.dtohs_end, f.time + dtoh) + sums_.work[kD] + sums_.fixed[kD]);
  } else {
    end = std::max(end, htods + f.work[kD] + f.fixed[kD] + sums_.work[kD] + sums_.fixed[kD]);
  }
  return end;
}

double GroupBound::of(const sim::fast::Frontier& frontier) const {
  const double after = least(after_htod_);
  Remaining rest;
  rest.work = {sums_.work[kH], sums_.work[kK] + frontier.work[kK], sums_.work[kD] + frontier.work[kD]};
  rest.fixed = {sums_.fixed[kH], sums_.fixed[kK] + frontier.fixed[kK], sums_.fixed[kD] + frontier.fixed[kD]};
  rest.tail = after == kNever ? 0 : after;
  double head = std::min(frontier.head, least(before_dtoh_));
  if (!problem_.device.two_engines) head = std::max(head, sums_.work[kH] + sums_.fixed[kH]);
  rest.head = head == kNever ? 0 : head;
  const double after_kernel = least(after_kernel_);
  if (after_kernel != kNever) rest.kernel_idle = after_kernel;
  // Before anything runs, the first kernel waits for its htod as well.
  if (frontier.time == 0 && rest.work[kK] == sums_.work[kK] && least(before_kernel_) != kNever) {
    rest.kernel_idle += least(before_kernel_);
  }
  // Sums that were added and taken away leave rounding behind.
  for (auto* values : {&rest.work, &rest.fixed}) {
    for (double& value : *values) value = std::max(0.0, value);
  }
  const double bound = std::max(frontier.time + table_.least(rest), flow_shop(frontier, rest.tail));
  return bound * (1 - 1e-13) + problem_.device.run_overhead;
}

double GroupBound::of_all() const {
  sim::fast::Frontier start;
  start.head = kNever;
  return problem_.tasks.empty() ? 0 : of(start);
}

}  // namespace forelap::tune::order
