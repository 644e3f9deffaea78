#include "scenarios/override.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/number_and_unit.hpp"
#include "scenarios/partition_file.hpp"
#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

/// One part of a path: a key, a position, or all positions.
struct Segment {
  enum class Kind { key, position, all } kind = Kind::key;
  std::string key;
  std::size_t position = 0;
};

std::string words_of(const Override& change) {
  return "--set " + (change.given.empty() ? change.path : change.given) + "=" + change.value;
}

[[noreturn]] void refuse(const Override& change, const std::string& message) {
  core::throw_bad_input(words_of(change) + ": " + message);
}

Segment parse_brackets(const Override& change, std::string_view inside) {
  if (inside == "*") return {Segment::Kind::all, {}, 0};
  const auto position = core::parse_whole(inside);
  if (!position) refuse(change, "found \"[" + std::string(inside) + "]\" in the path, expected [0], [1], ... or [*]");
  return {Segment::Kind::position, {}, static_cast<std::size_t>(*position)};
}

std::vector<Segment> parse_path(const Override& change) {
  std::vector<Segment> segments;
  for (const std::string& part : core::split(change.path, '.')) {
    const std::size_t bracket = std::min(part.find('['), part.size());
    if (bracket == 0) refuse(change, "found an empty key in the path, expected one such as devices[0].copy_engines");
    segments.push_back({Segment::Kind::key, part.substr(0, bracket), 0});
    for (std::size_t at = bracket; at < part.size();) {
      const std::size_t end = part.find(']', at);
      if (part[at] != '[' || end == std::string::npos) refuse(change, "the brackets of the path do not match");
      segments.push_back(parse_brackets(change, std::string_view(part).substr(at + 1, end - at - 1)));
      at = end + 1;
    }
  }
  return segments;
}

/// The factor of a value such as "x2", or nothing for other values.
std::optional<double> factor_of(const Override& change) {
  const std::string_view text = core::trim(change.value);
  if (text.size() < 2 || text[0] != 'x' || std::string_view("0123456789.-+").find(text[1]) == std::string_view::npos) {
    return std::nullopt;
  }
  const auto factor = core::parse_number(text.substr(1));
  if (!factor || *factor <= 0) refuse(change, "expected a positive factor such as x2 or x0.5");
  return factor;
}

/// A place in the tree and the path that led to it.
struct Target {
  Node* node = nullptr;
  std::string path;
};

class Resolver {
 public:
  Resolver(const Override& change, Node& root, bool may_add) : change_(change), may_add_(may_add) {
    targets_.push_back({&root, {}});
  }

  std::vector<Node*> run() {
    const std::vector<Segment> segments = parse_path(change_);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      std::vector<Target> next;
      missing_.clear();
      for (const Target& target : targets_) step(target, segments[i], i + 1 == segments.size(), next);
      if (next.empty()) refuse(change_, missing_.empty() ? "the path leads nowhere" : missing_);
      targets_ = std::move(next);
    }
    std::vector<Node*> nodes;
    for (const Target& target : targets_) nodes.push_back(target.node);
    return nodes;
  }

 private:
  void step(const Target& target, const Segment& segment, bool last, std::vector<Target>& next) {
    if (segment.kind == Segment::Kind::key) return step_key(target, segment.key, last, next);
    const std::size_t size = target.node->children.size();
    if (target.node->kind != Node::Kind::list || size == 0) {
      missing_ = "\"" + target.path + "\" is not a list with entries";
      return;
    }
    if (segment.kind == Segment::Kind::position && segment.position >= size) {
      missing_ = "\"" + target.path + "\" has " + std::to_string(size) + " entries, counted from 0; there is no [" +
                 std::to_string(segment.position) + "]";
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (segment.kind == Segment::Kind::position && i != segment.position) continue;
      next.push_back({&target.node->children[i], target.path + "[" + std::to_string(i) + "]"});
    }
  }

  void step_key(const Target& target, const std::string& key, bool last, std::vector<Target>& next) {
    const std::string path = target.path.empty() ? key : target.path + "." + key;
    if (target.node->kind != Node::Kind::map) {
      missing_ = "\"" + target.path + "\" has no keys";
      return;
    }
    if (Node* child = target.node->find(key)) {
      next.push_back({child, path});
      return;
    }
    // A model of several pieces holds its numbers one level down; a what-if on the model means all of them.
    const std::size_t before = next.size();
    if (Node* pieces = target.node->find("pieces"); pieces != nullptr && key != "from" && key != "to") {
      for (Node& piece : pieces->children) {
        if (Node* child = piece.find(key)) next.push_back({child, path});
      }
    }
    if (next.size() != before) return;
    if (last && may_add_) {
      target.node->add(key, Node());
      next.push_back({&target.node->children.back(), path});
      return;
    }
    missing_ = "there is no \"" + path + "\"" + nearest_path(target, key);
  }

  static std::string nearest_path(const Target& target, const std::string& key) {
    std::vector<std::string> known;
    for (const Node::Key& k : target.node->keys) known.push_back(k.text);
    const std::string near = core::nearest(key, known);
    const std::string prefix = target.path.empty() ? "" : target.path + ".";
    if (!near.empty()) return "; did you mean \"" + prefix + near + "\"?";
    return "; " + (target.path.empty() ? std::string("the document") : "\"" + target.path + "\"") + " has " +
           core::join_names(known);
  }

  const Override& change_;
  bool may_add_;
  std::vector<Target> targets_;
  std::string missing_;  ///< why the last step led nowhere
};

