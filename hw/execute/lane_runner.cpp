#include "hw/execute/lane_runner.hpp"

#include <algorithm>
#include <map>

#include "hw/execute/describe.hpp"

namespace forelap::hw::execute {
namespace {

class LaneRunner {
 public:
  LaneRunner(const RunContext& context, std::size_t position, LaneOutcome& outcome)
      : context_(context), lane_(context.program.lanes[position]), outcome_(outcome) {}

  /// Position in the plan of the lane's next step; none left: a number above all.
  [[nodiscard]] std::size_t next() const {
    return outcome_.submitted < lane_.steps.size() ? lane_.steps[outcome_.submitted].step : kNoStep;
  }

  /// False when the run was halted meanwhile.
  bool run_next() {
    if (context_.stop.stop_requested()) context_.state.stop();
    if (context_.state.halted() || !run_named(lane_.steps[outcome_.submitted])) return false;
    ++outcome_.submitted;
    context_.state.advanced();
    return true;
  }

  void flush() {
    if (lane_.queue) lane_.queue->flush();
  }

  static constexpr std::size_t kNoStep = SIZE_MAX;

 private:
  bool run_named(const LaneStep& step) {
    try {
      return lane_.queue ? submit(step) : perform(step);
    } catch (...) {
      throw named_error(describe_step(context_.plan, step.step));
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> waits_of(const LaneStep& step) const {
    return {context_.program.waits.data() + step.first_wait, step.wait_count};
  }

  [[nodiscard]] const LaneProgram& producer_of(std::uint32_t slot) const {
    return context_.program.lanes[context_.program.producer[slot]];
  }

  /// False when the run was halted meanwhile.
  bool submit(const LaneStep& step) {
    for (const std::uint32_t slot : waits_of(step)) {
      if (!context_.state.await_slot(slot)) return false;
      const EventPtr& event = context_.state.event(slot);
      if (!event) continue;
      if (context_.resources.same_backend(producer_of(slot).device, lane_.device)) {
        lane_.queue->wait_for(event);
      } else {
        context_.state.await_event(*event);
      }
    }
    const std::span<const ResolvedArgument> arguments(context_.program.arguments.data() + step.first_argument,
                                                      step.argument_count);
    enqueue_step(context_.plan.steps[step.step], step, context_.plan, arguments, *lane_.queue, &context_.state);
    if (step.slot != kNoSlot) {
      EventPtr done = lane_.queue->record();
      lane_.queue->flush();
      context_.state.publish(step.slot, std::move(done));
    }
    return true;
  }

  bool perform(const LaneStep& step) {
    // Host work before the release would not be part of what is timed.
    if (!context_.state.await_gate()) return false;
    for (const std::uint32_t slot : waits_of(step)) {
      if (!context_.state.await_slot(slot)) return false;
      const EventPtr& event = context_.state.event(slot);
      if (event) context_.state.await_event(*event);
    }
    const core::Step& work = context_.plan.steps[step.step];
    const HostClock::time_point begin = HostClock::now();
    for (std::uint32_t i = 0; i < work.count; ++i) context_.bindings.host_work(work);
    outcome_.times.emplace_back(begin, HostClock::now());
    if (step.slot != kNoSlot) context_.state.publish(step.slot, nullptr);
    return true;
  }

  const RunContext& context_;
  const LaneProgram& lane_;
  LaneOutcome& outcome_;
};

}  // namespace

core::Tick host_ticks(HostClock::time_point from, HostClock::time_point to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count() * 1000;
}

void enqueue_step(const core::Step& step, const LaneStep& lane_step, const core::Plan& plan,
                  std::span<const ResolvedArgument> arguments, Queue& queue, RunState* state) {
  if (step.kind == core::StepKind::copy) {
    for (std::uint32_t i = 0; i < lane_step.commands; ++i) {
      queue.copy(step.direction, *lane_step.memory->host, *lane_step.memory->device(),
                 static_cast<std::uint64_t>(step.amount), static_cast<std::uint64_t>(step.items));
    }
    return;
  }
  const core::KernelCall& call = plan.call_of(step);
  const bool in_passes = call.pass_argument >= 0;
  std::vector<ResolvedArgument> of_pass;
  if (in_passes) of_pass.assign(arguments.begin(), arguments.end());
  for (std::uint32_t i = 0; i < lane_step.commands; ++i) {
    if (in_passes) of_pass[static_cast<std::size_t>(call.pass_argument)] = static_cast<std::int32_t>(i);
    queue.expect_more(i + 1 < lane_step.commands);
    queue.launch(*lane_step.kernel, in_passes ? of_pass : arguments, call);
    if (state != nullptr) state->advanced();
  }
}

std::vector<std::vector<std::size_t>> lanes_by_thread(const Program& program, Resources& resources) {
  std::vector<std::vector<std::size_t>> threads;
  std::map<std::size_t, std::size_t> thread_of_device;
  for (std::size_t i = 0; i < program.lanes.size(); ++i) {
    const std::size_t device = program.lanes[i].device;
    const bool together = device != kNoDevice && resources.device(device).info().keeps_call_order;
    const auto [known, is_new] =
        together ? thread_of_device.try_emplace(device, threads.size()) : std::pair(thread_of_device.end(), true);
    if (is_new) threads.emplace_back();
    (is_new ? threads.back() : threads[known->second]).push_back(i);
  }
  return threads;
}

void run_lanes(const RunContext& context, const std::vector<std::size_t>& positions,
               std::vector<LaneOutcome>& outcomes) noexcept {
  try {
    std::vector<LaneRunner> lanes;
    lanes.reserve(positions.size());
    for (const std::size_t position : positions) lanes.emplace_back(context, position, outcomes[position]);
    const auto earlier = [](const LaneRunner& a, const LaneRunner& b) { return a.next() < b.next(); };
    while (true) {
      LaneRunner& lane = *std::min_element(lanes.begin(), lanes.end(), earlier);
      if (lane.next() == LaneRunner::kNoStep || !lane.run_next()) break;
      // Calls in order are of no use where the driver keeps them to itself.
      if (lanes.size() > 1) lane.flush();
    }
    for (LaneRunner& lane : lanes) lane.flush();
  } catch (...) {
    context.state.fail(std::current_exception());
  }
  context.state.lane_done();
}

}  // namespace forelap::hw::execute
