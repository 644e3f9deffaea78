#include "app/measuring.hpp"

#include <filesystem>

#include "app/command.hpp"
#include "app/progress_bar.hpp"
#include "app/terminal.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "run/hardware.hpp"
#include "run/measure.hpp"
#include "run/online.hpp"
#include "run/partition.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "run/study.hpp"
#include "scenarios/study.hpp"
#include "validate/csv.hpp"
#include "validate/json.hpp"
#include "validate/study.hpp"

namespace forelap::app {
namespace {

constexpr std::uint64_t kLargestResult = std::uint64_t{1} << 30U;

}  // namespace

void describe_hardware(validate::RunSet& set, const run::Hardware& hardware) {
  for (const auto& chosen : hardware.devices) {
    set.devices.push_back(chosen.device->info().identity);
    set.links.push_back(chosen.device->info().link);
    if (!chosen.reason.empty()) set.notes.push_back(chosen.spec + ": " + chosen.reason);
  }
  set.host_cores = run::usable_cores();
  const auto& first = set.cases.front();
  set.memory = validate::memory_name(first.partition ? first.partition->memory : first.tuning.memory);
}

namespace {

std::string common_backend(const scenarios::Scenario& scenario, const run::Hardware& hardware) {
  const std::string first = hardware.devices.front().device->info().identity.backend;
  for (const auto& chosen : hardware.devices) {
    const std::string& other = chosen.device->info().identity.backend;
    if (other == first || scenario.kernels.empty()) continue;
    core::throw_bad_input("scenario \"" + scenario.name +
                          "\" has kernels of its own and uses devices of two backends, " + first + " and " + other +
                          "; name devices of one of them with --device");
  }
  return first;
}

}  // namespace

run::BindCase binder(const scenarios::Scenario& scenario, const run::Hardware& hardware) {
  if (scenarios::is_partition(scenario)) {
    std::vector<std::string> backends;
    for (const auto& chosen : hardware.devices) backends.push_back(chosen.device->info().identity.backend);
    return [&scenario, backends](std::size_t) { return run::partition_bindings(scenario, backends); };
  }
  const auto backend = common_backend(scenario, hardware);
  return [&scenario, backend](std::size_t case_index) { return run::make_bindings(scenario, case_index, backend); };
}

namespace {

/// The results so far of a study that is gone on with; nothing where there are none.
std::optional<validate::RunSet> earlier_study(const Inputs& inputs, const CommonOptions& common,
                                              const HardwareOptions& hardware) {
  if (!hardware.resume) return std::nullopt;
  if (!run::is_study(inputs.scenario)) {
    core::throw_bad_input("--resume goes on with a study, and scenario \"" + inputs.scenario.name + "\" is none");
  }
  if (common.json.empty() || common.json == "-") {
    core::throw_bad_input("--resume goes on with the study whose results are in a file; name it with --json");
  }
  if (!std::filesystem::exists(common.json)) return std::nullopt;
  auto set = validate::from_json(core::read_file(common.json, kLargestResult), common.json);
  if (set.scenario != inputs.scenario.name || set.machine != inputs.machine.name) {
    core::throw_bad_input(common.json + " holds results of scenario \"" + set.scenario + "\" on machine \"" +
                          set.machine + "\", not of \"" + inputs.scenario.name + "\" on \"" + inputs.machine.name +
                          "\"; name another file with --json");
  }
  // Sizes may be those of another day's profile; what is to be done may not differ.
  if (set.scenario_text != scenarios::write_scenario(scenarios::expand_study(inputs.scenario))) {
    core::throw_bad_input(common.json + " holds results of another version of scenario \"" + set.scenario +
                          "\" (its tasks, its seed or its repetitions differ); name another file with --json");
  }
  if (hardware.repetitions && *hardware.repetitions != set.repetitions) {
    core::throw_bad_input(common.json + " holds " + std::to_string(set.repetitions) +
                          " runs an order, found --repetitions " + std::to_string(*hardware.repetitions));
  }
  return set;
}

}  // namespace

MeasuredScenario measure_scenario(const std::string& scenario, const CommonOptions& common,
                                  const HardwareOptions& hardware_options, const std::optional<std::string>& engine,
                                  const core::StopToken& stop, run::Traces& traces) {
  auto inputs = load_inputs(scenario, common, true);
  const auto hardware = run::open_hardware(inputs.machine, hardware_options.devices);
  run::require_profile(inputs.machine, hardware);

  MeasuredScenario measured;
  const auto study = run::is_study(inputs.scenario) ? scenarios::task_group_of(inputs.scenario).study : std::nullopt;
  const auto earlier = earlier_study(inputs, common, hardware_options);
  measured.set = earlier ? *earlier : runs_of(inputs);
  if (earlier) {
    inputs.scenario = run::scenario_of(*earlier, common.json);
  } else {
    describe_hardware(measured.set, hardware);
  }
  ProgressBar bar(common.quiet);
  if (engine && !earlier) {
    run::PredictOptions options;
    options.engine = *engine;
    options.stop = stop;
    options.progress = bar.receiver();
    run::predict_rows(measured.set, inputs.scenario, inputs.machine, options);
    if (study) validate::label_tuned(measured.set);
  }
  run::MeasureOptions options;
  options.repetitions = hardware_options.repetitions.value_or(inputs.scenario.repetitions);
  options.seed = inputs.scenario.seed;
  options.intervals = !common.trace.empty();
  options.stop = stop;
  options.progress = bar.receiver();
  const auto bind = binder(inputs.scenario, hardware);
  const auto keep = [&] {
    if (!common.json.empty() && common.json != "-") write_data(common.json, validate::to_json(measured.set));
  };
  auto outcome =
      study ? run::measure_study(measured.set, inputs.scenario, *study, *hardware.executor, bind, options, keep)
      : run::is_online(inputs.scenario)
          ? run::measure_online(measured.set, inputs.scenario, *hardware.executor, inputs.machine, bind, options)
          : run::measure_rows(measured.set, inputs.scenario, *hardware.executor, bind, options);
  measured.stopped = outcome.stopped;
  measured.failure = std::move(outcome.failure);
  if (!common.trace.empty()) traces.add(measured.set, inputs.scenario, inputs.machine, outcome.timelines);
  return measured;
}

void write_results(const std::vector<validate::RunSet>& sets, const run::Traces& traces, const CommonOptions& common) {
  if (!common.json.empty()) {
    write_data(common.json, sets.size() == 1 ? validate::to_json(sets.front()) : validate::to_json(sets));
  }
  if (!common.csv.empty()) write_data(common.csv, validate::to_csv(sets));
  if (!common.trace.empty()) write_data(common.trace, traces.json());
}

std::optional<int> incomplete(const MeasuredScenario& measured) {
  if (!measured.failure.empty()) {
    complain(measured.set.scenario + ": " + measured.failure + "; partial results kept");
    return kDeviceFailed;
  }
  if (measured.stopped) {
    complain(measured.set.scenario + ": stopped by the user; partial results kept");
    return kDeviceFailed;
  }
  return std::nullopt;
}

}  // namespace forelap::app