void multiply(const Override& change, Node& scalar, double factor) {
  const auto parts = scalar.kind == Node::Kind::scalar ? split_number(scalar.text) : std::nullopt;
  if (!parts) refuse(change, "a factor needs a number to multiply");
  const std::string product = core::shortest(parts->number * factor);
  scalar.text = parts->unit.empty() ? product : product + " " + std::string(parts->unit);
}

void place_all(Node& node, const Place& place) {
  node.place = place;
  for (Node::Key& key : node.keys) key.place = place;
  for (Node& child : node.children) place_all(child, place);
}

void set_or_add(Node& map, const std::string& key, Node value) {
  if (Node* old = map.find(key)) {
    *old = std::move(value);
  } else {
    map.add(key, std::move(value));
  }
}

/// A parameter of a machine that is written with its standing: {value, spread, ...}.
bool is_parameter(const Node& node) {
  return node.kind == Node::Kind::map && node.find("value") != nullptr;
}

void scale(const Override& change, Node& node, double factor, const Place& place) {
  if (!is_parameter(node)) {
    multiply(change, node, factor);
    node.place = place;
    return;
  }
  multiply(change, *node.find("value"), factor);
  if (Node* spread = node.find("spread")) multiply(change, *spread, factor);
  set_or_add(node, "assumed", Node::scalar("true"));
  const Node* how = node.find("how");
  const std::string before = how != nullptr ? how->text + ", " : "";
  set_or_add(node, "how", Node::quoted_scalar(before + "times " + core::shortest(factor) + " by --set"));
  place_all(node, place);
}

void replace(Node& node, const Node& value) {
  if (!is_parameter(node) || value.kind != Node::Kind::scalar) {
    node = value;
    return;
  }
  // A wished value was not measured: its old spread says nothing.
  Node parameter = Node::map();
  parameter.add("value", value)
      .add("assumed", Node::scalar("true"))
      .add("how", Node::quoted_scalar("what-if by --set"));
  place_all(parameter, value.place);
  node = std::move(parameter);
}

}  // namespace

void apply_overrides(Document& document, const std::vector<Override>& overrides) {
  for (const Override& change : overrides) {
    document.sources.push_back(words_of(change));
    const Place place = {static_cast<std::uint32_t>(document.sources.size() - 1), 1, 1};
    if (core::trim(change.value).empty()) refuse(change, "the value is missing, expected path=value");
    const auto factor = factor_of(change);
    Node value = factor ? Node() : load_document(change.value, words_of(change)).root;
    place_all(value, place);
    for (Node* node : Resolver(change, document.root, !factor).run()) {
      if (factor) {
        scale(change, *node, *factor, place);
      } else {
        replace(*node, value);
      }
    }
    for (Node::Key& key : document.root.keys) {
      if (key.place.line == 0) key.place = place;
    }
  }
}

Override parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    core::throw_bad_input("--set " + std::string(text) + ": expected path=value, such as devices[0].copy_engines=1");
  }
  return {std::string(core::trim(text.substr(0, equals))), std::string(core::trim(text.substr(equals + 1)))};
}

OverridesByDocument split_overrides(const std::vector<Override>& overrides) {
  std::vector<std::string> scenario = scenario_table(0).keys();
  for (const std::string& key : partition_table({}).keys()) {
    if (std::find(scenario.begin(), scenario.end(), key) == scenario.end()) scenario.push_back(key);
  }
  const std::vector<std::string> machine = machine_table().keys();
  OverridesByDocument result;
  for (const Override& change : overrides) {
    const auto rest = [&](std::size_t prefix) {
      return Override{change.path.substr(prefix), change.value, change.path};
    };
    if (change.path.starts_with("scenario.")) {
      result.scenario.push_back(rest(9));
      continue;
    }
    if (change.path.starts_with("machine.")) {
      result.machine.push_back(rest(8));
      continue;
    }
    const std::string key = change.path.substr(0, change.path.find_first_of(".["));
    const bool in_scenario = std::find(scenario.begin(), scenario.end(), key) != scenario.end();
    const bool in_machine = std::find(machine.begin(), machine.end(), key) != machine.end();
    if (!in_scenario && !in_machine) {
      std::vector<std::string> known = scenario;
      known.insert(known.end(), machine.begin(), machine.end());
      const std::string near = core::nearest(key, known);
      refuse(change, "\"" + key + "\" is no key of a scenario or a machine" +
                         (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
    }
    // `devices` is in both: names in a scenario, models with keys of their own in a machine.
    const bool deep = change.path.find('.') != std::string::npos;
    (in_machine && (!in_scenario || deep) ? result.machine : result.scenario).push_back(change);
  }
  return result;
}

}  // namespace forelap::scenarios
