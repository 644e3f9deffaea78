#pragma once
// Typed values in documents: a codec reads one from a node, writes it back, and describes it for the JSON schema, so
// that the three cannot drift. Errors are core::Error (bad_input): "file:line:column: path: found ..., expected ...".

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/quantity.hpp"
#include "scenarios/expression.hpp"
#include "scenarios/node.hpp"
#include "scenarios/yaml_document.hpp"

namespace forelap::scenarios {

/// A node on its way to be read: knows its document and its path. Must not outlive the document.
class Cursor {
 public:
  explicit Cursor(const Document& document) : Cursor(document, document.root, document.root.place, {}) {}

  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] bool is(Node::Kind kind) const { return node_->kind == kind; }
  /// Child `i` of a list or a map.
  [[nodiscard]] Cursor child(std::size_t i) const;
  /// The child under `key`, or this cursor itself where there is none (to have a place for a message).
  [[nodiscard]] Cursor at(const std::string& key) const;
  /// Child `i`, or this cursor itself where there is none.
  [[nodiscard]] Cursor at(std::size_t i) const { return i < node_->children.size() ? child(i) : *this; }

  /// The node in words: "a list", "nothing", "\"12 parsecs\"".
  [[nodiscard]] std::string found() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// As fail, at the key of child `i` of a map.
  [[noreturn]] void fail_at_key(std::size_t i, const std::string& message) const;
  /// fail("found ..., expected `expected`").
  [[noreturn]] void expected(const std::string& expected) const;
  /// The text of a scalar, else an error that says what was expected.
  [[nodiscard]] const std::string& scalar(const std::string& expected) const;

 private:
  Cursor(const Document& document, const Node& node, const Place& place, std::string path)
      : document_(&document), node_(&node), place_(place), path_(std::move(path)) {}

  const Document* document_;
  const Node* node_;
  Place place_;
  std::string path_;
};

template <class V>
struct Codec {
  std::string expected;  ///< "a size such as \"64 MiB\""
  std::function<V(const Cursor&)> read;
  std::function<Node(const V&)> write;
  std::function<Node()> schema;  ///< JSON schema of the value
};

/// A quantity within [low, high] of its base unit.
Codec<double> quantity_codec(core::Dimension dimension, double low = 0, double high = 1e18);
/// A whole number of bytes.
Codec<std::uint64_t> bytes_codec(std::uint64_t low);
/// A plain whole number without a unit.
Codec<std::uint64_t> whole_codec(std::uint64_t low, std::uint64_t high);
Codec<std::uint32_t> whole32_codec(std::uint32_t low, std::uint32_t high);
Codec<std::string> text_codec();
Codec<bool> bool_codec();
/// An expression over `names`; `expected` describes it in errors.
Codec<Expression> expression_codec(const std::string& expected, const std::vector<std::string>& names);

/// Text that parse_quantity reads back to the same double, whatever the value.
std::string exact_quantity(double value, core::Dimension dimension);

// ---- JSON schema fragments ----

Node schema_text(const std::string& text);
/// {"type": `type`}.
Node schema_of_type(const std::string& type);
Node schema_of_list(Node items);
/// {"anyOf": [...]}.
Node schema_any(std::vector<Node> alternatives);
Node schema_of_quantity(core::Dimension dimension);
/// A whole schema document as JSON text.
std::string schema_document(const std::string& title, const Node& schema);

// ---- codecs made of codecs ----

template <class V>
Codec<V> choice_codec(std::vector<std::pair<std::string, V>> choices) {
  std::string expected;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i != 0) expected += i + 1 == choices.size() ? " or " : ", ";
    expected += choices[i].first;
  }
  Codec<V> codec;
  codec.expected = expected;
  codec.read = [choices, expected](const Cursor& cursor) -> V {
    const std::string& text = cursor.scalar(expected);
    for (const auto& [name, value] : choices) {
      if (name == text) return value;
    }
    cursor.expected(expected);
  };
  codec.write = [choices](const V& value) {
    for (const auto& choice : choices) {
      if (choice.second == value) return Node::scalar(choice.first);
    }
    return Node();
  };
  codec.schema = [choices] {
    Node names = Node::list();
    for (const auto& choice : choices) {
      const bool number = choice.first.find_first_not_of("0123456789") == std::string::npos;
      names.children.push_back(number ? Node::scalar(choice.first) : Node::quoted_scalar(choice.first));
    }
    return Node::map().add("enum", names);
  };
  return codec;
}

enum class Single { refused, allowed };

/// A list of at least `least` values; `allowed`: a value that stands alone is a list of one.
template <class V>
Codec<std::vector<V>> list_codec(Codec<V> item, std::size_t least = 0, Single single = Single::refused) {
  Codec<std::vector<V>> codec;
  codec.expected = (single == Single::allowed ? item.expected + ", or a list of them" : "a list of: " + item.expected);
  codec.read = [item, least, single, expected = codec.expected](const Cursor& cursor) {
    std::vector<V> values;
    if (!cursor.is(Node::Kind::list)) {
      if (single == Single::refused) cursor.expected(expected);
      values.push_back(item.read(cursor));
      return values;
    }
    const std::size_t size = cursor.node().children.size();
    if (size < least) {
      cursor.fail("found a list of " + std::to_string(size) + ", expected at least " + std::to_string(least) +
                  (least == 1 ? " entry" : " entries"));
    }
    for (std::size_t i = 0; i < size; ++i) values.push_back(item.read(cursor.child(i)));
    return values;
  };
  codec.write = [item, single](const std::vector<V>& values) {
    if (single == Single::allowed && values.size() == 1) return item.write(values.front());
    Node list = Node::list();
    for (const V& value : values) list.children.push_back(item.write(value));
    return list;
  };
  codec.schema = [item, single] {
    Node list = schema_of_list(item.schema());
    return single == Single::refused ? list : schema_any({item.schema(), list});
  };
  return codec;
}

}  // namespace forelap::scenarios
