#include "scenarios/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "core/error.hpp"

namespace forelap::scenarios {
namespace {

/// Turns the parser's events into nodes and refuses what a strict document may not hold.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Document& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.place = place_of(mark);
    count(node.place);
    finish(std::move(node), anchor, 1, 1);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = Node::scalar(value);
    node.quoted = tag == "!";
    node.place = place_of(mark);
    refuse_tag(tag, node.place);
    count(node.place);
    finish(std::move(node), anchor, 1, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = place_of(mark);
    const auto at = anchored_.find(anchor);
    if (at == anchored_.end()) fail(place, "an alias inside the very node that it names; write the value out");
    const Anchored& target = at->second;
    nodes_ += target.nodes;
    count(place);
    refuse_depth(open_.size() + target.height, place);
    finish(target.node, 0, target.nodes, target.height);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(Node::list(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(Node::map(), mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::size_t nodes = 1;
    std::size_t height = 1;
  };
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
    std::size_t height = 0;
  };

  static Place place_of(const YAML::Mark& mark) {
    return {0, static_cast<std::uint32_t>(std::max(mark.line, 0) + 1),
            static_cast<std::uint32_t>(std::max(mark.column, 0) + 1)};
  }

  [[noreturn]] void fail(const Place& place, const std::string& message) const {
    core::throw_bad_input(document_.where(place) + ": " + message);
  }

  void refuse_tag(const std::string& tag, const Place& place) const {
    if (!tag.empty() && tag != "?" && tag != "!") fail(place, "found the tag \"" + tag + "\"; tags have no place here");
  }

  void count(const Place& place) {
    if (++nodes_ > kMostNodes) {
      fail(place, "more than " + std::to_string(kMostNodes) + " values, aliases expanded; is this the right file?");
    }
  }

  void refuse_depth(std::size_t depth, const Place& place) const {
    if (depth > kDeepestNesting) {
      fail(place, "nested deeper than " + std::to_string(kDeepestNesting) + " levels; is this the right file?");
    }
  }

  void start(Node node, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    node.place = place_of(mark);
    refuse_tag(tag, node.place);
    count(node.place);
    refuse_depth(open_.size() + 1, node.place);
    if (!open_.empty() && open_.back().node.kind == Node::Kind::map && !open_.back().has_key) {
      fail(node.place, "found a list or map as a key, expected a name");
    }
    open_.push_back({std::move(node), anchor});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node.kind == Node::Kind::map) refuse_duplicates(done.node);
    finish(std::move(done.node), done.anchor, done.nodes, done.height);
  }

  void finish(Node node, YAML::anchor_t anchor, std::size_t nodes, std::size_t height) {
    if (anchor != 0) anchored_[anchor] = {node, nodes, height};
    if (open_.empty()) {
      document_.root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.nodes += nodes;
    parent.height = std::max(parent.height, height + 1);
    if (parent.node.kind == Node::Kind::map && !parent.has_key) {
      if (node.kind != Node::Kind::scalar) fail(node.place, "found nothing where a key was expected");
      parent.node.keys.push_back({std::move(node.text), node.place});
      parent.has_key = true;
      return;
    }
    parent.node.children.push_back(std::move(node));
    parent.has_key = false;
  }

  void refuse_duplicates(const Node& map) const {
    std::map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < map.keys.size(); ++i) {
      const auto [at, is_new] = first.emplace(map.keys[i].text, i);
      if (is_new) continue;
      const Node::Key& other = map.keys[at->second];
      const bool block = map.children[i].kind == Node::Kind::map || map.children[i].kind == Node::Kind::list;
      const std::string advice = block
                                     ? "; did you mean a list? Write the blocks under one key, each after a dash:\n  " +
                                           other.text + ":\n    - ...\n    - ..."
                                     : "; keep one of the two";
      fail(map.keys[i].place, "the key \"" + map.keys[i].text + "\" is here a second time, first on line " +
                                  std::to_string(other.place.line) + advice);
    }
  }

  Document& document_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::size_t nodes_ = 0;
};

[[noreturn]] void fail_at(const Document& document, std::size_t line, std::size_t column, const std::string& message) {
  const Place place = {0, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)};
  core::throw_bad_input(document.where(place) + ": " + message);
}

/// Bytes that follow the first one of a UTF-8 sequence, or -1 where it starts none.
int utf8_followers(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

/// Refuses what is no text, and tabs in an indentation, where the YAML library's words would help little.
void check_text(const Document& document, std::string_view text) {
  std::size_t line = 1;
  std::size_t column = 1;
  bool indentation = true;
  int followers = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows = (byte & 0xc0U) == 0x80;
    if (followers > 0 ? !follows : utf8_followers(byte) < 0) {
      fail_at(document, line, column, "found bytes that are no UTF-8 text; a YAML file was expected");
    }
    followers = followers > 0 ? followers - 1 : utf8_followers(byte);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f) {
      fail_at(document, line, column, "found a control character; a YAML file was expected, and this looks binary");
    }
    if (c == '\t' && indentation) fail_at(document, line, column, "found a tab in the indentation, expected spaces");
    indentation = c == '\n' || (indentation && c == ' ');
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
  if (followers > 0) fail_at(document, line, column, "the file ends inside a UTF-8 character");
}

}  // namespace

std::string Document::where(const Place& place) const {
  const std::string& source = sources.at(place.source);
  if (place.source != 0) return source;
  return source + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

Document load_document(std::string_view text, const std::string& file) {
  Document document;
  document.sources.push_back(file);
  if (text.size() > kLargestFile) {
    core::throw_bad_input(file + ": " + std::to_string(text.size()) + " bytes; at most " +
                          std::to_string(kLargestFile) + " (16 MiB) are read; is this the right file?");
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  check_text(document, text);
  TreeBuilder builder(document);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    Document rest;
    rest.sources = document.sources;
    TreeBuilder second(rest);
    if (parser.HandleNextDocument(second)) {
      core::throw_bad_input(document.where(rest.root.place) + ": a second document (\"---\"); expected one a file");
    }
  } catch (const YAML::Exception& error) {
    const int line = std::max(error.mark.line, 0) + 1;
    const int column = std::max(error.mark.column, 0) + 1;
    fail_at(document, static_cast<std::size_t>(line), static_cast<std::size_t>(column), "not valid YAML: " + error.msg);
  }
  if (document.root.kind == Node::Kind::nothing) core::throw_bad_input(file + ": the file holds nothing");
  return document;
}

}  // namespace forelap::scenarios
