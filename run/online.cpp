#include "run/online.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "hw/kernels/library.hpp"
#include "models/cost.hpp"
#include "models/perturb.hpp"
#include "scenarios/lower.hpp"
#include "sim/fast/executor.hpp"
#include "tune/task_cost.hpp"

namespace forelap::run {
namespace {

using core::Tick;

/// Nodes of a search that a simulated policy makes: all of a group of eight, a good part of one of twelve.
constexpr std::uint64_t kNodes = 20'000;
/// Machines drawn for intervals, at most: each is a whole run in which a policy thinks.
constexpr std::uint32_t kMostDraws = 40;
/// A timer looks so often whether it is still wanted.
constexpr std::chrono::milliseconds kNap{50};

const scenarios::TaskGroup& group_of(const scenarios::Scenario& scenario) {
  return scenarios::task_group_of(scenario);
}

tune::PolicyOptions policy_options(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning) {
  tune::PolicyOptions options;
  options.engines = tuning.engines.at(0);
  options.interference = scenario.interference;
  options.memory = tuning.memory;
  options.seed = scenario.seed;
  return options;
}

TaskFacts facts_of(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                   const core::Machine& machine) {
  const tune::TaskPrices prices(machine, 0, scenario.interference, tuning.memory, tuning.engines.at(0));
  TaskFacts facts;
  for (std::uint32_t i = 0; i < tuning.tasks.size(); ++i) {
    facts.push_back(tune::open_task(scenario, tuning, i, prices));
  }
  return facts;
}

ArrivalSequence arrivals_of(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                            std::uint64_t seed) {
  return {*group_of(scenario).online, tuning.tasks.size(), seed};
}

bool is_extrapolated(const scenarios::Scenario& scenario, scenarios::TaskGroupTuning tuning,
                     const core::Machine& machine) {
  tuning.order.clear();
  for (std::uint32_t i = 0; i < tuning.tasks.size(); ++i) tuning.order.push_back(i);
  return models::CostModel(machine, scenarios::lower(scenario, tuning), scenario.interference).extrapolated_steps() > 0;
}

validate::OnlineFigures median_of(const std::vector<validate::OnlineFigures>& runs) {
  const auto median = [&runs](double validate::OnlineFigures::*figure) {
    std::vector<double> values;
    for (const auto& run : runs) values.push_back(run.*figure);
    return core::median(values);
  };
  using F = validate::OnlineFigures;
  return {median(&F::mean_latency), median(&F::p95_latency), median(&F::tasks_per_second), median(&F::groups)};
}

/// Rows of one case on real devices.
class OnlineMeasurement {
 public:
  OnlineMeasurement(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
                    const core::Machine& machine, const MeasureOptions& options)
      : set_(set),
        scenario_(scenario),
        executor_(executor),
        machine_(machine),
        options_(options),
        random_(options.seed) {}

  /// False where the measurement ends here.
  bool measure_case(std::size_t case_index, const core::Bindings& bindings, MeasureOutcome& outcome) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < set_.rows.size(); ++i) {
      if (set_.rows[i].case_index == case_index) rows.push_back(i);
    }
    for (std::uint32_t round = 0; round <= options_.repetitions; ++round) {
      for (const std::size_t row : rows) {
        if (!run_once(row, round == 0, bindings)) {
          outcome.stopped = true;
          return false;
        }
      }
      for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random_.below(i)]);
    }
    return true;
  }

 private:
  /// False where it was stopped.
  bool run_once(std::size_t row_index, bool cold, const core::Bindings& bindings) {
    if (options_.stop.stop_requested()) return false;
    validate::Row& row = set_.rows[row_index];
    const auto& tuning = set_.cases[row.case_index].tuning;
    const auto policy = tune::make_policy(row.policy, machine_, policy_options(scenario_, tuning));
    const auto facts = facts_of(scenario_, tuning, machine_);
    const auto arrivals = arrivals_of(scenario_, tuning, set_.seed);
    OnlinePlans plans(scenario_, tuning, arrivals.positions());
    std::atomic<bool> over = false;
    const core::Bindings bound = bind(bindings, plans, tuning, over);
    const auto session = executor_.open_session(plans.frame(), bound);
    OnlineRun run;
    try {
      run = run_online(*session, plans, arrivals, *policy, facts, group_of(scenario_).online->queue, options_.stop);
    } catch (...) {
      over = true;  // the session waits for its timer when it closes
      throw;
    }
    over = true;
    if (!run.complete) return false;
    note(row, run, cold);
    return true;
  }

  void note(validate::Row& row, const OnlineRun& run, bool cold) {
    if (options_.progress) options_.progress("measuring", ++done_, set_.rows.size() * (options_.repetitions + 1));
    const double seconds = core::seconds_from_ticks(run.makespan);
    if (cold) {
      row.cold = seconds;
      return;
    }
    auto& runs = figures_[&row];
    runs.push_back(figures_of(run));
    row.samples.push_back(seconds);
    row.measured_online = median_of(runs);
  }

  /// The case's bindings for the copies of its tasks, and the timer that arrivals wait on.
  core::Bindings bind(const core::Bindings& of_case, const OnlinePlans& plans, const scenarios::TaskGroupTuning& tuning,
                      const std::atomic<bool>& over) const {
    core::Bindings bindings = of_case;
    bindings.fill = [&of_case, &plans, &tuning, seed = set_.seed](core::BufferId buffer, std::span<std::byte> memory) {
      const std::uint32_t position = plans.position_of(buffer);
      if (of_case.fill) {
        of_case.fill(core::make_id<core::BufferId>(position), memory);
        return;
      }
      const auto& kernels = tuning.tasks.at(position).kernels;
      const auto* kernel = kernels.empty() ? nullptr : hw::kernels::find_builtin(kernels.front().kernel);
      if (kernel != nullptr && kernel->fill != nullptr) kernel->fill(memory, seed + position);
    };
    bindings.host_work = [&over, stop = options_.stop](const core::Step& step) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(step.duration / 1000);
      while (!over && !stop.stop_requested() && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_until(std::min(until, std::chrono::steady_clock::now() + kNap));
      }
    };
    return bindings;
  }

  validate::RunSet& set_;
  const scenarios::Scenario& scenario_;
  core::Executor& executor_;
  const core::Machine& machine_;
  const MeasureOptions& options_;
  core::Random random_;
  std::map<const validate::Row*, std::vector<validate::OnlineFigures>> figures_;
  std::size_t done_ = 0;
};

}  // namespace

