// forelap validate: predictions compared with measurements, made here, recorded or published.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/options.hpp"
#include "app/progress_bar.hpp"
#include "app/show_results.hpp"
#include "app/table.hpp"
#include "app/terminal.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "run/library.hpp"
#include "run/validation.hpp"

namespace forelap::app {
namespace {

bool misses(const validate::RunSet& set) {
  const auto error = validate::summarize(set).mean_abs_error_pct;
  return error && *error > set.tolerance_pct;
}

std::string plain(const std::optional<double>& value, int decimals) {
  return value ? core::fixed(*value, decimals) : "-";
}

struct ValidateCommand {
  std::vector<std::string> scenarios;
  std::string against = "hardware";
  std::string recorded_folder;
  std::string engine = "fast";
  CommonOptions common;
  HardwareOptions hardware;
  bool all = false;

  int run() const {
    if (against == "recorded") return validate_recorded();
    if (against == "published") return validate_published();
    if (scenarios.empty())
      core::throw_bad_input("validate: name at least one scenario, such as `forelap validate bk50`");
    return validate_hardware();
  }

 private:
  [[nodiscard]] Output output() const { return {common.quiet, data_on_stdout(common)}; }

  int validate_hardware() const {
    if (hardware.resume && scenarios.size() > 1) {
      core::throw_bad_input("--resume goes on with the one study that the file of --json holds; found " +
                            std::to_string(scenarios.size()) +
                            " scenarios; go on with each by itself, with a --json of its own");
    }
    const auto stop = stop_on_interrupt();
    say_what_faults();
    std::vector<validate::RunSet> sets;
    run::Traces traces;
    std::optional<int> code;
    bool missed = false;
    for (const auto& scenario : scenarios) {
      auto measured = measure_scenario(scenario, common, hardware, engine, stop, traces);
      output().text(results_text(measured.set, all, output()));
      missed = report_tolerance(measured.set) || missed;
      code = incomplete(measured);
      sets.push_back(std::move(measured.set));
      if (code) break;
      // What is done is kept even where the next scenario takes the program down with it.
      if (sets.size() < scenarios.size() && !data_on_stdout(common)) write_results(sets, traces, common);
    }
    write_results(sets, traces, common);
    return code.value_or(missed ? kToleranceMissed : kOk);
  }

  bool report_tolerance(const validate::RunSet& set) const {
    if (!misses(set)) return false;
    complain(set.scenario + ": mean error " + percent(validate::summarize(set).mean_abs_error_pct) +
             " is above the tolerance of " + percent(set.tolerance_pct));
    return true;
  }

  int validate_recorded() const {
    check_outputs(common, {});
    run::RecordedOptions options;
    options.folder = recorded_folder.empty() ? run::recorded_folder() : std::filesystem::path(recorded_folder);
    options.scenarios = scenarios;
    options.machine = common.machine;
    const auto overrides = overrides_of(common);
    options.machine_overrides = overrides.machine;
    options.scenario_overrides = overrides.scenario;
    options.predict.engine = engine;
    options.predict.stop = stop_on_interrupt();
    const auto done = predict(options);
    std::vector<validate::RunSet> sets;
    run::Traces traces;
    bool missed = false;
    for (const auto& entry : done) {
      sets.push_back(entry.set);
      if (all) output().text(results_text(entry.set, all, output()));
      if (!common.trace.empty()) traces.add(entry.set, entry.scenario, entry.machine, {});
    }
    output().text(recorded_table(done));
    for (const auto& set : sets) missed = report_tolerance(set) || missed;
    write_results(sets, traces, common);
    if (options.predict.stop.stop_requested()) {
      complain("stopped by the user; partial results kept");
      return kDeviceFailed;
    }
    return missed ? kToleranceMissed : kOk;
  }

  [[nodiscard]] std::vector<run::Revalidated> predict(run::RecordedOptions& options) const {
    ProgressBar bar(common.quiet);
    options.predict.progress = bar.receiver();
    return run::predict_recorded(options);
  }

  [[nodiscard]] std::string recorded_table(const std::vector<run::Revalidated>& done) const {
    Table table({{"machine", Align::left, true},
                 {"set", Align::left, true},
                 {"runs"},
                 {"mean error"},
                 {"largest"},
                 {"beyond spread"},
                 {"spread"},
                 {"tau"},
                 {"regret"},
                 {"in interval"}});
    for (const auto& entry : done) {
      const auto s = validate::summarize(entry.set);
      table.add({entry.file.parent_path().filename().string(), entry.file.stem().string(), std::to_string(s.runs),
                 percent(s.mean_abs_error_pct), percent(s.max_abs_error_pct), percent(s.max_error_beyond_spread_pct),
                 percent(s.spread_pct), plain(s.kendall_tau, 3), percent(s.regret_pct),
                 percent(s.interval_coverage_pct)});
    }
    return table.render(output().width(), output().colours());
  }

  int validate_published() const {
    if (!common.json.empty() || !common.csv.empty() || !common.trace.empty()) {
      core::throw_bad_input("validate --against published compares digits and writes no data files");
    }
    run::PredictOptions options;
    options.engine = engine;
    options.draws = 0;
    options.stop = stop_on_interrupt();
    Table table({{"scenario", Align::left, true},
                 {"machine", Align::left, true},
                 {"best", Align::right},
                 {"geometric mean", Align::right},
                 {"worst", Align::right},
                 {"", Align::left}});
    bool equal = true;
    for (const auto& outcome : run::predict_published(scenarios, options)) {
      const auto cell = [&outcome](double seconds, const std::string& digits) {
        if (digits.empty()) return std::string("-");
        return core::fixed(seconds / outcome.row.unit, 4) + " / " + digits;
      };
      std::string machine = outcome.row.machine;
      for (const auto& [path, value] : outcome.row.overrides) machine += " " + path + "=" + value;
      table.add({outcome.row.scenario, machine, cell(outcome.best, outcome.row.best),
                 cell(outcome.geometric_mean, outcome.row.geometric_mean), cell(outcome.worst, outcome.row.worst),
                 outcome.equal ? "equal" : "differs"});
      equal = equal && outcome.equal;
    }
    output().text("predicted / published, in the source's unit\n");
    output().text(table.render(output().width(), output().colours()));
    if (options.stop.stop_requested()) {
      complain("stopped by the user before every figure was compared");
      return kDeviceFailed;
    }
    return equal ? kOk : kToleranceMissed;
  }
};

}  // namespace

void add_validate(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<ValidateCommand>();
  auto* sub = app.add_subcommand("validate", "Compare predictions with measurements");
  sub->add_option("SCENARIO", command->scenarios, "Scenarios: files, or names of shipped ones")->type_name("SCENARIO");
  sub->add_option("--against", command->against,
                  "What to compare with: hardware (measured now), recorded (measurements kept with the project) or "
                  "published (figures of papers)")
      ->type_name("hardware|recorded|published")
      ->check(CLI::IsMember({"hardware", "recorded", "published"}));
  sub->add_option("--recorded", command->recorded_folder, "Folder of recordings (default: the shipped ones)")
      ->type_name("FOLDER")
      ->check(file_error);
  add_engine(*sub, command->engine);
  add_hardware(*sub, command->hardware);
  sub->add_flag("--all", command->all, "Show every order, not only the best, median and worst");
  add_common(*sub, command->common);
  sub->footer(
      "Example: forelap validate bk50 -m machine.yaml --json bk50.json --trace bk50-trace.json\n"
      "         forelap validate --against recorded");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
