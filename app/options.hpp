#pragma once
// Options that commands share, and the inputs that they name.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/read.hpp"
#include "scenarios/scenario.hpp"
#include "validate/results.hpp"

namespace CLI {
class App;
}

namespace forelap::app {

struct CommonOptions {
  std::string machine;
  std::vector<std::string> set;
  std::string json;
  std::string csv;
  std::string trace;
  std::optional<std::uint64_t> seed;
  bool quiet = false;
};

struct HardwareOptions {
  std::vector<std::string> devices;
  std::optional<std::uint32_t> repetitions;
  bool resume = false;  ///< go on with the study that the file of --json holds
};

/// Whether data takes standard output.
bool data_on_stdout(const CommonOptions& options);

/// The files that the options write, looked at before the work begins (app/outputs.hpp). Throws core::Error
/// (bad_input).
void check_outputs(const CommonOptions& options, const std::vector<std::string>& inputs);

/// Why `text` is no seed, or empty where it is one; for the parser, which would wrap negative numbers around.
std::string seed_error(const std::string& text);

/// Why `name` names no file, or empty where it may; for the parser: an empty name would silently write or read nothing.
std::string file_error(const std::string& name);

void add_common(CLI::App& command, CommonOptions& options);
void add_hardware(CLI::App& command, HardwareOptions& options);
void add_engine(CLI::App& command, std::string& engine);

/// What-ifs of --set, told apart by the first key of their path (scenarios::split_overrides); a leading "machine." or
/// "scenario." decides.
struct Overrides {
  std::vector<scenarios::Override> machine;
  std::vector<scenarios::Override> scenario;
};
Overrides overrides_of(const CommonOptions& options);

/// File of the machine that the scenario names. Throws core::Error (bad_input).
std::filesystem::path machine_of(const scenarios::Scenario& scenario);

/// What a command works on. The machine holds the devices that the scenario uses, in its order.
struct Inputs {
  scenarios::Scenario scenario;
  core::Machine machine;
  core::Machine sized_for;  ///< the machine without what-ifs: wished durations are sized for it
};

/// Reads the scenario and the machine: that of -m, else the one that the scenario names, else ./machine.yaml.
/// `for_hardware`: a machine that the scenario names counts only where it describes real devices. Throws core::Error.
Inputs load_inputs(const std::string& scenario, const CommonOptions& options, bool for_hardware);

/// The runs that the inputs ask for; those of a study are planned, and the inputs then hold its expanded scenario.
validate::RunSet runs_of(Inputs& inputs);

}  // namespace forelap::app
