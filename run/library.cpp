#include "run/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScenarios = "scenarios/library";
constexpr const char* kMachines = "scenarios/machines";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::vector<fs::path> yaml_files(const char* folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (auto it = fs::directory_iterator(data_folder() / folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    if (it->path().extension() == ".yaml") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string lower_case(std::string text) {
  // ASCII only: names of shipped files are.
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

fs::path find_shipped(const std::string& name, const char* folder, const char* what) {
  if (is_there(name)) return name;
  std::vector<std::string> names;
  for (const auto& file : yaml_files(folder)) {
    names.push_back(file.stem().string());
    if (lower_case(names.back()) == lower_case(name) || file.filename().string() == name) return file;
  }
  const std::string near = core::nearest(lower_case(name), names);
  core::throw_bad_input("no file '" + name + "', and no " + what + " of that name is shipped" +
                        (near.empty() ? "" : "; did you mean '" + near + "'?") +
                        " (`forelap list` shows what there is)");
}

}  // namespace

fs::path data_folder() {
  std::vector<fs::path> places;
  // Read once at start-up, before any thread: nobody changes the environment.
  if (const char* named = std::getenv("FORELAP_DATA"); named != nullptr && *named != '\0') {
    places.emplace_back(named);
  } else {
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error);
    if (!error) places.push_back(program.parent_path().parent_path() / "share" / "forelap");
    places.emplace_back(FORELAP_SOURCE_DIR);
  }
  std::vector<std::string> tried;
  for (const auto& place : places) {
    if (is_folder(place / kScenarios)) return place;
    tried.push_back((place / kScenarios).string());
  }
  core::throw_unavailable("the shipped scenarios are not found: " + core::join_names(tried) +
                          " is not there; set FORELAP_DATA to the folder that holds scenarios/");
}

fs::path find_scenario(const std::string& name) {
  return find_shipped(name, kScenarios, "scenario");
}

fs::path find_machine(const std::string& name) {
  return find_shipped(name, kMachines, "machine");
}

fs::path machine_of(const scenarios::Scenario& scenario) {
  const fs::path beside = fs::path(scenario.path).parent_path() / scenario.machine;
  if (is_there(beside)) return beside;
  return find_machine(scenario.machine);
}

std::vector<fs::path> shipped_scenarios() {
  return yaml_files(kScenarios);
}

std::vector<fs::path> shipped_machines() {
  return yaml_files(kMachines);
}

}  // namespace forelap::run
