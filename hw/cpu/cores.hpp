#pragma once
// The cores that this process may really use: its affinity and the quota of its control group, not the machine's count.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace forelap::hw::cpu {

struct CoreBudget {
  std::vector<unsigned> cores;  ///< numbers of the cores of the affinity mask, ascending, never empty
  std::optional<double> quota;  ///< processors' worth of time that the control groups grant; nothing: no limit
  /// How many threads can run at once: the cores, or the quota rounded up where it is smaller; at least 1.
  unsigned usable = 1;
  std::string limit;  ///< what limits `usable` in words, or empty
};

/// The smallest quota on the way from the process's control group up to the root, version 2 (cpu.max) or version 1
/// (cpu.cfs_quota_us, cpu.cfs_period_us), read below `root` ("/" on a real machine).
std::optional<double> cgroup_quota(const std::filesystem::path& root);
/// Likewise the smallest memory limit in bytes (memory.max, memory.limit_in_bytes).
std::optional<std::uint64_t> cgroup_memory(const std::filesystem::path& root);

CoreBudget make_budget(std::vector<unsigned> cores, std::optional<double> quota);
/// Of the calling thread and process.
CoreBudget core_budget();

/// "0-3,6" as core numbers in the order written. Throws core::Error (bad_input) for anything else, and for a core that
/// is not in `there` (naming those that are).
std::vector<unsigned> parse_cores(const std::string& text, const std::vector<unsigned>& there);
/// Those of `there` that a system file's list ("0-3,6") names; none where the list is empty or broken.
std::vector<unsigned> cores_among(const std::string& list, const std::vector<unsigned>& there);
/// {0,1,2,3,6} as "0-3,6".
std::string cores_text(const std::vector<unsigned>& cores);

}  // namespace forelap::hw::cpu
