#include "scenarios/node.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/number_text.hpp"

namespace forelap::scenarios {
namespace {

constexpr std::size_t kLineWidth = 110;

/// Control characters and quotes escaped, in the common part of YAML's and JSON's rules.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\u00";
      result += kDigits[byte >> 4U];
      result += kDigits[byte & 15U];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

/// Whether a text needs no quotes anywhere in a YAML document: a narrow set, not the widest that YAML allows.
bool is_plain(std::string_view text) {
  if (text.empty() || text.back() == ' ') return false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && std::string_view(" _-./+()%^=;").find(c) == std::string_view::npos) return false;
  }
  return std::isalnum(static_cast<unsigned char>(text.front())) != 0 || text.front() == '/';
}

/// Whether YAML takes the plain text for something else.
bool is_word_of_yaml(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return core::parse_number(text).has_value() || std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

std::string yaml_scalar(const Node& node) {
  // A text such as "12" or "true" must stay one; other texts are friendlier without quotes.
  return is_plain(node.text) && !(node.quoted && is_word_of_yaml(node.text)) ? node.text : in_quotes(node.text);
}

std::string key_text(const std::string& key) {
  return is_plain(key) && !is_word_of_yaml(key) ? key : in_quotes(key);
}

/// On one line, or empty where that is longer than `width`.
std::string flow(const Node& node, std::size_t width) {
  if (node.kind == Node::Kind::nothing) return "null";
  if (node.kind == Node::Kind::scalar) {
    std::string text = yaml_scalar(node);
    return text.size() <= width ? text : std::string();
  }
  const bool is_map = node.kind == Node::Kind::map;
  std::string text(1, is_map ? '{' : '[');
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i != 0) text += ", ";
    if (is_map) text += key_text(node.keys[i].text) + ": ";
    const std::string child = flow(node.children[i], width);
    if (child.empty() || text.size() + child.size() > width) return {};
    text += child;
  }
  return text + (is_map ? '}' : ']');
}

void write_block(const Node& node, std::size_t indent, std::string& out);

/// `node` after "key:" or "-" at `indent`.
void write_child(const Node& node, std::size_t indent, bool in_list, std::string& out) {
  const bool leaf = node.kind == Node::Kind::scalar || node.kind == Node::Kind::nothing || node.children.empty();
  const std::string line = leaf ? flow(node, std::string::npos) : flow(node, kLineWidth - std::min(indent, kLineWidth));
  if (!line.empty()) {
    out += " " + line + "\n";
    return;
  }
  if (in_list) {
    // The first entry stands on the dash's line.
    std::string block;
    write_block(node, indent + 2, block);
    out += " " + block.substr(indent + 2);
  } else {
    out += "\n";
    write_block(node, indent + 2, out);
  }
}

void write_block(const Node& node, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const bool is_map = node.kind == Node::Kind::map;
    out += margin + (is_map ? key_text(node.keys[i].text) + ":" : "-");
    write_child(node.children[i], indent, !is_map, out);
  }
}

void write_json(const Node& node, std::size_t indent, std::string& out) {
  if (node.kind == Node::Kind::nothing) {
    out += "null";
    return;
  }
  if (node.kind == Node::Kind::scalar) {
    out += node.quoted ? in_quotes(node.text) : node.text;
    return;
  }
  const bool is_map = node.kind == Node::Kind::map;
  out += is_map ? '{' : '[';
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += std::string(indent + 2, ' ');
    if (is_map) out += in_quotes(node.keys[i].text) + ": ";
    write_json(node.children[i], indent + 2, out);
  }
  if (!node.children.empty()) out += "\n" + std::string(indent, ' ');
  out += is_map ? '}' : ']';
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &children[i];
  }
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

Node& Node::add(std::string key, Node child) {
  keys.push_back({std::move(key), {}});
  children.push_back(std::move(child));
  return *this;
}

bool Node::same_as(const Node& other) const {
  if (kind != other.kind || text != other.text || children.size() != other.children.size()) return false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (kind == Kind::map && keys[i].text != other.keys[i].text) return false;
    if (!children[i].same_as(other.children[i])) return false;
  }
  return true;
}

std::string to_yaml(const Node& node) {
  std::string out;
  if (node.children.empty()) return flow(node, std::string::npos) + "\n";
  write_block(node, 0, out);
  return out;
}

std::string to_json(const Node& node) {
  std::string out;
  write_json(node, 0, out);
  return out + "\n";
}

}  // namespace forelap::scenarios
