// forelap tune: the order of a task group, the device of each task and the kernel lanes, or the shares of a partition,
// chosen by the models and, where hardware is there, measured.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/options.hpp"
#include "app/outputs.hpp"
#include "app/progress_bar.hpp"
#include "app/show_tuning.hpp"
#include "app/terminal.hpp"
#include "app/tune_partition.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "run/measure.hpp"
#include "run/predict.hpp"
#include "run/tuning.hpp"
#include "scenarios/catalogue.hpp"

namespace forelap::app {
namespace {

using tune::order::Method;

constexpr double kLongestSearch = 1e6;  // seconds

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int m = 0;; ++m) {
      const auto name = tune::order::method_name(static_cast<Method>(m));
      if (name.empty()) return all;
      all.push_back(name);
    }
  }();
  return names;
}

std::string method_error(const std::string& name) {
  if (tune::order::method_of(name)) return {};
  const auto near = core::nearest(name, method_names());
  return "found \"" + name + "\"" + (near.empty() ? "; the" : "; did you mean " + near + "? The") + " methods are " +
         core::join_names(method_names());
}

std::string seconds_error(const std::string& text) {
  const auto number = core::parse_number(text);
  if (number && *number >= 0 && *number <= kLongestSearch) return {};
  return "found \"" + text + "\", expected a number of seconds from 0 to 1000000, such as 2.5";
}

std::string gap_error(const std::string& text) {
  const auto number = core::parse_number(text);
  if (number && *number >= 0 && *number <= 1000) return {};
  return "found \"" + text + "\", expected a number of percent from 0 to 1000, such as 0.5";
}

struct TuneCommand {
  std::string scenario;
  CommonOptions common;
  HardwareOptions hardware;
  std::string method = "auto";
  std::string time_limit = "1";
  std::string gap = "0";
  std::string write;
  bool keep_devices = false;
  bool measure = false;

  [[nodiscard]] bool measuring() const { return measure || !hardware.devices.empty(); }

  int run() const {
    if (measuring()) say_what_faults();
    check_write();
    const auto inputs = load_inputs(scenario, common, measuring());
    if (scenarios::is_partition(inputs.scenario)) {
      return tune_partition_scenario(inputs, common, {hardware, measuring(), write});
    }
    const auto stop = stop_on_interrupt();
    run::Tuned tuned;
    std::string failure;
    {
      ProgressBar bar(common.quiet);
      tuned = run::tune_scenario(inputs.scenario, inputs.machine, inputs.sized_for, tune_options(inputs, stop, bar));
      if (measuring() && !tuned.stopped) failure = measure_candidates(tuned, inputs, stop, bar);
    }
    show(tuned, inputs);
    if (!failure.empty()) complain(inputs.scenario.name + ": " + failure + "; partial results kept");
    if (!write.empty()) write_scenario(tuned, inputs);
    return !failure.empty() || stop.stop_requested() ? kDeviceFailed : kOk;
  }

 private:
  void check_write() const {
    check_outputs({{"--json", common.json}, {"--csv", common.csv}, {"--trace", common.trace}, {"--write", write}},
                  {scenarios::resolve_scenario(scenario).string(), common.machine});
  }

  [[nodiscard]] run::TuneOptions tune_options(const Inputs& inputs, const core::StopToken& stop,
                                              ProgressBar& bar) const {
    run::TuneOptions options;
    options.group.method = tune::order::method_of(method).value_or(Method::automatic);
    options.group.seconds = core::parse_number(time_limit).value_or(1);
    options.group.gap = core::parse_number(gap).value_or(0) / 100;
    options.group.seed = inputs.scenario.seed;
    options.group.free_devices = !keep_devices;
    options.group.stop = stop;
    options.progress = bar.receiver();
    return options;
  }

  /// What went wrong, or nothing; what was measured before is in the set.
  std::string measure_candidates(run::Tuned& tuned, const Inputs& inputs, const core::StopToken& stop,
                                 ProgressBar& bar) const {
    const auto devices = run::open_hardware(inputs.machine, hardware.devices);
    run::require_profile(inputs.machine, devices);
    describe_hardware(tuned.set, devices);
    run::MeasureOptions options;
    options.repetitions = hardware.repetitions.value_or(15);
    options.seed = inputs.scenario.seed;
    options.stop = stop;
    options.progress = bar.receiver();
    const auto bind = binder(inputs.scenario, devices);
    auto outcome = run::measure_rows(tuned.set, inputs.scenario, *devices.executor, bind, options);
    tuned.stopped = outcome.stopped;
    if (!outcome.stopped && outcome.failure.empty()) run::judge_measurements(tuned);
    return outcome.failure;
  }

  void show(const run::Tuned& tuned, const Inputs& inputs) const {
    const Output output(common.quiet, data_on_stdout(common) || is_standard_output(write));
    output.text(tuning_text(tuned, output));
    write_data(common.json, common.json.empty() ? "" : run::tuning_json(tuned));
    write_data(common.csv, common.csv.empty() ? "" : run::tuning_csv(tuned));
    if (common.trace.empty()) return;
    run::Traces traces;
    traces.add(tuned.set, inputs.scenario, inputs.machine, {});
    write_data(common.trace, traces.json());
  }

  void write_scenario(const run::Tuned& tuned, const Inputs& inputs) const {
    auto written = run::tuned_scenario(inputs.scenario, inputs.machine, tuned);
    if (!is_standard_output(write)) move_paths(written, write);
    write_data(write, scenarios::write_scenario(written));
  }
};

void add_search(CLI::App& command, TuneCommand& tune) {
  command
      .add_option("--method", tune.method, "How to search: " + core::join_names(method_names()) + " (default: auto)")
      ->type_name("NAME")
      ->check(method_error);
  command.add_option("--time-limit", tune.time_limit, "Seconds after which a search ends with its best (default: 1)")
      ->type_name("SECONDS")
      ->check(seconds_error);
  command
      .add_option("--gap", tune.gap,
                  "Percent: a search ends once it is proved that nothing is so much faster (default: 0)")
      ->type_name("PCT")
      ->check(gap_error);
  command.add_flag("--keep-devices", tune.keep_devices, "Leave each task on the device that the scenario gives it");
  command.add_option("--write", tune.write, "Write the scenario with what was chosen (- is standard output)")
      ->type_name("FILE|-")
      ->check(file_error);
}

void add_measuring(CLI::App& command, TuneCommand& tune) {
  command.add_flag("--measure", tune.measure,
                   "Measure the chosen, the given and the heuristic's order and the ties on the devices here, and take "
                   "the fastest");
  command
      .add_option("--device", tune.hardware.devices,
                  "Device to measure on: auto, cuda:N, opencl:N, cpu, cpu:FIRST-LAST; one for each device of the "
                  "scenario; means --measure")
      ->type_name("SPEC")
      ->expected(1)
      ->take_all();
  command
      .add_option("--repetitions", tune.hardware.repetitions, "Runs of each order beside the cold one (default: 15)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
}

}  // namespace

void add_tune(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<TuneCommand>();
  auto* sub = app.add_subcommand(
      "tune",
      "Choose the order of a task group, its devices and kernel lanes, or the shares of a partition, and say why");
  sub->add_option("SCENARIO", command->scenario, "Scenario: a file, or the name of a shipped one")->required();
  add_search(*sub, *command);
  add_measuring(*sub, *command);
  add_common(*sub, command->common);
  sub->footer("Example: forelap tune bk50 --write tuned.yaml");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
