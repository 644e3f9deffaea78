#include "hw/execute/prepared.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "hw/execute/describe.hpp"
#include "hw/execute/intervals.hpp"
#include "hw/execute/lane_runner.hpp"
#include "hw/execute/run_state.hpp"

namespace forelap::hw::execute {
namespace {

/// The gates of a run, one a device, opened back to back.
class Gates {
 public:
  explicit Gates(Resources& resources, const Program& program) : resources_(resources), program_(program) {
    for (const std::size_t device : program.devices) {
      clocks_.push_back({name_of(device), 0, 0});
      gates_.push_back(resources.device(device).make_gate());
      announce(device, *gates_.back());
      for (const LaneProgram& lane : program.lanes) {
        if (lane.device == device) gates_.back()->hold(*lane.queue);
      }
      if (program.devices.size() > 1) gates_.back()->among_others();
    }
  }

  /// Opens all, whatever happens to one of them; the first error is kept in `state`. Devices that use the host's cores
  /// come last: their threads may take this one's core before the others are released.
  void open(RunState& state) {
    zero_ = HostClock::now();
    bool first = true;
    for (const bool on_host : {false, true}) {
      for (std::size_t i = 0; i < gates_.size(); ++i) {
        if (resources_.device(program_.devices[i]).info().shares_host_cores != on_host) continue;
        open_one(i, std::exchange(first, false), state);
      }
    }
  }

  /// Waits for all queues; the end of the last command on the timeline's clock.
  core::Tick finish(RunState& state) {
    core::Tick last = 0;
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      try {
        last = std::max(last, gates_[i]->finish() + clocks_[i].offset);
      } catch (...) {
        state.fail(std::make_exception_ptr(named_error("running the plan on " + clocks_[i].name)));
      }
    }
    return last;
  }

  [[nodiscard]] HostClock::time_point zero() const { return zero_; }
  [[nodiscard]] const std::vector<core::Clock>& clocks() const { return clocks_; }
  /// Offset of a device's clock.
  [[nodiscard]] core::Tick offset(std::size_t device) const {
    const auto at = std::find(program_.devices.begin(), program_.devices.end(), device);
    return clocks_[static_cast<std::size_t>(at - program_.devices.begin())].offset;
  }

 private:
  void announce(std::size_t device, Gate& gate) const {
    std::size_t commands = 0;
    bool at_once = true;
    for (const LaneProgram& lane : program_.lanes) {
      if (lane.device != device) continue;
      for (const LaneStep& step : lane.steps) {
        commands += step.commands;
        if (step.memory != nullptr && step.memory->host->kind() != core::MemoryKind::pinned) at_once = false;
      }
    }
    gate.expect(commands, at_once);
  }

  void open_one(std::size_t i, bool first, RunState& state) {
    const HostClock::time_point before = HostClock::now();
    try {
      gates_[i]->open();
    } catch (...) {
      state.fail(std::make_exception_ptr(named_error("releasing " + clocks_[i].name)));
    }
    const core::Tick width = host_ticks(before, HostClock::now());
    const auto released = gates_[i]->released_at();
    // The first device's release is the timeline's zero; another's, where it does not say, lies somewhere in the call.
    if (first) {
      zero_ = released.value_or(before);
      return;
    }
    clocks_[i].offset = host_ticks(zero_, released.value_or(before)) + (released ? 0 : width / 2);
    clocks_[i].uncertainty = released ? 0 : width / 2;
  }

  [[nodiscard]] std::string name_of(std::size_t device) {
    const core::DeviceIdentity& identity = resources_.device(device).info().identity;
    return "device " + std::to_string(device) + " (" + identity.backend + ", " + identity.name + ")";
  }

  Resources& resources_;
  const Program& program_;
  std::vector<std::unique_ptr<Gate>> gates_;
  std::vector<core::Clock> clocks_;  ///< by gate
  HostClock::time_point zero_{};
};

class Prepared : public core::PreparedPlan {
 public:
  Prepared(const core::Plan& plan, const core::Bindings& bindings, std::shared_ptr<Resources> resources)
      : plan_(plan),
        bindings_(bindings),
        resources_(std::move(resources)),
        program_(make_program(plan, bindings, *resources_)) {
    fill_buffers(plan, bindings, program_, *resources_);
  }

  void spoil(core::BufferId buffer, std::uint64_t offset, std::uint64_t bytes) override {
    const std::size_t i = core::index(buffer);
    if (i >= program_.buffers.size() || !program_.buffers[i]) return;
    const std::span<std::byte> memory = program_.buffers[i]->host->bytes().first(plan_.buffers[i].bytes);
    if (offset > memory.size() || bytes > memory.size() - offset) return;
    for (std::byte& byte : memory.subspan(offset, bytes)) byte = ~byte;
  }

  core::Timeline run(const core::RunOptions& options) override {
    if (spoiled_) core::throw_device_failed("this plan failed in an earlier run; prepare it again");
    try {
      return run_once(options);
    } catch (...) {
      spoiled_ = true;
      resources_->forget_queues_and_kernels();
      throw;
    }
  }

