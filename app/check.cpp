// forelap check: are these files right?

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/command.hpp"
#include "app/options.hpp"
#include "app/terminal.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/read.hpp"
#include "validate/json.hpp"

namespace forelap::app {
namespace {

constexpr std::size_t kLargestResult = std::size_t{256} << 20;

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// What is known without a machine: its devices decide how many runs there are where the file leaves them open.
std::string describe_partition(const scenarios::Scenario& scenario) {
  const auto& partition = scenarios::partition_of(scenario);
  std::string text = "scenario " + scenario.name + ": kernel " + partition.kernel.name + " over " +
                     counted(scenarios::partition_rows(partition), "row");
  if (!partition.devices.empty()) {
    const std::size_t settings = scenarios::weight_settings(partition, partition.devices.size()).size();
    const std::size_t chunks = std::max<std::size_t>(1, partition.chunks.size());
    text += ", " + counted(partition.devices.size(), "device") + ", " +
            counted(std::max<std::size_t>(1, settings) * chunks, "run");
  }
  return text;
}

std::string describe_scenario(const std::filesystem::path& file, const Overrides& overrides) {
  const auto scenario = scenarios::read_scenario(file, overrides.scenario);
  // A machine or a kernel file that is not there is found here rather than at the first run.
  if (!scenario.machine.empty()) machine_of(scenario);
  if (scenarios::is_partition(scenario)) return describe_partition(scenario);
  const auto& group = scenarios::task_group_of(scenario);
  std::size_t orders = 0;
  std::size_t tasks = 0;
  for (const auto& c : group.cases) {
    orders += group.online ? group.online->policies.size() : scenarios::orders_of(c, group.order).size();
    tasks += c.tasks.size();
  }
  return "scenario " + scenario.name + ": " + counted(group.cases.size(), "case") + ", " + counted(tasks, "task") +
         ", " + counted(orders, "run");
}

std::string describe_machine(const std::filesystem::path& file, const Overrides& overrides) {
  const auto machine = scenarios::read_machine(file, overrides.machine);
  return "machine " + machine.name + ": " + counted(machine.devices.size(), "device");
}

std::string describe_file(const std::string& name, const Overrides& overrides) {
  const std::filesystem::path file = name;
  if (file.extension() == ".json") {
    const auto set = validate::from_json(core::read_file(file, kLargestResult), file.string());
    return "results of " + set.scenario + " on " + set.machine + ": " + counted(set.rows.size(), "run");
  }
  std::error_code ignored;
  const auto path = std::filesystem::exists(file, ignored) ? file : scenarios::resolve_scenario(name);
  return scenarios::document_kind(path) == scenarios::DocumentKind::machine ? describe_machine(path, overrides)
                                                                            : describe_scenario(path, overrides);
}

struct CheckCommand {
  std::vector<std::string> files;
  CommonOptions common;

  int run() const {
    const auto overrides = overrides_of(common);
    int code = kOk;
    for (const auto& file : files) {
      try {
        Output(common.quiet, false).text(file + ": ok, " + describe_file(file, overrides) + "\n");
      } catch (const core::Error& error) {
        // The other files are checked too; the first kind of trouble gives the exit code.
        if (error.kind() == core::ErrorKind::device_failed) throw;
        complain(error.what());
        if (code == kOk) code = error.kind() == core::ErrorKind::bad_input ? kBadInput : kUnavailable;
      }
    }
    return code;
  }
};

}  // namespace

void add_check(CLI::App& app, Run& chosen) {
  auto command = std::make_shared<CheckCommand>();
  auto* sub = app.add_subcommand("check", "Check scenario, machine and result files without running anything");
  sub->add_option("FILE", command->files, "Files to check")->required();
  sub->add_option("--set", command->common.set, "What if: check with this value replaced")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  sub->add_flag("-q,--quiet", command->common.quiet, "Errors only");
  sub->footer("Example: forelap check my-scenario.yaml machine.yaml");
  sub->callback([command, &chosen] { chosen = [command] { return command->run(); }; });
}

}  // namespace forelap::app
