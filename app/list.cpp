// forelap list: the shipped scenarios and machines.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/table.hpp"
#include "app/terminal.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/read.hpp"

namespace forelap::app {
namespace {

int list_library() {
  const Output output(false, false);
  Table scenario_table({{"scenario", Align::left}, {"what", Align::left, true}});
  for (const auto& [name, file] : scenarios::shipped_scenarios()) {
    scenario_table.add({name, scenarios::read_scenario(file).description});
  }
  Table machine_table({{"machine", Align::left}, {"devices", Align::left, true}, {"from", Align::left, true}});
  for (const auto& [name, file] : scenarios::shipped_machines()) {
    const auto machine = scenarios::read_machine(file);
    std::string devices;
    for (const auto& device : machine.devices) devices += (devices.empty() ? "" : ", ") + device.name;
    machine_table.add({name, devices, machine.how});
  }
  output.text(scenario_table.render(output.width(), output.colours()) + "\n" +
              machine_table.render(output.width(), output.colours()));
  return kOk;
}

}  // namespace

void add_list(CLI::App& app, Run& chosen) {
  auto* sub = app.add_subcommand("list", "Show the shipped scenarios and machines");
  sub->footer("Example: forelap list");
  sub->callback([&chosen] { chosen = list_library; });
}

}  // namespace forelap::app
