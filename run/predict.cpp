#include "run/predict.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "models/perturb.hpp"
#include "run/online.hpp"
#include "run/rows.hpp"
#include "sim/fast/executor.hpp"
#include "sim/simgrid/executor.hpp"

namespace forelap::run {
namespace {

constexpr std::size_t kFewestDraws = 40;
/// Simulations spent on the intervals of one set: about a second.
constexpr std::size_t kMostSimulations = 200'000;

/// Whether a cost model made for `a` prices the steps of `b`: same lanes, kernels and devices.
bool same_frame(const core::Plan& a, const core::Plan& b) {
  const auto same_lane = [](const core::Lane& x, const core::Lane& y) {
    return x.kind == y.kind && x.device == y.device && x.rank == y.rank;
  };
  const auto same_call = [](const core::KernelCall& x, const core::KernelCall& y) { return x.kernel == y.kernel; };
  // Calls that work in host memory are priced by their buffers, so such plans get a model of their own each.
  const auto copies_all = [](const core::Plan& plan) {
    return std::none_of(plan.buffers.begin(), plan.buffers.end(),
                        [](const core::Buffer& buffer) { return buffer.in_place; });
  };
  return copies_all(a) && copies_all(b) && a.device_count == b.device_count && a.kernels == b.kernels &&
         a.host_work_names == b.host_work_names &&
         std::equal(a.lanes.begin(), a.lanes.end(), b.lanes.begin(), b.lanes.end(), same_lane) &&
         std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end(), same_call);
}

double makespan_seconds(const core::Plan& plan, const models::CostModel& cost) {
  return core::seconds_from_ticks(sim::fast::simulate(plan, cost).makespan);
}

/// Rows whose plans are held at a time, so that all orders of eight tasks do not fill the memory.
constexpr std::size_t kChunk = 1000;

/// One prediction of a set, a stretch of rows after the other.
class Predictor {
 public:
  Predictor(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
            const PredictOptions& options)
      : set_(set),
        scenario_(scenario),
        machine_(machine),
        options_(options),
        end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(options.interval_seconds)) {
    if (options.engine != "fast") {
      engine_ = make_engine(options.engine, std::make_shared<core::Machine>(machine), scenario.interference);
    }
    draw_machines();
  }

  void run() {
    for (std::size_t first = 0; first < set_.rows.size(); first += kChunk) {
      const std::size_t last = std::min(set_.rows.size(), first + kChunk);
      std::vector<core::Plan> plans;
      plans.reserve(last - first);
      for (std::size_t i = first; i < last; ++i) plans.push_back(plan_of(scenario_, set_, set_.rows[i]));
      if (!predict_centres(plans, first) || !predict_intervals(plans, first)) return;
    }
    note_time();
  }

 private:
  /// All rows meet the same machines, so that intervals of orders that differ little differ little.
  void draw_machines() {
    if (options_.draws == 0 || models::is_exact(machine_)) return;
    const std::size_t affordable =
        std::max(kFewestDraws, kMostSimulations / std::max<std::size_t>(1, set_.rows.size()));
    const std::size_t draws = std::min<std::size_t>(options_.draws, affordable);
    core::Random random(set_.seed);
    for (std::size_t d = 0; d < draws; ++d) drawn_.push_back(models::perturb(machine_, random));
  }

  /// Makespans on the machine as it stands; false where it was stopped.
  bool predict_centres(const std::vector<core::Plan>& plans, std::size_t first) {
    const core::Bindings unbound;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (options_.stop.stop_requested()) return false;
      const models::CostModel cost(machine_, plans[i], scenario_.interference);
      const double seconds = engine_ ? core::seconds_from_ticks(engine_->run(plans[i], unbound, {}).makespan)
                                     : makespan_seconds(plans[i], cost);
      auto& row = set_.rows[first + i];
      row.predicted = validate::Predicted{seconds, seconds, seconds};
      row.extrapolated = cost.extrapolated_steps() > 0;
      if (options_.progress) options_.progress("predicting", first + i + 1, set_.rows.size());
    }
    return true;
  }

  /// The 5 % and 95 % quantiles over the drawn machines; false where it was stopped.
  bool predict_intervals(const std::vector<core::Plan>& plans, std::size_t first) {
    std::vector<std::vector<double>> makespans(plans.size());
    for (const auto& other : drawn_) {
      std::optional<models::CostModel> cost;
      for (std::size_t i = 0; i < plans.size() && !out_of_time_; ++i) {
        if (options_.stop.stop_requested()) return false;
        if (i == 0 || !same_frame(plans[i - 1], plans[i])) cost.emplace(other, plans[i], scenario_.interference);
        makespans[i].push_back(makespan_seconds(plans[i], *cost));
        out_of_time_ = std::chrono::steady_clock::now() >= end_;
      }
    }
    for (std::size_t i = 0; i < plans.size() && !drawn_.empty(); ++i) {
      // All rows meet the same machines.
      makespans[i].resize(makespans.back().size());
      if (makespans[i].size() < std::min(drawn_.size(), kFewestDraws)) continue;
      auto& predicted = *set_.rows[first + i].predicted;
      predicted.low = std::min(predicted.seconds, core::quantile(makespans[i], 0.05));
      predicted.high = std::max(predicted.seconds, core::quantile(makespans[i], 0.95));
    }
    return true;
  }

  void note_time() {
    if (!out_of_time_) return;
    set_.notes.push_back(
        "the time limit ended the drawing of machines for the 90 % intervals: they are of fewer "
        "machines, or not there where fewer than " +
        std::to_string(kFewestDraws) + " were met");
  }

  validate::RunSet& set_;
  const scenarios::Scenario& scenario_;
  const core::Machine& machine_;
  const PredictOptions& options_;
  std::unique_ptr<core::Executor> engine_;
  std::vector<core::Machine> drawn_;
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> end_;
  bool out_of_time_ = false;
};

}  // namespace

std::unique_ptr<core::Executor> make_engine(const std::string& name, std::shared_ptr<const core::Machine> machine,
                                            core::InterferenceMode mode) {
  if (name == "fast") return sim::fast::make_executor(std::move(machine), mode);
  if (name == "simgrid") return sim::simgrid::make_executor(std::move(machine), mode);
  core::throw_bad_input("unknown engine '" + name + "'; there are fast and simgrid");
}

void predict_rows(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                  const PredictOptions& options) {
  set.engine = options.engine;
  set.interference = validate::interference_name(scenario.interference);
  if (is_online(scenario)) {
    predict_online(set, scenario, machine, options);
    return;
  }
  Predictor(set, scenario, machine, options).run();
}

core::Timeline predict_timeline(const validate::RunSet& set, const validate::Row& row,
                                const scenarios::Scenario& scenario, const core::Machine& machine,
                                const std::string& engine) {
  const auto plan = plan_of(scenario, set, row);
  const core::Bindings unbound;
  core::RunOptions options;
  options.intervals = true;
  return make_engine(engine, std::make_shared<core::Machine>(machine), scenario.interference)
      ->run(plan, unbound, options);
}

}  // namespace forelap::run
