#include "tune/partition.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "models/perturb.hpp"
#include "scenarios/lower.hpp"
#include "tune/partition_search.hpp"

namespace forelap::tune {
namespace {

using scenarios::CostProfile;
using scenarios::DevicePart;
using scenarios::PartitionTuning;

/// Nearer than this, relative, nobody can tell two times of a model apart.
constexpr double kAlike = 1e-3;

CostProfile profile_of(const scenarios::Partition& partition, const std::vector<CostProfile>& sampled, std::size_t d) {
  if (partition.profile == scenarios::ProfileMode::list) {
    return scenarios::make_profile(partition.densities, scenarios::whole_work(partition));
  }
  const bool open = partition.profile == scenarios::ProfileMode::automatic && partition.kernel.irregular;
  return open && d < sampled.size() ? sampled[d] : CostProfile{};
}

/// What the steps of each device take, by kind.
void add_work(const scenarios::Scenario& scenario, const core::Machine& machine, const PartitionTuning& tuning,
              std::vector<PartitionFigures>& figures) {
  const core::Plan plan = scenarios::lower(scenario, tuning);
  const models::CostModel model(machine, plan, scenario.interference);
  for (const core::Step& step : plan.steps) {
    const models::StepCost cost = model.cost(step).folded();
    PartitionFigures& device = figures[index(step.device)];
    double& part = step.kind == core::StepKind::kernel                 ? device.kernel
                   : step.direction == core::Direction::host_to_device ? device.htod
                                                                       : device.dtoh;
    part += cost.fixed + cost.work;
  }
}

class Tuner {
 public:
  Tuner(const scenarios::Scenario& scenario, const core::Machine& machine, const PartitionTuning& base,
        const PartitionOptions& options)
      : scenario_(scenario),
        machine_(machine),
        base_(base),
        options_(options),
        evaluator_(scenario, machine),
        search_(evaluator_, options) {}

  PartitionChoice run() {
    const auto begin = std::chrono::steady_clock::now();
    search_alone();
    choose();
    describe();
    compare();
    choice_.evaluations = evaluator_.evaluations();
    choice_.search_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(choice_);
  }

 private:
  void search_alone() {
    choice_.devices.resize(base_.devices.size());
    for (std::size_t d = 0; d < base_.devices.size(); ++d) {
      alone_.push_back(search_.only(base_, d));
      choice_.devices[d].alone = evaluator_.run(alone_.back()).time;
      if (choice_.devices[d].alone < choice_.devices[choice_.best_single].alone) choice_.best_single = d;
    }
  }

  void choose() {
    PartitionTuning start = base_;
    for (DevicePart& device : start.devices) device.chunks = device.in_place ? 1 : options_.chunks.value_or(1);
    start = search_.equal_finish(start);
    if (!options_.chunks) {
      search_.choose_chunks(start);
      start = search_.equal_finish(start);
    }
    PartitionTuning best = search_.drop(search_.refine(start));
    double time = evaluator_.run(best).time;
    // Where devices hinder each other so much that none of the ways there leads downhill, one alone may be best.
    if (choice_.devices[choice_.best_single].alone <= time) {
      best = alone_[choice_.best_single];
      time = choice_.devices[choice_.best_single].alone;
    }
    if (!(time < kImpossible)) {
      PartitionTuning even = with_weights(scenario_, base_, std::vector<double>(base_.devices.size(), 1.0), 1);
      core::throw_bad_input(fit_memory(scenario_, machine_, even));
    }
    fit_memory(scenario_, machine_, best);
    choice_.tuning = std::move(best);
    choice_.time = time;
  }

  void describe() {
    const PartitionRun run = evaluator_.run(choice_.tuning);
    for (std::size_t d = 0; d < run.ends.size(); ++d) choice_.devices[d].end = run.ends[d];
    add_work(scenario_, machine_, choice_.tuning, choice_.devices);
    choice_.bound = std::min(choice_.time, search_.bound(base_));
    const double single = choice_.devices[choice_.best_single].alone;
    if (!(single < kImpossible)) return;
    choice_.gain = single / choice_.time;
    double speeds = 0;
    for (const PartitionFigures& device : choice_.devices) speeds += single / device.alone;
    choice_.efficiency = choice_.gain / speeds;
  }

  void add(const std::string& what, PartitionTuning tuning) {
    for (const PartitionAlternative& other : choice_.alternatives) {
      if (same(other.tuning, tuning)) return;
    }
    if (same(choice_.tuning, tuning)) return;
    const double time = evaluator_.run(tuning).time;
    if (time < kImpossible) choice_.alternatives.push_back({what, std::move(tuning), time, 0, 0, false});
  }

