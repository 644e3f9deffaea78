// forelap calibrate: makes the profile of a device, from measurements here or from recorded samples.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/outputs.hpp"
#include "app/progress_bar.hpp"
#include "app/show_machine.hpp"
#include "app/table.hpp"
#include "app/terminal.hpp"
#include "calibrate/samples.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "run/calibration.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/read.hpp"

namespace forelap::app {
namespace {

struct CalibrateCommand {
  std::string output_file = "machine.yaml";
  std::string from;
  std::string samples;
  std::string base;
  std::vector<std::string> devices;
  std::vector<std::string> parts;
  std::vector<std::string> kernels;
  std::vector<std::string> scenarios;
  std::string name;
  std::optional<double> budget;
  std::uint64_t seed = 1;
  bool check = false;
  bool quiet = false;

  int run() const {
    if (check && !from.empty()) core::throw_bad_input("--check measures the devices here: it cannot go with --from");
    if (check) return check_profile();
    check_outputs({{"--output", output_file}, {"--samples", samples}}, {from});
    const auto done = from.empty() ? measure() : fit_recorded();
    const Output output(quiet, is_standard_output(output_file) || is_standard_output(samples));
    for (const auto& chosen : done.chosen) output.text(wrap(chosen, output.width(), 2) + "\n");
    output.text(machine_text(done.machine, output));
    for (const auto& warning : done.warnings) output.text(wrap("note: " + warning, output.width(), 2) + "\n");
    if (!samples.empty()) write_data(samples, calibrate::write_samples(done.samples));
    if (!done.complete) {
      // A profile of half a campaign would be taken for a whole one; the samples are kept where they were asked for.
      complain("stopped by the user before every part was measured; no profile written" +
               std::string(samples.empty() ? "" : ", the samples are kept in " + samples));
      return kDeviceFailed;
    }
    write_data(output_file, scenarios::write_machine(done.machine));
    if (!is_standard_output(output_file)) output.text("written to " + output_file + "\n");
    return kOk;
  }

 private:
  [[nodiscard]] run::CalibrationOptions options(core::Progress progress) const {
    run::CalibrationOptions options;
    if (!devices.empty()) options.devices = devices;
    options.name = name;
    options.kernels = kernels;
    options.scenarios = scenarios;
    options.parts = parts;
    options.budget_seconds = budget;
    options.seed = seed;
    options.progress = std::move(progress);
    return options;
  }

  /// The profile that --only completes or --check looks at: -m, else the output file where it is there.
  [[nodiscard]] std::optional<core::Machine> base_profile() const {
    if (!base.empty()) return scenarios::read_machine(scenarios::resolve_machine(base));
    std::error_code ignored;
    if (std::filesystem::exists(output_file, ignored)) return scenarios::read_machine(output_file);
    return std::nullopt;
  }

  [[nodiscard]] run::Calibration measure() const {
    say_what_faults();
    ProgressBar bar(quiet);
    auto chosen = options(bar.receiver());
    chosen.stop = stop_on_interrupt();
    if (!parts.empty()) chosen.base = base_profile();
    return run::calibrate_here(chosen);
  }

  [[nodiscard]] run::Calibration fit_recorded() const {
    auto chosen = options({});
    if (!base.empty()) chosen.base = base_profile();
    return run::calibrate_from(from, chosen);
  }

  int check_profile() const {
    const auto profile = base_profile();
    if (!profile) core::throw_bad_input("--check needs a profile: name it with -m");
    const Output output(quiet, false);
    run::Drift drift;
    say_what_faults();
    {
      ProgressBar bar(quiet);
      auto chosen = options(bar.receiver());
      chosen.stop = stop_on_interrupt();
      drift = run::check_drift(*profile, devices, chosen);
    }
    for (std::size_t i = 0; i < drift.reports.size(); ++i) {
      output.text(profile->devices[i].name + "\n" + drift_text(drift.reports[i], output));
    }
    output.text(drift.drifted() ? "the machine has drifted from its profile of " + profile->when +
                                      "; calibrate it again before you trust predictions\n"
                                : "the profile of " + profile->when + " still holds\n");
    return drift.drifted() ? kToleranceMissed : kOk;
  }
};

}  // namespace

void add_calibrate(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<CalibrateCommand>();
  auto* sub = app.add_subcommand("calibrate", "Measure a device and fit the models that predictions use");
  sub->add_option("-o,--output", command->output_file, "Profile to write (default: machine.yaml)")
      ->type_name("FILE|-")
      ->check(file_error);
  sub->add_option("--device", command->devices,
                  "Device: auto, cuda:N, opencl:N, cpu, cpu:FIRST-LAST (default: auto); several make one profile")
      ->type_name("SPEC")
      ->expected(1)
      ->take_all();
  sub->add_option("--from", command->from,
                  "Fit recorded samples instead of measuring: forelap's samples, StarPU's bus matrices, or a series of "
                  "bytes and seconds")
      ->type_name("FILE")
      ->check(file_error);
  sub->add_option("--samples", command->samples, "Also write the samples as CSV, which --from reads")
      ->type_name("FILE|-")
      ->check(file_error);
  sub->add_option("--only", command->parts,
                  "Measure this part only: latency, transfer, kernel, interference, engines or fill; the rest is kept "
                  "from the profile of -m or -o")
      ->type_name("PART")
      ->expected(1)
      ->take_all();
  sub->add_flag("--check", command->check, "Has the machine drifted from its profile? Exit code 1 where it has");
  sub->add_option("-m,--machine", command->base,
                  "The profile for --only and --check (default: that of -o), or of the device that --from is of")
      ->type_name("FILE")
      ->check(file_error);
  sub->add_option("--kernels", command->kernels,
                  "Built-in kernels to calibrate beside synthetic, joined by commas (default: "
                  "vector_add,matrix_multiply)")
      ->type_name("NAMES")
      ->delimiter(',');
  sub->add_option("--scenario", command->scenarios, "Calibrate the kernels that the scenario uses too")
      ->type_name("SCENARIO")
      ->expected(1)
      ->take_all();
  sub->add_option("--name", command->name, "Name of the profile (default: the device's)")->type_name("NAME");
  sub->add_option("--budget", command->budget, "Seconds of measurement to aim at, a device (default: 40)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 3600.0));
  sub->add_option("--seed", command->seed, "Seed of the order of measurements")->type_name("N")->check(seed_error);
  sub->add_flag("-q,--quiet", command->quiet, "No text and no progress; data and errors only");
  sub->footer(
      "Example: forelap calibrate -o machine.yaml\n"
      "         forelap calibrate --check -m machine.yaml");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
