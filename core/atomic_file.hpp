#pragma once
// Files that are written whole or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace forelap::core {

/// Writes `content` beside `name` and renames it over it; on any failure (full disk, no permission) `name` is as it
/// was, nothing is left beside it, and core::Error (device_failed; bad_input where the folder does not exist or `name`
/// is one) names the file and the system's reason. A symbolic link stays: the file that it leads to is replaced.
void write_file(const std::filesystem::path& name, std::string_view content);

/// Whether write_file could begin: throws core::Error (bad_input) where `path` is a folder, or where its folder is
/// missing or cannot be written. Says nothing of the room on the disk.
void require_writable(const std::filesystem::path& path);

/// The whole file, of at most `limit` bytes. Throws core::Error (bad_input) naming the file and the reason.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace forelap::core
