// forelap schema: JSON schemas of the YAML files, for editors.

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command.hpp"
#include "app/options.hpp"
#include "app/terminal.hpp"
#include "scenarios/read.hpp"

namespace forelap::app {

void add_schema(CLI::App& app, Run& chosen) {
  auto kind = std::make_shared<std::string>("scenario");
  auto file = std::make_shared<std::string>("-");
  auto* sub = app.add_subcommand("schema", "Print the JSON schema of scenario or machine files, for editors");
  sub->add_option("KIND", *kind, "Which files")
      ->type_name("scenario|machine")
      ->check(CLI::IsMember({"scenario", "machine"}));
  sub->add_option("-o,--output", *file, "Where to (default: standard output)")->type_name("FILE|-")->check(file_error);
  sub->footer("Example: forelap schema scenario -o scenario.schema.json");
  sub->callback([kind, file, &chosen] {
    chosen = [kind, file] {
      write_data(*file, *kind == "machine" ? scenarios::machine_schema() : scenarios::scenario_schema());
      return kOk;
    };
  });
}

}  // namespace forelap::app
