#include "app/tune_partition.hpp"

#include <filesystem>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/outputs.hpp"
#include "app/progress_bar.hpp"
#include "app/show_partition.hpp"
#include "app/terminal.hpp"
#include "run/partition_tuning.hpp"
#include "run/rows.hpp"
#include "scenarios/read.hpp"
#include "validate/csv.hpp"

namespace forelap::app {
namespace {

namespace fs = std::filesystem;

/// What went wrong, or nothing; what was measured before is in the set.
std::string measure_candidates(run::TunedPartition& tuned, const Inputs& inputs, const CommonOptions& common,
                               const TunePartitionOptions& options, const core::StopToken& stop) {
  const auto devices = run::open_hardware(inputs.machine, options.hardware.devices);
  run::require_profile(inputs.machine, devices);
  describe_hardware(tuned.set, devices);
  ProgressBar bar(common.quiet);
  run::MeasureOptions measure;
  measure.repetitions = options.hardware.repetitions.value_or(inputs.scenario.repetitions);
  measure.seed = inputs.scenario.seed;
  measure.stop = stop;
  measure.progress = bar.receiver();
  const auto bind = binder(inputs.scenario, devices);
  auto outcome = run::measure_rows(tuned.set, inputs.scenario, *devices.executor, bind, measure);
  tuned.stopped = outcome.stopped;
  if (!outcome.stopped && outcome.failure.empty()) run::judge_measurements(tuned);
  return outcome.failure;
}

}  // namespace

int tune_partition_scenario(const Inputs& inputs, const CommonOptions& common, const TunePartitionOptions& options) {
  const auto stop = stop_on_interrupt();
  auto tuned = run::tune_division(inputs.scenario, inputs.machine, options.measure, stop);
  std::string failure;
  if (options.measure && !tuned.stopped) failure = measure_candidates(tuned, inputs, common, options, stop);
  const Output output(common.quiet, data_on_stdout(common) || is_standard_output(options.write));
  output.text(division_text(tuned, output));
  write_data(common.json, common.json.empty() ? "" : run::tuning_json(tuned));
  write_data(common.csv, common.csv.empty() ? "" : validate::to_csv(tuned.set));
  if (!common.trace.empty()) {
    run::Traces traces;
    traces.add(tuned.set, inputs.scenario, inputs.machine, {});
    write_data(common.trace, traces.json());
  }
  if (!failure.empty()) complain(inputs.scenario.name + ": " + failure + "; partial results kept");
  if (!options.write.empty()) {
    auto written = run::tuned_scenario(inputs.scenario, inputs.machine, tuned);
    if (!is_standard_output(options.write)) move_paths(written, options.write);
    write_data(options.write, scenarios::write_scenario(written));
  }
  return !failure.empty() || stop.stop_requested() ? kDeviceFailed : kOk;
}

void move_paths(scenarios::Scenario& written, const std::string& target) {
  const fs::path from = fs::absolute(fs::path(written.path)).parent_path();
  const fs::path to = fs::absolute(fs::path(target)).parent_path();
  std::error_code error;
  if (fs::equivalent(from, to, error)) return;
  const auto move = [&](std::string& name) {
    if (name.empty() || fs::path(name).is_absolute() || !fs::exists(from / name, error)) return;
    name = fs::proximate(from / name, to, error).string();
  };
  move(written.machine);
  for (auto& kernel : written.kernels) {
    move(kernel.opencl_file);
    move(kernel.cuda_file);
  }
  if (auto* partition = std::get_if<scenarios::Partition>(&written.body)) {
    auto& kernel = partition->kernel;
    for (auto* name : {&kernel.source_file, &kernel.cpu_file, &kernel.opencl_file, &kernel.cuda_file}) move(*name);
  }
}

}  // namespace forelap::app
