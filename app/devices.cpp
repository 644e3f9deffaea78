// forelap devices: what is here, and why what is missing is missing.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/options.hpp"
#include "app/table.hpp"
#include "app/terminal.hpp"
#include "core/quantity.hpp"
#include "hw/backends.hpp"
#include "run/hardware.hpp"
#include "run/inventory.hpp"

namespace forelap::app {
namespace {

std::string engines_text(std::uint32_t claimed) {
  return claimed == 0 ? "-" : std::to_string(claimed);
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

Table device_table(const std::vector<hw::BackendStatus>& backends) {
  Table table({{"device", Align::left},
               {"name", Align::left, true},
               {"driver", Align::left, true},
               {"memory"},
               {"units"},
               {"copy engines (claimed)"},
               {"link", Align::left, true}});
  for (const auto& backend : backends) {
    for (std::size_t i = 0; i < backend.devices.size(); ++i) {
      const auto& device = backend.devices[i];
      // A number behind "cpu:" would be a core.
      const std::string spec = backend.backend == "cpu" ? "cpu" : backend.backend + ":" + std::to_string(i);
      table.add({spec, device.identity.name, or_dash(device.identity.driver),
                 core::display_quantity(static_cast<double>(device.memory_bytes), core::Dimension::bytes, 3),
                 std::to_string(device.identity.compute_units), engines_text(device.claimed_copy_engines),
                 or_dash(device.link)});
    }
  }
  return table;
}

int list_devices(const std::string& json, bool quiet) {
  const auto backends = hw::all_backends();
  const Output output(quiet, json == "-");
  std::string text;
  bool any = false;
  for (const auto& backend : backends) {
    std::string line = backend.backend + ": " + run::state_name(backend.state);
    if (!backend.reason.empty()) line += " (" + backend.reason + ")";
    text += wrap(line, output.width(), 2) + "\n";
    any = any || !backend.devices.empty();
  }
  if (any) text += "\n" + device_table(backends).render(output.width(), output.colours());
  text += "\nhost: " + run::cpu_name() + ", " + std::to_string(run::usable_cores()) + " cores usable by this process\n";
  output.text(text);
  if (!json.empty()) write_data(json, run::devices_json(backends, run::usable_cores()));
  return any ? kOk : kUnavailable;
}

}  // namespace

void add_devices(CLI::App& app, Run& chosen) {
  auto json = std::make_shared<std::string>();
  auto quiet = std::make_shared<bool>(false);
  auto* sub = app.add_subcommand("devices", "Show what is here, and why what is missing is missing");
  sub->add_option("--json", *json, "Write the list as JSON (- is standard output)")
      ->type_name("FILE|-")
      ->check(file_error);
  sub->add_flag("-q,--quiet", *quiet, "No text; data and errors only");
  sub->footer("Example: forelap devices");
  sub->callback([json, quiet, &chosen] { chosen = [json, quiet] { return list_devices(*json, *quiet); }; });
}

}  // namespace forelap::app
