// forelap measure: the makespans of a scenario on the devices here.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/interrupt.hpp"
#include "app/measuring.hpp"
#include "app/options.hpp"
#include "app/show_results.hpp"
#include "app/terminal.hpp"

namespace forelap::app {
namespace {

struct MeasureCommand {
  std::string scenario;
  CommonOptions common;
  HardwareOptions hardware;
  bool all = false;

  int run() const {
    say_what_faults();
    run::Traces traces;
    auto measured = measure_scenario(scenario, common, hardware, std::nullopt, stop_on_interrupt(), traces);
    const Output output(common.quiet, data_on_stdout(common));
    output.text(results_text(measured.set, all, output));
    write_results({measured.set}, traces, common);
    return incomplete(measured).value_or(kOk);
  }
};

}  // namespace

void add_measure(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<MeasureCommand>();
  auto* sub = app.add_subcommand("measure", "Measure how long a scenario takes on the devices here");
  sub->add_option("SCENARIO", command->scenario, "Scenario: a file, or the name of a shipped one")->required();
  add_hardware(*sub, command->hardware);
  sub->add_flag("--all", command->all, "Show every order, not only the best, median and worst");
  add_common(*sub, command->common);
  sub->footer("Example: forelap measure bk50 -m machine.yaml --repetitions 5 --csv bk50.csv");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
