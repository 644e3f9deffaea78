#pragma once
// YAML text to a node tree, strictly: one document, no duplicate keys, no tabs as indentation, no tags, plain text
// keys, bounded in size, depth and number of nodes (aliases expanded). The only place that knows the YAML library.

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/node.hpp"

namespace forelap::scenarios {

inline constexpr std::size_t kLargestFile = std::size_t{16} << 20U;
inline constexpr int kDeepestNesting = 64;
inline constexpr std::size_t kMostNodes = 200'000;

struct Document {
  std::vector<std::string> sources;  ///< the file's name, then one entry for each override
  Node root;

  /// "file:line:column", or an override's own words.
  [[nodiscard]] std::string where(const Place& place) const;
};

/// Throws core::Error (bad_input) with file:line:column.
Document load_document(std::string_view text, const std::string& file);

}  // namespace forelap::scenarios
