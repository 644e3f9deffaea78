#pragma once
// Shared modules of backends, loaded the first time they are needed. A module stays loaded until the process ends.

#include <filesystem>
#include <string>
#include <vector>

#include "hw/device.hpp"

namespace forelap::hw {

/// A module's maker function, or why there is none.
struct ModuleLookup {
  void* function = nullptr;  ///< set exactly where `state` is `ready`
  BackendState state = BackendState::not_built;
  std::string reason;
};

/// Where modules are looked for: the directories of the environment variable FORELAP_MODULES (separated by ':') where
/// it is set, else forelap/ beside the shared library that this code is part of (where it is), ../lib/forelap beside
/// the program, and the library directory of an installation.
std::vector<std::filesystem::path> module_directories();

/// Loads forelap_<name>.so from the first of `directories` that has it and looks up `function` in it. Where no
/// directory has it the reason names `option`, the build option that would build it.
ModuleLookup load_module(const std::string& name, const char* function, const std::string& option,
                         const std::vector<std::filesystem::path>& directories);

/// The Debian package that brings the library which the loader's words complain about, as a sentence that can follow
/// them; empty where it is not known.
std::string package_hint(const std::string& loader_words);

}  // namespace forelap::hw
