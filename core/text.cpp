#include "core/text.hpp"

#include <algorithm>
#include <numeric>

namespace forelap::core {
namespace {

/// Edit distance in which swapped neighbours are one edit (optimal string alignment); names are short, so the plain
/// quadratic method serves.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  // A slip is short against the word; very long words come from broken files, not from slips.
  constexpr std::size_t kLongestWord = 200;
  if (word.size() > kLongestWord) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string join_names(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string printable(std::string_view text, bool keep_lines) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned c = byte(i);
    const bool upper_control = c == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0;
    // U+202A to U+202E and U+2066 to U+2069.
    const bool turns = c == 0xE2 && ((byte(i + 1) == 0x80 && byte(i + 2) >= 0xAA && byte(i + 2) <= 0xAE) ||
                                     (byte(i + 1) == 0x81 && byte(i + 2) >= 0xA6 && byte(i + 2) <= 0xA9));
    if (turns) {
      const unsigned low = (byte(i + 1) & 0x3FU) << 6U | (byte(i + 2) & 0x3FU);
      shown += std::string("\\u20") + kHex[low >> 4U & 15U] + kHex[low & 15U];
      i += 2;
    } else if (upper_control) {
      shown += std::string("\\x") + kHex[byte(i + 1) >> 4U] + kHex[byte(i + 1) & 15U];
      ++i;
    } else if (c == '\n' || c == '\t') {
      shown += keep_lines ? std::string(1, text[i]) : c == '\n' ? "\\n" : "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      shown += std::string("\\x") + kHex[c >> 4U] + kHex[c & 15U];
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace forelap::core
