#include "app/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/outputs.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "run/rows.hpp"
#include "run/study.hpp"
#include "scenarios/catalogue.hpp"

namespace forelap::app {
namespace {

constexpr const char* kDefaultProfile = "machine.yaml";

bool describes_hardware(const core::Machine& machine) {
  return std::any_of(machine.devices.begin(), machine.devices.end(), [](const core::DeviceModel& device) {
    return !core::is_ideal(device) && device.identity.backend != "model";
  });
}

core::Machine load_machine(const scenarios::Scenario& scenario, const CommonOptions& options,
                           const std::vector<scenarios::Override>& overrides, bool for_hardware) {
  if (!options.machine.empty()) return scenarios::read_machine(scenarios::resolve_machine(options.machine), overrides);
  if (!scenario.machine.empty()) {
    auto machine = scenarios::read_machine(machine_of(scenario), overrides);
    if (!for_hardware || describes_hardware(machine)) return machine;
  }
  std::error_code ignored;
  if (std::filesystem::exists(kDefaultProfile, ignored)) return scenarios::read_machine(kDefaultProfile, overrides);
  core::throw_bad_input(for_hardware
                            ? "no profile of a device: `forelap calibrate -o machine.yaml` makes one, -m names it"
                            : "scenario '" + scenario.name +
                                  "' names no machine: give one with -m (`forelap list` shows the shipped ones, "
                                  "`forelap calibrate -o machine.yaml` makes a profile of a device)");
}

}  // namespace

std::filesystem::path machine_of(const scenarios::Scenario& scenario) {
  return scenarios::resolve_machine(scenario.machine, std::filesystem::path(scenario.path).parent_path());
}

bool data_on_stdout(const CommonOptions& options) {
  for (const auto* name : {&options.json, &options.csv, &options.trace}) {
    if (is_standard_output(*name)) return true;
  }
  return false;
}

void check_outputs(const CommonOptions& options, const std::vector<std::string>& inputs) {
  check_outputs({{"--json", options.json}, {"--csv", options.csv}, {"--trace", options.trace}}, inputs);
}

std::string seed_error(const std::string& text) {
  if (core::parse_whole(text)) return {};
  return "found \"" + text + "\", expected a whole number from 0 to 18446744073709551615";
}

std::string file_error(const std::string& name) {
  return name.empty() ? "found an empty name, expected that of a file" : "";
}

void add_common(CLI::App& command, CommonOptions& options) {
  command.add_option("-m,--machine", options.machine, "Machine profile: a file, or the name of a shipped one")
      ->type_name("FILE")
      ->check(file_error);
  command
      .add_option("--set", options.set,
                  "What if: replaces a value of the scenario, or of the machine where the path starts with "
                  "\"machine.\", such as machine.devices[0].copy_engines=1; may be given several times")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  command.add_option("--json", options.json, "Write the results as JSON (- is standard output)")
      ->type_name("FILE|-")
      ->check(file_error);
  command.add_option("--csv", options.csv, "Write one line a run as CSV (- is standard output)")
      ->type_name("FILE|-")
      ->check(file_error);
  command.add_option("--trace", options.trace, "Write timelines as a Chrome trace, which opens in ui.perfetto.dev")
      ->type_name("FILE|-")
      ->check(file_error);
  command.add_option("--seed", options.seed, "Seed of everything random (default: the scenario's)")
      ->type_name("N")
      ->check(seed_error);
  command.add_flag("-q,--quiet", options.quiet, "No text and no progress; data and errors only");
}

void add_hardware(CLI::App& command, HardwareOptions& options) {
  command
      .add_option("--device", options.devices,
                  "Device to measure on: auto, cuda:N, opencl:N, cpu, cpu:FIRST-LAST (default: the profile's); one "
                  "for each device of the scenario")
      ->type_name("SPEC")
      ->expected(1)
      ->take_all();
  command
      .add_option("--repetitions", options.repetitions,
                  "Runs of each order beside the cold one (default: the scenario's)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--resume", options.resume, "Go on with the study whose results so far are in the file of --json");
}

void add_engine(CLI::App& command, std::string& engine) {
  command.add_option("--engine", engine, "Engine that predicts: fast, or simgrid as a second opinion")
      ->type_name("fast|simgrid")
      ->check(CLI::IsMember({"fast", "simgrid"}));
}

Overrides overrides_of(const CommonOptions& options) {
  std::vector<scenarios::Override> all;
  for (const auto& text : options.set) all.push_back(scenarios::parse_override(text));
  auto split = scenarios::split_overrides(all);
  return {std::move(split.machine), std::move(split.scenario)};
}

Inputs load_inputs(const std::string& scenario, const CommonOptions& options, bool for_hardware) {
  const auto overrides = overrides_of(options);
  Inputs inputs;
  const auto file = scenarios::resolve_scenario(scenario);
  check_outputs(options, {file.string(), options.machine});
  inputs.scenario = scenarios::read_scenario(file, overrides.scenario);
  if (options.seed) inputs.scenario.seed = *options.seed;
  inputs.machine =
      run::select_devices(load_machine(inputs.scenario, options, overrides.machine, for_hardware), inputs.scenario);
  inputs.sized_for =
      overrides.machine.empty()
          ? inputs.machine
          : run::select_devices(load_machine(inputs.scenario, options, {}, for_hardware), inputs.scenario);
  return inputs;
}

validate::RunSet runs_of(Inputs& inputs) {
  if (!run::is_study(inputs.scenario)) return run::make_rows(inputs.scenario, inputs.machine, inputs.sized_for);
  scenarios::Scenario expanded;
  auto set = run::plan_study(inputs.scenario, inputs.machine, inputs.sized_for, expanded);
  inputs.scenario = std::move(expanded);
  return set;
}

}  // namespace forelap::app