  [[nodiscard]] std::span<const std::byte> host_memory(core::BufferId buffer) const override {
    const std::size_t i = core::index(buffer);
    if (i >= program_.buffers.size() || !program_.buffers[i]) return {};
    return program_.buffers[i]->host->bytes().first(plan_.buffers[i].bytes);
  }

  [[nodiscard]] std::optional<core::MemoryKind> memory_given(core::BufferId buffer) const override {
    const std::size_t i = core::index(buffer);
    if (i >= program_.buffers.size() || !program_.buffers[i]) return std::nullopt;
    return program_.buffers[i]->host->kind();
  }

 private:
  core::Timeline run_once(const core::RunOptions& options) {
    for (const LaneProgram& lane : program_.lanes) {
      if (lane.queue) lane.queue->set_stamping(options.intervals);
    }
    refresh_shared_memory(program_, *resources_);
    for (const auto& buffer : program_.buffers) {
      if (buffer) buffer->mark.untouched = false;
    }
    for (const auto& block : program_.written) block->mark.untouched = false;
    const auto threads = lanes_by_thread(program_, *resources_);
    RunState state(threads.size(), program_.producer.size());
    Gates gates(*resources_, program_);
    std::vector<LaneOutcome> outcomes(program_.lanes.size());
    const RunContext context{plan_, bindings_, program_, *resources_, state, options.stop};
    start_lanes(context, threads, outcomes);
    state.await_submission();
    gates.open(state);
    state.gate_opened();
    resources_->threads().wait();
    const core::Tick last = gates.finish(state);
    state.rethrow_error();
    core::Timeline timeline = make_timeline(gates, outcomes, last, options.intervals);
    timeline.complete = !state.stopped();
    return timeline;
  }

  void start_lanes(const RunContext& context, const std::vector<std::vector<std::size_t>>& threads,
                   std::vector<LaneOutcome>& outcomes) {
    // Room for the times of host work is taken before the clock starts.
    for (std::size_t i = 0; i < program_.lanes.size(); ++i) {
      if (!program_.lanes[i].queue) outcomes[i].times.reserve(program_.lanes[i].steps.size());
    }
    std::vector<std::function<void()>> jobs;
    for (const auto& lanes : threads) {
      jobs.emplace_back([&context, &outcomes, &lanes] { run_lanes(context, lanes, outcomes); });
    }
    resources_->threads().start(std::move(jobs));
  }

  core::Timeline make_timeline(const Gates& gates, const std::vector<LaneOutcome>& outcomes, core::Tick last,
                               bool intervals) {
    core::Timeline timeline;
    timeline.makespan = last;
    timeline.clocks = gates.clocks();
    for (const LaneOutcome& outcome : outcomes) {
      if (!outcome.times.empty()) {
        timeline.makespan = std::max(timeline.makespan, host_ticks(gates.zero(), outcome.times.back().second));
      }
    }
    if (!intervals) return timeline;
    std::vector<LaneStamps> stamps;
    for (std::size_t i = 0; i < program_.lanes.size(); ++i) stamps.push_back(stamps_of(i, gates, outcomes[i]));
    timeline.intervals = make_intervals(plan_, program_, outcomes, stamps);
    return timeline;
  }

  LaneStamps stamps_of(std::size_t i, const Gates& gates, const LaneOutcome& outcome) {
    const LaneProgram& lane = program_.lanes[i];
    LaneStamps stamps;
    if (!lane.queue) {
      for (const auto& [begin, end] : outcome.times) {
        stamps.push_back({host_ticks(gates.zero(), begin), host_ticks(gates.zero(), end)});
      }
      return stamps;
    }
    std::size_t commands = 0;
    for (std::size_t s = 0; s < outcome.submitted; ++s) commands += lane.steps[s].commands;
    stamps = lane.queue->take_stamps();
    // A lane that was stopped inside a step has stamps of the part that it had submitted.
    if (stamps.size() < commands) {
      core::throw_device_failed("the device returned " + std::to_string(stamps.size()) + " timestamps for " +
                                std::to_string(commands) + " commands on lane " +
                                plan_.lanes[core::index(lane.lane)].name);
    }
    check_stamps(plan_, lane, stamps);
    const core::Tick offset = gates.offset(lane.device);
    for (Stamp& stamp : stamps) stamp = {stamp.begin + offset, stamp.end + offset};
    return stamps;
  }

  const core::Plan& plan_;
  const core::Bindings& bindings_;
  std::shared_ptr<Resources> resources_;
  Program program_;
  bool spoiled_ = false;
};

}  // namespace

std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings,
                                            std::shared_ptr<Resources> resources) {
  try {
    return std::make_unique<Prepared>(plan, bindings, resources);
  } catch (...) {
    // What one device was given for a plan that another one refuses is not kept from the next plan.
    resources->forget_unused_memory();
    throw;
  }
}

}  // namespace forelap::hw::execute
