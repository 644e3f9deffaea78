#include "scenarios/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "scenarios/number_and_unit.hpp"

namespace forelap::scenarios {

using core::Dimension;

Cursor Cursor::child(std::size_t i) const {
  const Node& node = node_->children[i];
  if (node_->kind == Node::Kind::list) {
    return {*document_, node, node.place, path_ + "[" + std::to_string(i) + "]"};
  }
  // A value that is missing is reported at its key.
  const Node::Key& key = node_->keys[i];
  const Place& place = node.kind == Node::Kind::nothing ? key.place : node.place;
  return {*document_, node, place, path_.empty() ? key.text : path_ + "." + key.text};
}

Cursor Cursor::at(const std::string& key) const {
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    if (node_->keys[i].text == key) return child(i);
  }
  return *this;
}

std::string Cursor::found() const {
  constexpr std::size_t kShown = 60;
  switch (node_->kind) {
    case Node::Kind::nothing:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return "\"" + (node_->text.size() > kShown ? node_->text.substr(0, kShown) + "..." : node_->text) + "\"";
}

void Cursor::fail(const std::string& message) const {
  core::throw_bad_input(document_->where(place_) + ": " + (path_.empty() ? "" : path_ + ": ") + message);
}

void Cursor::fail_at_key(std::size_t i, const std::string& message) const {
  const Cursor value = child(i);
  Cursor(*document_, value.node(), node_->keys[i].place, value.path_).fail(message);
}

void Cursor::expected(const std::string& expected) const {
  fail("found " + found() + ", expected " + expected);
}

const std::string& Cursor::scalar(const std::string& expected) const {
  if (node_->kind != Node::Kind::scalar) this->expected(expected);
  return node_->text;
}

namespace {

/// Runs `parse` and gives its error the cursor's place.
template <class Parse>
auto located(const Cursor& cursor, Parse&& parse) {
  try {
    return parse();
  } catch (const core::Error& error) {
    cursor.fail(error.what());
  }
}

}  // namespace

namespace {

/// `value` in `unit`, or empty where no number near it reads back to the same double.
std::string exact_in(double value, const std::string& unit, Dimension dimension) {
  const double in_unit = value / core::parse_quantity("1 " + unit, dimension);
  for (const double candidate : {in_unit, std::nextafter(in_unit, 0.0), std::nextafter(in_unit, HUGE_VAL)}) {
    std::string text = core::shortest(candidate) + " " + unit;
    if (core::parse_quantity(text, dimension) == value) return text;
  }
  return {};
}

}  // namespace

std::string exact_quantity(double value, Dimension dimension) {
  std::string text = core::format_quantity(value, dimension);
  if (core::parse_quantity(text, dimension) == value) return text;
  // A scaled number can miss the value by its last bit; another unit may hit it, and the base unit scales nothing.
  if (dimension == Dimension::time) {
    constexpr std::array<const char*, 5> kUnits = {"ms", "us", "ns", "ps", "fs"};
    const auto parts = split_number(text);
    bool smaller = false;
    for (const char* unit : kUnits) {
      smaller = smaller || parts->unit == unit;
      text = smaller ? exact_in(value, unit, dimension) : std::string();
      if (!text.empty()) return text;
    }
    return core::shortest(value) + " s";
  }
  return core::shortest(value) + (dimension == Dimension::bytes ? " B" : " B/s");
}

Codec<double> quantity_codec(Dimension dimension, double low, double high) {
  Codec<double> codec;
  codec.expected = core::example_of(dimension);
  codec.read = [dimension, low, high, expected = codec.expected](const Cursor& cursor) {
    const std::string& text = cursor.scalar(expected);
    const double value = located(cursor, [&] { return core::parse_quantity(text, dimension); });
    if (value < low || value > high) {
      cursor.fail("found " + cursor.found() + ", expected " + expected + " from " +
                  core::display_quantity(low, dimension) + " to " + core::display_quantity(high, dimension));
    }
    return value;
  };
  codec.write = [dimension](const double& value) { return Node::scalar(exact_quantity(value, dimension)); };
  codec.schema = [dimension] { return schema_of_quantity(dimension); };
  return codec;
}

Codec<std::uint64_t> bytes_codec(std::uint64_t low) {
  // 1 PiB: no device holds more, and sums of sizes stay far from overflow.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50U;
  const Codec<double> quantity = quantity_codec(Dimension::bytes, static_cast<double>(low), static_cast<double>(kMost));
  Codec<std::uint64_t> codec;
  codec.expected = quantity.expected;
  codec.read = [quantity](const Cursor& cursor) { return static_cast<std::uint64_t>(quantity.read(cursor)); };
  codec.write = [quantity](const std::uint64_t& value) { return quantity.write(static_cast<double>(value)); };
  codec.schema = quantity.schema;
  return codec;
}

Codec<std::uint64_t> whole_codec(std::uint64_t low, std::uint64_t high) {
  Codec<std::uint64_t> codec;
  codec.expected = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  codec.read = [low, high, expected = codec.expected](const Cursor& cursor) {
    const std::string& text = cursor.scalar(expected);
    const auto value = core::parse_whole(text);
    if (!value || *value < low || *value > high) {
      const bool decorated = text.find_first_of("_eE.") != std::string::npos && !text.empty() &&
                             text.find_first_not_of("0123456789_eE.+") == std::string::npos;
      cursor.expected(expected + (decorated ? ", in plain digits such as 1000000" : ""));
    }
    return *value;
  };
  codec.write = [](const std::uint64_t& value) { return Node::scalar(std::to_string(value)); };
  codec.schema = [low, high] {
    return schema_of_type("integer")
        .add("minimum", Node::scalar(std::to_string(low)))
        .add("maximum", Node::scalar(std::to_string(high)));
  };
  return codec;
}

Codec<std::uint32_t> whole32_codec(std::uint32_t low, std::uint32_t high) {
  const Codec<std::uint64_t> wide = whole_codec(low, high);
  Codec<std::uint32_t> codec;
  codec.expected = wide.expected;
  codec.read = [wide](const Cursor& cursor) { return static_cast<std::uint32_t>(wide.read(cursor)); };
  codec.write = [wide](const std::uint32_t& value) { return wide.write(value); };
  codec.schema = wide.schema;
  return codec;
}

Codec<std::string> text_codec() {
  Codec<std::string> codec;
  codec.expected = "a text";
  codec.read = [](const Cursor& cursor) { return cursor.scalar("a text"); };
  codec.write = [](const std::string& value) { return Node::quoted_scalar(value); };
  // A name such as 4 is a number to YAML and a name to us.
  codec.schema = [] {
    return Node::map().add("type", Node::list({Node::quoted_scalar("string"), Node::quoted_scalar("number")}));
  };
  return codec;
}

Codec<bool> bool_codec() {
  Codec<bool> codec = choice_codec<bool>({{"true", true}, {"false", false}});
  codec.schema = [] { return schema_of_type("boolean"); };
  return codec;
}

Node schema_text(const std::string& text) {
  return Node::quoted_scalar(text);
}

Node schema_of_type(const std::string& type) {
  return Node::map().add("type", Node::quoted_scalar(type));
}

Node schema_of_list(Node items) {
  return schema_of_type("array").add("items", std::move(items));
}

Node schema_any(std::vector<Node> alternatives) {
  return Node::map().add("anyOf", Node::list(std::move(alternatives)));
}

Node schema_of_quantity(Dimension dimension) {
  if (dimension == Dimension::pure) return schema_of_type("number");
  std::string units = core::units_of(dimension);
  for (std::size_t at = 0; (at = units.find(" and ", at)) != std::string::npos;) units.replace(at, 5, "|");
  for (std::size_t at = 0; (at = units.find(", ", at)) != std::string::npos;) units.replace(at, 2, "|");
  constexpr std::string_view kNumber = "^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? *(";
  Node text = schema_of_type("string");
  text.add("pattern", Node::quoted_scalar(std::string(kNumber) + units + ")$"));
  text.add("description", Node::quoted_scalar(std::string(core::example_of(dimension))));
  if (dimension != Dimension::fraction) return text;
  return schema_any({schema_of_type("number"), text});
}

std::string schema_document(const std::string& title, const Node& schema) {
  Node document = Node::map();
  document.add("$schema", schema_text("https://json-schema.org/draft/2020-12/schema"));
  document.add("title", schema_text(title));
  for (std::size_t i = 0; i < schema.keys.size(); ++i) document.add(schema.keys[i].text, schema.children[i]);
  return to_json(document);
}

Codec<Expression> expression_codec(const std::string& expected, const std::vector<std::string>& names) {
  Codec<Expression> codec;
  codec.expected = expected;
  codec.read = [expected, names](const Cursor& cursor) {
    const std::string& text = cursor.scalar(expected);
    try {
      return Expression::parse(text, names);
    } catch (const core::Error& error) {
      cursor.fail(error.what());
    }
  };
  codec.write = [](const Expression& expression) {
    const bool number = core::parse_number(expression.text()).has_value();
    return number ? Node::scalar(expression.text()) : Node::quoted_scalar(expression.text());
  };
  codec.schema = [] {
    return Node::map().add("type", Node::list({Node::quoted_scalar("string"), Node::quoted_scalar("number")}));
  };
  return codec;
}

}  // namespace forelap::scenarios
