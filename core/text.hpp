#pragma once
// Small helpers for messages.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::core {

/// Of `candidates` the one nearest to `word` by edit distance, if near enough to be a slip (at most a third of its
/// length, at least one edit); else empty.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "a, b and c".
std::string join_names(std::span<const std::string> names);

/// `text` as a terminal may show it: control characters and marks that turn the direction of writing are written out
/// ("\\n", "\\x1b", "\\u202e"), so that a name from a file can neither break a table nor command the terminal.
/// `keep_lines`: line ends and tabs stay.
std::string printable(std::string_view text, bool keep_lines = false);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

}  // namespace forelap::core
