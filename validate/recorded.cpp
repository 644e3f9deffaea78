#include "validate/recorded.hpp"

#include <algorithm>
#include <system_error>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "validate/json.hpp"

namespace forelap::validate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestResult = std::size_t{256} << 20;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    entries.push_back(it->path());
  }
  if (error) core::throw_bad_input(folder.string() + ": cannot be listed: " + error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::vector<RecordedSet> load_recorded(const fs::path& folder) {
  std::vector<RecordedSet> sets;
  for (const auto& machine_folder : sorted_entries(folder)) {
    if (!fs::is_directory(machine_folder)) continue;
    const auto profile = machine_folder / "machine.yaml";
    for (const auto& file : sorted_entries(machine_folder)) {
      if (file.extension() != ".json") continue;
      if (!fs::exists(profile)) {
        core::throw_bad_input(machine_folder.string() + ": holds results but no machine.yaml, the profile of that day");
      }
      sets.push_back({file, profile, from_json(core::read_file(file, kLargestResult), file.string())});
    }
  }
  return sets;
}

}  // namespace forelap::validate
