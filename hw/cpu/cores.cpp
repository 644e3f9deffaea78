#include "hw/cpu/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::hw::cpu {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostCores = 8192;

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<double> number_in(const fs::path& path) {
  return core::parse_number(core::trim(read_text(path)));
}

/// The directory of the process's control group below `mount`, for the hierarchy of `controller` ("" is version 2).
std::optional<std::string> group_path(const fs::path& root, const std::string& controller) {
  for (const std::string& line : core::split(read_text(root / "proc/self/cgroup"), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::vector<std::string> names = core::split(controllers, ',');
    const bool match =
        controller.empty() ? controllers.empty() : std::find(names.begin(), names.end(), controller) != names.end();
    if (match) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Asks `limit` for each directory from the group's own up to the mount, and returns the smallest answer. Inside a
/// container the path may name a directory that is not visible; the mount itself then holds the limit.
template <class Limit>
std::optional<double> smallest_limit(const fs::path& mount, const std::string& group, Limit limit) {
  std::optional<double> smallest;
  fs::path relative = fs::path(group).relative_path();
  while (true) {
    const std::optional<double> here = limit(relative.empty() ? mount : mount / relative);
    if (here && (!smallest || *here < *smallest)) smallest = here;
    if (relative.empty()) return smallest;
    relative = relative.parent_path();
  }
}

std::optional<double> quota_v2(const fs::path& directory) {
  const std::string text = read_text(directory / "cpu.max");
  const std::vector<std::string> words = core::split(core::trim(text), ' ');
  if (words.size() != 2) return std::nullopt;
  const auto quota = core::parse_number(words[0]);
  const auto period = core::parse_number(words[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<double> quota_v1(const fs::path& directory) {
  const auto quota = number_in(directory / "cpu.cfs_quota_us");
  const auto period = number_in(directory / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

template <class Limit>
std::optional<double> limit_v1(const fs::path& root, const std::string& controller, Limit limit) {
  const auto group = group_path(root, controller);
  if (!group) return std::nullopt;
  std::optional<double> smallest;
  for (const char* mount : {"", ",cpuacct"}) {
    smallest = smaller(smallest, smallest_limit(root / "sys/fs/cgroup" / (controller + mount), *group, limit));
  }
  return smallest;
}

template <class Limit>
std::optional<double> limit_v2(const fs::path& root, Limit limit) {
  const auto group = group_path(root, "");
  if (!group) return std::nullopt;
  // Where both versions are mounted, version 2 is below "unified".
  return smaller(smallest_limit(root / "sys/fs/cgroup", *group, limit),
                 smallest_limit(root / "sys/fs/cgroup/unified", *group, limit));
}

std::vector<unsigned> affinity() {
  std::vector<unsigned> cores;
  cpu_set_t* set = CPU_ALLOC(kMostCores);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
  if (set != nullptr && sched_getaffinity(0, bytes, set) == 0) {
    for (unsigned core = 0; core < kMostCores; ++core) {
      if (CPU_ISSET_S(core, bytes, set)) cores.push_back(core);
    }
  }
  CPU_FREE(set);
  if (cores.empty()) cores.push_back(0);
  return cores;
}

unsigned parse_core(const std::string& word, const std::string& text) {
  const auto core = core::parse_whole(word);
  if (!core || *core >= kMostCores) {
    core::throw_bad_input("\"" + text + "\" is not a list of cores; write numbers and ranges, such as 0-3 or 0-3,6");
  }
  return static_cast<unsigned>(*core);
}

}  // namespace

std::optional<double> cgroup_quota(const fs::path& root) {
  return smaller(limit_v2(root, quota_v2), limit_v1(root, "cpu", quota_v1));
}

std::optional<std::uint64_t> cgroup_memory(const fs::path& root) {
  const auto v2 = limit_v2(root, [](const fs::path& directory) { return number_in(directory / "memory.max"); });
  const auto v1 = limit_v1(root, "memory",
                           [](const fs::path& directory) { return number_in(directory / "memory.limit_in_bytes"); });
  const auto limit = smaller(v2, v1);
  // Version 1 writes "no limit" as a number near 2^63.
  if (!limit || *limit < 0 || *limit > 4e18) return std::nullopt;
  return static_cast<std::uint64_t>(*limit);
}

CoreBudget make_budget(std::vector<unsigned> cores, std::optional<double> quota) {
  CoreBudget budget;
  budget.cores = std::move(cores);
  budget.quota = quota;
  budget.usable = static_cast<unsigned>(budget.cores.size());
  if (quota && std::ceil(*quota) < static_cast<double>(budget.usable)) {
    budget.usable = std::max(1U, static_cast<unsigned>(std::ceil(*quota)));
    budget.limit = "the control group grants " + core::significant(*quota, 4) + " of " +
                   std::to_string(budget.cores.size()) + " cores";
  }
  return budget;
}

CoreBudget core_budget() {
  CoreBudget budget = make_budget(affinity(), cgroup_quota("/"));
  const long machine = sysconf(_SC_NPROCESSORS_ONLN);
  if (budget.limit.empty() && machine > static_cast<long>(budget.cores.size())) {
    budget.limit =
        "the affinity mask holds " + std::to_string(budget.cores.size()) + " of " + std::to_string(machine) + " cores";
  }
  return budget;
}

std::vector<unsigned> parse_cores(const std::string& text, const std::vector<unsigned>& there) {
  std::vector<unsigned> cores;
  for (const std::string& part : core::split(text, ',')) {
    const std::size_t dash = part.find('-');
    const unsigned first = parse_core(part.substr(0, dash), text);
    const unsigned last = dash == std::string::npos ? first : parse_core(part.substr(dash + 1), text);
    if (last < first) core::throw_bad_input("the range of cores \"" + part + "\" runs backwards");
    for (unsigned core = first; core <= last; ++core) {
      if (std::find(there.begin(), there.end(), core) == there.end()) {
        core::throw_bad_input("core " + std::to_string(core) + " of \"" + text +
                              "\" is not among the cores this process may use: " + cores_text(there));
      }
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) {
        core::throw_bad_input("core " + std::to_string(core) + " stands twice in \"" + text + "\"");
      }
      cores.push_back(core);
    }
  }
  return cores;
}

std::vector<unsigned> cores_among(const std::string& list, const std::vector<unsigned>& there) {
  std::vector<unsigned> near;
  for (const std::string& part : core::split(list, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = core::parse_whole(core::trim(std::string_view(part).substr(0, dash)));
    const auto last = dash == std::string::npos ? first : core::parse_whole(core::trim(part.substr(dash + 1)));
    if (!first || !last) return {};
    for (const unsigned core : there) {
      if (core >= *first && core <= *last) near.push_back(core);
    }
  }
  return near;
}

std::string cores_text(const std::vector<unsigned>& cores) {
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(cores[i]);
    if (last > i) text += "-" + std::to_string(cores[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace forelap::hw::cpu