bool is_online(const scenarios::Scenario& scenario) {
  return !scenarios::is_partition(scenario) && group_of(scenario).online.has_value();
}

validate::OnlineFigures figures_of(const OnlineRun& run) {
  validate::OnlineFigures figures;
  std::vector<double> latencies;
  for (const Tick latency : run.latencies) latencies.push_back(core::seconds_from_ticks(latency));
  if (!latencies.empty()) {
    figures.mean_latency = core::mean(latencies);
    figures.p95_latency = core::quantile(latencies, 0.95);
  }
  const double seconds = core::seconds_from_ticks(run.makespan);
  if (seconds > 0) figures.tasks_per_second = static_cast<double>(latencies.size()) / seconds;
  figures.groups = static_cast<double>(run.groups.size());
  return figures;
}

OnlineRun simulate_online(const scenarios::Scenario& scenario, const scenarios::TaskGroupTuning& tuning,
                          const std::string& policy, const core::Machine& known,
                          std::shared_ptr<const core::Machine> running, std::uint64_t seed,
                          const core::StopToken& stop) {
  tune::PolicyOptions options = policy_options(scenario, tuning);
  options.nodes = kNodes;
  const auto decides = tune::make_policy(policy, known, options);
  const auto facts = facts_of(scenario, tuning, known);
  const auto arrivals = arrivals_of(scenario, tuning, seed);
  OnlinePlans plans(scenario, tuning, arrivals.positions());
  const double overhead = running->devices.at(0).run_overhead.value;
  const core::Bindings unbound;
  const auto session =
      sim::fast::make_executor(std::move(running), scenario.interference)->open_session(plans.frame(), unbound);
  OnlineRun run = run_online(*session, plans, arrivals, *decides, facts, group_of(scenario).online->queue, stop);
  if (run.makespan > 0) run.makespan += core::ticks_from_seconds(overhead);
  return run;
}

void predict_online(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine,
                    const PredictOptions& options) {
  if (options.engine != "fast") {
    core::throw_bad_input("scenario \"" + scenario.name + "\" is online, which engine " + options.engine +
                          " cannot run: it takes whole plans only; use --engine fast");
  }
  if (std::any_of(set.rows.begin(), set.rows.end(), [](const auto& row) { return row.policy.empty(); })) {
    core::throw_bad_input(
        "scenario \"" + scenario.name +
        "\" is online: its policies choose the orders while it runs; `forelap predict` compares them, "
        "and without `online` its tasks are a group that can be tuned");
  }
  const auto known = std::make_shared<const core::Machine>(machine);
  std::vector<std::shared_ptr<const core::Machine>> drawn;
  core::Random random(set.seed);
  for (std::uint32_t d = 0; d < std::min(options.draws, kMostDraws) && !models::is_exact(machine); ++d) {
    drawn.push_back(std::make_shared<const core::Machine>(models::perturb(machine, random)));
  }
  std::size_t done = 0;
  for (auto& row : set.rows) {
    const auto& tuning = set.cases.at(row.case_index).tuning;
    const auto run_on = [&](const std::shared_ptr<const core::Machine>& running) {
      return simulate_online(scenario, tuning, row.policy, machine, running, set.seed, options.stop);
    };
    const OnlineRun centre = run_on(known);
    std::vector<double> makespans;
    for (const auto& other : drawn) makespans.push_back(core::seconds_from_ticks(run_on(other).makespan));
    if (options.stop.stop_requested()) return;
    const double seconds = core::seconds_from_ticks(centre.makespan);
    row.predicted = validate::Predicted{seconds, seconds, seconds};
    if (!makespans.empty()) {
      row.predicted->low = std::min(seconds, core::quantile(makespans, 0.05));
      row.predicted->high = std::max(seconds, core::quantile(makespans, 0.95));
    }
    row.predicted_online = figures_of(centre);
    row.extrapolated = is_extrapolated(scenario, tuning, machine);
    if (options.progress) options.progress("predicting", ++done, set.rows.size());
  }
}

MeasureOutcome measure_online(validate::RunSet& set, const scenarios::Scenario& scenario, core::Executor& executor,
                              const core::Machine& machine, const BindCase& bind, const MeasureOptions& options) {
  OnlineMeasurement measurement(set, scenario, executor, machine, options);
  return measure_cases(set, bind, options, [&](std::size_t i, const core::Bindings& bindings, MeasureOutcome& outcome) {
    return measurement.measure_case(i, bindings, outcome);
  });
}

}  // namespace forelap::run
