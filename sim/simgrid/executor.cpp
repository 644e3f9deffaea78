#include "sim/simgrid/executor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/timeline.hpp"
#include "sim/simgrid/helper_process.hpp"
#include "sim/simgrid/protocol.hpp"

namespace forelap::sim::simgrid {

class Helper {
 public:
  Helper() : process_(start()) {}

  [[nodiscard]] std::string version() const { return version_; }

  /// What `request`, a plan of `steps` steps, is answered with.
  std::vector<StepInterval> ask(std::string_view request, std::size_t steps, const core::StopToken& stop) {
    if (!process_ || !process_->alive()) process_ = start();
    // Out of our hands while it works, so that one that failed is never asked again.
    std::unique_ptr<HelperProcess> process = std::move(process_);
    try {
      const Frame answer = process->exchange(request, stop);
      if (answer.name != "intervals") {
        core::throw_device_failed("SimGrid failed: " + answer.payload + said(process->take_errors()));
      }
      std::vector<StepInterval> intervals = decode_intervals(answer.payload, steps);
      process_ = std::move(process);
      return intervals;
    } catch (const core::Error& error) {
      // Nothing in the answer is the user's doing.
      if (error.kind() != core::ErrorKind::bad_input) throw;
      core::throw_device_failed(std::string("the SimGrid simulator gives no sensible answer: ") + error.what());
    }
  }

 private:
  static std::string said(std::string_view errors) {
    const std::string_view words = core::trim(errors);
    return words.empty() ? "" : ". It said: " + std::string(words);
  }

  std::unique_ptr<HelperProcess> start() {
    auto process = std::make_unique<HelperProcess>(find_helper());
    version_ = process->version();
    return process;
  }

  std::string version_;
  std::unique_ptr<HelperProcess> process_;
};

namespace {

CostedPlan costed(const core::Plan& plan, const models::CostModel& model) {
  CostedPlan result;
  for (std::size_t i = 0; i < model.domain_count(); ++i) result.domains.push_back(model.domain(i));
  for (std::size_t i = 0; i < plan.lanes.size(); ++i) result.hops.push_back(model.hop(core::make_id<core::LaneId>(i)));
  std::vector<std::uint32_t> positions(plan.lanes.size());
  for (const core::Step& step : plan.steps) {
    CostedStep out;
    out.lane = static_cast<std::uint32_t>(index(step.lane));
    out.release = positions[out.lane]++ * model.submit(step.lane);
    out.cost = model.cost(step);
    out.first_dependency = static_cast<std::uint32_t>(result.dependencies.size());
    out.dependency_count = step.dependency_count;
    for (const core::StepId id : plan.dependencies_of(step)) {
      result.dependencies.push_back(static_cast<std::uint32_t>(index(id)));
    }
    result.steps.push_back(out);
  }
  return result;
}

class SimGridPlan final : public core::PreparedPlan {
 public:
  SimGridPlan(const core::Plan& plan, const models::CostModel& model, std::shared_ptr<Helper> helper)
      : plan_(plan),
        run_overhead_(model.run_overhead()),
        request_(encode_frame("plan", encode_plan(costed(plan, model)))),
        helper_(std::move(helper)) {}

  core::Timeline run(const core::RunOptions& options) override {
    core::Timeline timeline;
    try {
      fill(timeline, helper_->ask(request_, plan_.steps.size(), options.stop));
    } catch (const HelperProcess::Stopped&) {
      timeline.complete = false;
    }
    return timeline;
  }

  [[nodiscard]] std::span<const std::byte> host_memory(core::BufferId) const override { return {}; }

 private:
  void fill(core::Timeline& timeline, const std::vector<StepInterval>& intervals) const {
    double last = 0;
    timeline.intervals.reserve(intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      last = std::max(last, intervals[i].end);
      timeline.intervals.push_back({core::make_id<core::StepId>(i), plan_.steps[i].lane,
                                    core::timeline_tick(intervals[i].begin), core::timeline_tick(intervals[i].end)});
    }
    timeline.makespan = core::timeline_tick(last + run_overhead_);
  }

  const core::Plan& plan_;
  double run_overhead_;
  std::string request_;
  std::shared_ptr<Helper> helper_;
};

class SimGridExecutor final : public core::Executor {
 public:
  SimGridExecutor(std::shared_ptr<const core::Machine> machine, models::InterferenceMode mode,
                  std::shared_ptr<Helper> helper)
      : machine_(std::move(machine)), mode_(mode), helper_(std::move(helper)) {}

  [[nodiscard]] std::string name() const override { return helper_->version(); }

  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings&) override {
    if (mode_ == models::InterferenceMode::full) {
      core::throw_unavailable(
          "SimGrid has no rule for `interference: full`; use the engine `fast`, or `none` or `partial`");
    }
    if (plan.first_id != 0) {
      core::throw_unavailable("SimGrid takes whole plans, no later part of a session; use the engine `fast`");
    }
    return std::make_unique<SimGridPlan>(plan, models::CostModel(*machine_, plan, mode_), helper_);
  }

  std::unique_ptr<core::Session> open_session(const core::Plan&, const core::Bindings&) override {
    core::throw_unavailable("SimGrid has no sessions for plans that arrive piece by piece; use the engine `fast`");
  }

 private:
  std::shared_ptr<const core::Machine> machine_;
  models::InterferenceMode mode_;
  std::shared_ptr<Helper> helper_;
};

}  // namespace

Availability availability() {
  try {
    const HelperProcess helper(find_helper());
    return {true, helper.version()};
  } catch (const core::Error& error) {
    return {false, error.what()};
  }
}

std::shared_ptr<Helper> start_helper() {
  return std::make_shared<Helper>();
}

std::unique_ptr<core::Executor> make_executor(std::shared_ptr<const core::Machine> machine,
                                              models::InterferenceMode mode, std::shared_ptr<Helper> helper) {
  if (!helper) helper = start_helper();
  return std::make_unique<SimGridExecutor>(std::move(machine), mode, std::move(helper));
}

}  // namespace forelap::sim::simgrid
