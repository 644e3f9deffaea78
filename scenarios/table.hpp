#pragma once
// A map of a document as a table of fields: one entry a key, with its codec and what it means. Reading (unknown and
// missing keys), writing and the JSON schema all go through the table, so a key that is added to it is in all three.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "scenarios/codec.hpp"

namespace forelap::scenarios {

enum class Need { optional, required };

template <class T>
class Table {
 public:
  /// `what` names the map in messages: "a task".
  explicit Table(std::string what) : what_(std::move(what)) {}

  /// A key that is member `member` of T; when written, left out where it equals the default of T.
  template <class V>
  Table& add(Need need, const std::string& key, const std::string& doc, Codec<V> codec, V T::*member) {
    return add_mapped<V>(
        need, key, doc, codec, [member](T& object, V value) { object.*member = std::move(value); },
        [member, codec, need](const T& object) -> std::optional<V> {
          static const T kDefault{};
          if (need == Need::optional && codec.write(object.*member).same_as(codec.write(kDefault.*member))) return {};
          return object.*member;
        });
  }

  /// A key whose value goes through functions; `get` gives nothing where the key is left out.
  template <class V>
  Table& add_mapped(Need need, const std::string& key, const std::string& doc, Codec<V> codec,
                    std::function<void(T&, V)> set, std::function<std::optional<V>(const T&)> get) {
    Field field{key, doc, codec.expected, need, {}, {}, codec.schema};
    field.read = [codec, set](const Cursor& cursor, T& object) { set(object, codec.read(cursor)); };
    field.write = [codec, get](const T& object) -> std::optional<Node> {
      std::optional<V> value = get(object);
      if (!value) return {};
      return codec.write(*value);
    };
    fields_.push_back(std::move(field));
    return *this;
  }

  /// A check of the whole map after its keys were read; it fails through the cursor.
  Table& rule(std::function<void(const Cursor&, T&)> check) {
    rules_.push_back(std::move(check));
    return *this;
  }

  [[nodiscard]] T read(const Cursor& cursor) const {
    if (!cursor.is(Node::Kind::map)) cursor.expected(what_ + ", a map of " + core::join_names(keys()));
    refuse_unknown(cursor);
    T object{};
    for (const Field& field : fields_) {
      if (cursor.node().find(field.key) != nullptr) {
        field.read(cursor.at(field.key), object);
      } else if (field.need == Need::required) {
        cursor.fail("the key \"" + field.key + "\" is missing: " + field.doc + "; expected " + field.expected);
      }
    }
    for (const auto& check : rules_) check(cursor, object);
    return object;
  }

  [[nodiscard]] Node write(const T& object) const {
    Node map = Node::map();
    for (const Field& field : fields_) {
      if (auto node = field.write(object)) map.add(field.key, std::move(*node));
    }
    return map;
  }

  [[nodiscard]] Node schema() const {
    Node properties = Node::map();
    Node required = Node::list();
    for (const Field& field : fields_) {
      Node value = field.schema();
      if (value.find("description") == nullptr) value.add("description", schema_text(field.doc));
      properties.add(field.key, std::move(value));
      if (field.need == Need::required) required.children.push_back(schema_text(field.key));
    }
    Node map = schema_of_type("object");
    map.add("properties", std::move(properties));
    map.add("additionalProperties", Node::scalar("false"));
    if (!required.children.empty()) map.add("required", std::move(required));
    return map;
  }

  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const Field& field : fields_) keys.push_back(field.key);
    return keys;
  }

  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  struct Field {
    std::string key;
    std::string doc;
    std::string expected;
    Need need;
    std::function<void(const Cursor&, T&)> read;
    std::function<std::optional<Node>(const T&)> write;
    std::function<Node()> schema;
  };

  void refuse_unknown(const Cursor& cursor) const {
    const std::vector<std::string> known = keys();
    for (std::size_t i = 0; i < cursor.node().keys.size(); ++i) {
      const Node::Key& key = cursor.node().keys[i];
      bool is_known = false;
      for (const std::string& name : known) is_known = is_known || name == key.text;
      if (is_known) continue;
      if (!key.text.empty() && key.text[0] >= '0' && key.text[0] <= '9') {
        cursor.fail_at_key(i,
                           "a number where a key belongs; write decimals with a point, such as 1.5, and long "
                           "numbers without commas");
      }
      const std::string near = core::nearest(key.text, known);
      const std::string advice = near.empty() ? "the" : "did you mean \"" + near + "\"? The";
      cursor.fail_at_key(i, "unknown key; " + advice + " keys of " + what_ + " are " + core::join_names(known));
    }
  }

  std::string what_;
  std::vector<Field> fields_;
  std::vector<std::function<void(const Cursor&, T&)>> rules_;
};

/// The table as a codec, for maps within maps.
template <class T>
Codec<T> table_codec(Table<T> table) {
  const auto shared = std::make_shared<const Table<T>>(std::move(table));
  Codec<T> codec;
  codec.expected = shared->what();
  codec.read = [shared](const Cursor& cursor) { return shared->read(cursor); };
  codec.write = [shared](const T& object) { return shared->write(object); };
  codec.schema = [shared] { return shared->schema(); };
  return codec;
}

}  // namespace forelap::scenarios
