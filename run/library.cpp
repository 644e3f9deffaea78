#include "run/library.hpp"

#include <cstdlib>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::run {
namespace {

namespace fs = std::filesystem;

fs::path find_folder(const char* kind) {
  std::vector<fs::path> places;
  if (const char* named = std::getenv("FORELAP_DATA"); named != nullptr && *named != '\0') places.emplace_back(named);
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  if (!error) places.push_back(program.parent_path().parent_path() / "share" / "forelap");
  places.emplace_back(FORELAP_VALIDATE_DIR);
  std::vector<std::string> tried;
  for (const auto& place : places) {
    if (fs::is_directory(place / kind, error)) return place / kind;
    tried.push_back((place / kind).string());
  }
  core::throw_unavailable("the shipped folder '" + std::string(kind) + "' is not found; tried " +
                          core::join_names(tried) + "; set FORELAP_DATA to the folder that holds it");
}

}  // namespace

fs::path recorded_folder() {
  return find_folder("recorded");
}

fs::path published_folder() {
  return find_folder("published");
}

}  // namespace forelap::run
