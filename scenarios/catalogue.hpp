#pragma once
// The scenarios and machines that ship with forelap, and how a name on the command line becomes a file.
//
// Looked for, in this order, in: the folder that the environment variable FORELAP_DATA names; ../share/forelap beside
// the running program (installed); the source tree that the program was built from. Each holds `library/` (scenarios)
// and `machines/`. Thread-safe.

#include <filesystem>
#include <string>
#include <vector>

namespace forelap::scenarios {

struct Shipped {
  std::string name;  ///< what the command line takes: the file's name without .yaml
  std::filesystem::path file;
};

/// By name; of two folders that hold the same name, the first wins.
std::vector<Shipped> shipped_scenarios();
std::vector<Shipped> shipped_machines();

/// The file that `name_or_path` means: a shipped name in any case, or a path (absolute, or relative to the working
/// folder, then to `base`, the folder of the scenario that names it). Throws core::Error (bad_input) naming the nearest
/// shipped name.
std::filesystem::path resolve_scenario(const std::string& name_or_path);
std::filesystem::path resolve_machine(const std::string& name_or_path, const std::filesystem::path& base = {});

}  // namespace forelap::scenarios
