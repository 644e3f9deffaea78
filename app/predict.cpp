// forelap predict: the makespans of a scenario on a machine, by simulation.

#include "run/predict.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/options.hpp"
#include "app/progress_bar.hpp"
#include "app/show_results.hpp"
#include "app/terminal.hpp"
#include "run/rows.hpp"
#include "run/traces.hpp"
#include "validate/csv.hpp"
#include "validate/json.hpp"

namespace forelap::app {
namespace {

struct PredictCommand {
  std::string scenario;
  CommonOptions common;
  std::string engine = "fast";
  bool all = false;

  int run() const {
    auto inputs = load_inputs(scenario, common, false);
    auto set = runs_of(inputs);
    run::PredictOptions options;
    options.engine = engine;
    options.stop = stop_on_interrupt();
    {
      ProgressBar bar(common.quiet);
      options.progress = bar.receiver();
      run::predict_rows(set, inputs.scenario, inputs.machine, options);
    }
    if (options.stop.stop_requested()) set.notes.emplace_back("partial: stopped by the user");
    const Output output(common.quiet, data_on_stdout(common));
    output.text(results_text(set, all, output));
    write_data(common.json, common.json.empty() ? "" : validate::to_json(set));
    write_data(common.csv, common.csv.empty() ? "" : validate::to_csv(set));
    if (!common.trace.empty()) {
      run::Traces traces;
      traces.add(set, inputs.scenario, inputs.machine, {});
      write_data(common.trace, traces.json());
    }
    return options.stop.stop_requested() ? kDeviceFailed : kOk;
  }
};

}  // namespace

void add_predict(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<PredictCommand>();
  auto* sub = app.add_subcommand("predict", "Predict how long a scenario takes, in every order it asks for");
  sub->add_option("SCENARIO", command->scenario, "Scenario: a file, or the name of a shipped one")->required();
  add_engine(*sub, command->engine);
  sub->add_flag("--all", command->all, "Show every order, not only the best, median and worst");
  add_common(*sub, command->common);
  sub->footer("Example: forelap predict bk50 --set machine.devices[0].copy_engines=1");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
