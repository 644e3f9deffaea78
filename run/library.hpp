#pragma once
// Where the shipped scenarios, machines, recordings and published figures are, and how users name them: by a file's
// path or by a shipped name ("bk50").

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace forelap::run {

/// The folder that holds scenarios/ and validate/ as in the source tree: $FORELAP_DATA, else share/forelap beside the
/// program's bin/, else the source tree that the program was built from. Throws core::Error (unavailable) naming the
/// places that were tried.
std::filesystem::path data_folder();

/// Path of a scenario or machine: `name` itself where such a file exists, else the shipped one of that name. Throws
/// core::Error (bad_input) naming the nearest shipped one.
std::filesystem::path find_scenario(const std::string& name);
std::filesystem::path find_machine(const std::string& name);
/// The machine that a scenario names, which may be a path from the scenario's own folder. Throws as above.
std::filesystem::path machine_of(const scenarios::Scenario& scenario);

/// Files of the shipped scenarios and machines, by name.
std::vector<std::filesystem::path> shipped_scenarios();
std::vector<std::filesystem::path> shipped_machines();

}  // namespace forelap::run