  static bool same(const PartitionTuning& a, const PartitionTuning& b) {
    return std::equal(a.devices.begin(), a.devices.end(), b.devices.begin(), [](const auto& x, const auto& y) {
      return x.rows == y.rows && (x.chunks == y.chunks || x.rows == 0 || x.in_place);
    });
  }

  void compare() {
    const auto& devices = choice_.tuning.devices;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (choice_.devices[d].alone < kImpossible) add(devices[d].name + " alone", alone_[d]);
    }
    for (std::size_t d = 0; d < devices.size() && !options_.stop.stop_requested(); ++d) {
      if (devices[d].rows == 0) continue;
      if (const auto other = search_.without(choice_.tuning, d)) add("without " + devices[d].name, *other);
    }
    if (!options_.chunks) {
      scale_chunks("half the chunks", 1, 2);
      scale_chunks("twice the chunks", 2, 1);
    }
    tell_ties();
    std::stable_sort(choice_.alternatives.begin(), choice_.alternatives.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }

  void scale_chunks(const std::string& what, std::uint32_t times, std::uint32_t by) {
    PartitionTuning tuning = choice_.tuning;
    for (DevicePart& device : tuning.devices) {
      if (!device.in_place) device.chunks = std::max(1U, device.chunks * times / by);
    }
    add(what, std::move(tuning));
  }

  /// An alternative that some machines within the parameters' spreads make the faster one is not told from the chosen.
  void tell_ties() {
    std::vector<std::vector<double>> behind(choice_.alternatives.size());
    core::Random random(options_.seed);
    for (std::uint32_t i = 0; i < options_.draws && !behind.empty() && !options_.stop.stop_requested(); ++i) {
      const core::Machine drawn = models::perturb(machine_, random);
      PartitionEvaluator evaluator(scenario_, drawn);
      const double chosen = evaluator.run(choice_.tuning).time;
      for (std::size_t a = 0; a < behind.size(); ++a) {
        behind[a].push_back(evaluator.run(choice_.alternatives[a].tuning).time / chosen - 1);
      }
    }
    for (std::size_t a = 0; a < behind.size(); ++a) {
      PartitionAlternative& other = choice_.alternatives[a];
      const double plain = other.time / choice_.time - 1;
      other.behind_low = behind[a].empty() ? plain : std::min(plain, core::quantile(behind[a], 0.05));
      other.behind_high = behind[a].empty() ? plain : std::max(plain, core::quantile(behind[a], 0.95));
      other.tie = other.behind_low <= 0 || plain <= kAlike;
    }
  }

  const scenarios::Scenario& scenario_;
  const core::Machine& machine_;
  const PartitionTuning& base_;
  const PartitionOptions& options_;
  PartitionEvaluator evaluator_;
  PartitionSearch search_;
  std::vector<PartitionTuning> alone_;
  PartitionChoice choice_;
};

}  // namespace

PartitionTuning base_tuning(const scenarios::Scenario& scenario, const core::Machine& machine,
                            const std::vector<CostProfile>& sampled) {
  const scenarios::Partition& partition = scenarios::partition_of(scenario);
  PartitionTuning tuning;
  tuning.transfers = partition.transfers;
  tuning.memory = partition.memory;
  for (std::size_t d = 0; d < machine.devices.size(); ++d) {
    const core::DeviceModel& model = machine.devices[d];
    DevicePart part;
    part.name = model.name;
    part.in_place = model.identity.backend == "cpu";
    part.engines = model.copy_engines.value == 1 ? 1 : 2;
    part.profile = profile_of(partition, sampled, d);
    tuning.devices.push_back(std::move(part));
  }
  return tuning;
}

PartitionTuning with_weights(const scenarios::Scenario& scenario, PartitionTuning base,
                             const std::vector<double>& weights, std::uint32_t chunks) {
  const auto shares = scenarios::divide(scenarios::partition_rows(scenarios::partition_of(scenario)), weights);
  for (std::size_t d = 0; d < base.devices.size(); ++d) {
    base.devices[d].rows = shares.at(d);
    base.devices[d].chunks = base.devices[d].in_place ? 1 : chunks;
  }
  return base;
}

PartitionChoice tune_partition(const scenarios::Scenario& scenario, const core::Machine& machine,
                               const PartitionTuning& base, const PartitionOptions& options) {
  return Tuner(scenario, machine, base, options).run();
}

PartitionTuning tune_chunks(const scenarios::Scenario& scenario, const core::Machine& machine,
                            const PartitionTuning& given, const PartitionOptions& options) {
  PartitionEvaluator evaluator(scenario, machine);
  PartitionTuning tuning = given;
  PartitionSearch(evaluator, options).choose_chunks(tuning);
  const std::string why = fit_memory(scenario, machine, tuning);
  if (!why.empty()) core::throw_bad_input(why);
  return tuning;
}

}  // namespace forelap::tune
