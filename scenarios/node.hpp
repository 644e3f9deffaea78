#pragma once
// The tree of a YAML document as readers and writers see it, with the place that each node came from; no third-party
// type shows.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::scenarios {

/// Where a node or key stands: line and column from 1 in a source of its document.
struct Place {
  std::uint32_t source = 0;  ///< position in Document::sources
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Node {
  enum class Kind : std::uint8_t { nothing, scalar, list, map };
  struct Key {
    std::string text;
    Place place;
  };

  Kind kind = Kind::nothing;
  bool quoted = false;  ///< a scalar in quotes: a text, whatever it looks like
  Place place;
  std::string text;            ///< of a scalar
  std::vector<Key> keys;       ///< of a map, one for each child
  std::vector<Node> children;  ///< of a list or map

  static Node scalar(std::string text) { return {Kind::scalar, false, {}, std::move(text), {}, {}}; }
  static Node quoted_scalar(std::string text) { return {Kind::scalar, true, {}, std::move(text), {}, {}}; }
  static Node list(std::vector<Node> children = {}) { return {Kind::list, false, {}, {}, {}, std::move(children)}; }
  static Node map() { return {Kind::map, false, {}, {}, {}, {}}; }

  /// The child under `key` of a map, or null.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  /// Adds a child to a map; returns the map.
  Node& add(std::string key, Node child);
  /// True where both say the same, wherever they stand.
  [[nodiscard]] bool same_as(const Node& other) const;
};

/// YAML text that reads back to the same tree: block style, with small lists and maps on one line.
std::string to_yaml(const Node& node);
/// JSON text, two spaces an indent: quoted scalars become strings, the others stand as they are.
std::string to_json(const Node& node);

}  // namespace forelap::scenarios
