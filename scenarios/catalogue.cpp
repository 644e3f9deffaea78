#include "scenarios/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::scenarios {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("FORELAP_DATA"); named != nullptr && *named != '\0') folders.emplace_back(named);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path().parent_path() / "share" / "forelap");
  folders.emplace_back(FORELAP_SCENARIOS_DIR);
  return folders;
}

std::vector<Shipped> shipped(const std::string& kind) {
  std::map<std::string, fs::path> files;
  for (const fs::path& folder : data_folders()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder / kind, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->path().extension() == ".yaml") files.emplace(entry->path().stem().string(), entry->path());
    }
  }
  std::vector<Shipped> result;
  for (const auto& [name, file] : files) result.push_back({name, file});
  return result;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

/// ASCII only: names of shipped files are.
std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

fs::path resolve(const std::string& name, const std::string& what, const std::vector<Shipped>& known,
                 const fs::path& base) {
  for (const Shipped& entry : known) {
    if (entry.name == lower_case(name)) return entry.file;
  }
  for (const fs::path& path : {fs::path(name), base / name}) {
    if (!name.empty() && is_file(path)) return path;
  }
  for (const Shipped& entry : known) {
    if (entry.file.filename() == name) return entry.file;
  }
  std::vector<std::string> names;
  for (const Shipped& entry : known) names.push_back(entry.name);
  const bool path_like = name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml");
  std::error_code error;
  if (path_like && fs::is_directory(name, error))
    core::throw_bad_input("\"" + name + "\" is a folder, expected a file");
  if (path_like) core::throw_bad_input("there is no file \"" + name + "\"");
  const std::string near = core::nearest(lower_case(name), names);
  core::throw_bad_input("there is no " + what + " \"" + name + "\", neither shipped nor a file" +
                        (near.empty() ? "." : "; did you mean \"" + near + "\"?") + " Shipped are " +
                        core::join_names(names) + " (`forelap list`)");
}

}  // namespace

std::vector<Shipped> shipped_scenarios() {
  return shipped("library");
}

std::vector<Shipped> shipped_machines() {
  return shipped("machines");
}

fs::path resolve_scenario(const std::string& name_or_path) {
  return resolve(name_or_path, "scenario", shipped_scenarios(), {});
}

fs::path resolve_machine(const std::string& name_or_path, const fs::path& base) {
  return resolve(name_or_path, "machine", shipped_machines(), base);
}

}  // namespace forelap::scenarios
