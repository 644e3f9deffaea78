#pragma once
// Files that are written whole or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace forelap::core {

/// Writes `content` beside `path` and renames it over it; on any failure (full disk, no permission) `path` is as it
/// was, nothing is left beside it, and core::Error (device_failed; bad_input where the folder does not exist) names the
/// file and the system's reason.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The whole file, of at most `limit` bytes. Throws core::Error (bad_input) naming the file and the reason.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace forelap::core
