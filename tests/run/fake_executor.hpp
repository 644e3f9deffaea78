#pragma once
// An executor in memory that stands for a device: it keeps host and device sides of buffers, applies the plain
// references of built-in kernels, and can be told to fail.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/executor.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::run::testing {

/// What happens, and what shall go wrong. Counts runs over all plans.
struct FakeLog {
  std::vector<std::vector<std::uint32_t>> runs;  ///< plan number and instrumented flag of each run
  std::size_t prepared = 0;
  std::function<void(std::size_t run)> before_run;       ///< may throw or request a stop
  std::function<void(std::vector<std::byte>&)> corrupt;  ///< applied to returned data
  core::MemoryKind memory = core::MemoryKind::pinned;    ///< what buffers are given
  core::Tick makespan = 1'000'000'000;                   ///< plus the plan's number in microseconds
};

class FakePlan : public core::PreparedPlan {
 public:
  FakePlan(const core::Plan& plan, const core::Bindings& bindings, FakeLog& log, std::uint32_t number)
      : plan_(plan), log_(log), number_(number) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      host_.emplace_back(plan.buffers[i].bytes);
      if (bindings.fill) {
        bindings.fill(core::make_id<core::BufferId>(i), host_.back());
      } else {
        hw::kernels::find_builtin("synthetic")->fill(host_.back(), i);
      }
      device_.push_back(host_.back());  // uploaded, as executors of devices do
    }
  }

  core::Timeline run(const core::RunOptions& options) override {
    if (log_.before_run) log_.before_run(log_.runs.size());
    log_.runs.push_back({number_, options.intervals ? 1U : 0U});
    for (const auto& step : plan_.steps) execute(step);
    core::Timeline timeline;
    timeline.complete = !options.stop.stop_requested();
    timeline.makespan = log_.makespan + core::Tick{number_} * 1'000'000;
    if (options.intervals) {
      for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        timeline.intervals.push_back({core::make_id<core::StepId>(i), plan_.steps[i].lane, 0, 1});
      }
    }
    return timeline;
  }
  [[nodiscard]] std::optional<core::MemoryKind> memory_given(core::BufferId) const override { return log_.memory; }
  [[nodiscard]] std::span<const std::byte> host_memory(core::BufferId buffer) const override {
    return host_[index(buffer)];
  }

 private:
  void execute(const core::Step& step) {
    if (step.kind == core::StepKind::copy) {
      auto& host = host_[index(step.buffer)];
      auto& device = device_[index(step.buffer)];
      const auto from = static_cast<std::ptrdiff_t>(step.items);
      const auto end = from + static_cast<std::ptrdiff_t>(step.amount);
      if (step.direction == core::Direction::host_to_device) {
        std::copy(host.begin() + from, host.begin() + end, device.begin() + from);
      } else {
        std::copy(device.begin() + from, device.begin() + end, host.begin() + from);
        if (log_.corrupt) log_.corrupt(host);
      }
    } else if (step.kind == core::StepKind::kernel) {
      const auto& call = plan_.call_of(step);
      const auto arguments = plan_.arguments_of(call);
      const auto* kernel = hw::kernels::find_builtin(plan_.kernels[index(call.kernel)]);
      if (kernel != nullptr) kernel->reference(device_[index(std::get<core::BufferId>(arguments[0]))], arguments);
    }
  }

  const core::Plan& plan_;
  FakeLog& log_;
  std::uint32_t number_;
  std::vector<std::vector<std::byte>> host_;
  std::vector<std::vector<std::byte>> device_;
};

class FakeExecutor : public core::Executor {
 public:
  explicit FakeExecutor(FakeLog& log) : log_(log) {}
  [[nodiscard]] std::string name() const override { return "fake"; }
  std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings) override {
    return std::make_unique<FakePlan>(plan, bindings, log_, static_cast<std::uint32_t>(log_.prepared++));
  }
  std::unique_ptr<core::Session> open_session(const core::Plan&, const core::Bindings&) override {
    core::throw_unavailable("the fake has no sessions");
  }

 private:
  FakeLog& log_;
};

}  // namespace forelap::run::testing
