#include "validate/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::validate {
namespace {

constexpr int kDeepest = 64;

/// Watches the parser for duplicate keys and nesting; the library itself would keep the last of two keys.
class Watch {
 public:
  explicit Watch(std::string file) : file_(std::move(file)) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > kDeepest) {
      core::throw_bad_input(file_ + ": nested deeper than " + std::to_string(kDeepest) + " levels");
    }
    if (event == Event::object_start) {
      keys_.emplace_back();
    } else if (event == Event::object_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second) core::throw_bad_input(file_ + ": key '" + key + "' stands twice");
    }
    return true;
  }

 private:
  std::string file_;
  std::vector<std::set<std::string>> keys_;
};

nlohmann::json parse_strict(std::string_view text, const std::string& file) {
  Watch watch(file);
  const auto callback = [&watch](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    return watch(depth, event, parsed);
  };
  try {
    return nlohmann::json::parse(text.begin(), text.end(), callback);
  } catch (const nlohmann::json::exception& error) {
    core::throw_bad_input(file + ": not a JSON document: " + error.what());
  }
}

const nlohmann::json& json_of(const void* value) {
  return *static_cast<const nlohmann::json*>(value);
}

}  // namespace

struct JsonDocument::Parsed {
  nlohmann::json value;
};

JsonDocument::JsonDocument(std::string_view text, std::string file)
    : parsed_(std::make_unique<Parsed>(Parsed{parse_strict(text, file)})), file_(std::move(file)) {}

JsonDocument::~JsonDocument() = default;

JsonView JsonDocument::root() const {
  return {&parsed_->value, file_, ""};
}

bool JsonView::has(const std::string& key) const {
  const auto& value = json_of(value_);
  return value.contains(key) && !value.at(key).is_null();
}

JsonView JsonView::at(const std::string& key) const {
  if (!json_of(value_).is_object()) fail("expected an object");
  const auto found = json_of(value_).find(key);
  if (found == json_of(value_).end()) fail("key '" + key + "' is missing");
  return {&*found, file_, path_.empty() ? key : path_ + "." + key};
}

std::vector<JsonView> JsonView::items() const {
  if (!json_of(value_).is_array()) fail("expected a list");
  std::vector<JsonView> views;
  views.reserve(json_of(value_).size());
  for (std::size_t i = 0; i < json_of(value_).size(); ++i) {
    views.push_back({&json_of(value_)[i], file_, path_ + "[" + std::to_string(i) + "]"});
  }
  return views;
}

void JsonView::only(const std::vector<std::string>& known) const {
  if (!json_of(value_).is_object()) fail("expected an object");
  for (const auto& [key, ignored] : json_of(value_).items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = core::nearest(key, known);
    fail("unknown key '" + key + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
}

std::string JsonView::text() const {
  if (!json_of(value_).is_string()) fail("expected text");
  return json_of(value_).get<std::string>();
}

bool JsonView::flag() const {
  if (!json_of(value_).is_boolean()) fail("expected true or false");
  return json_of(value_).get<bool>();
}

double JsonView::number() const {
  if (!json_of(value_).is_number()) fail("expected a number");
  const auto value = json_of(value_).get<double>();
  if (!std::isfinite(value)) fail("expected a finite number");
  return value;
}

double JsonView::seconds() const {
  constexpr double kMost = 1e9;  // thirty years
  const double value = number();
  if (!(value >= 0 && value <= kMost)) fail("found " + core::shortest(value) + ", expected seconds, 0 to 1e9");
  return value;
}

double JsonView::amount() const {
  constexpr double kMost = 1e18;
  const double value = number();
  if (!(value >= 0 && value <= kMost)) fail("found " + core::shortest(value) + ", expected a number from 0 to 1e18");
  return value;
}

std::uint64_t JsonView::within(std::uint64_t least, std::uint64_t most) const {
  const auto value = whole();
  if (value < least || value > most) {
    fail("found " + std::to_string(value) + ", expected a whole number from " + std::to_string(least) + " to " +
         std::to_string(most));
  }
  return value;
}

std::uint32_t JsonView::small(std::uint32_t least, std::uint32_t most) const {
  return static_cast<std::uint32_t>(within(least, most));
}

std::string JsonView::one_of(const std::vector<std::string>& known) const {
  const auto value = text();
  if (std::find(known.begin(), known.end(), value) == known.end()) {
    fail("found '" + value + "', expected one of " + core::join_names(known));
  }
  return value;
}

std::uint64_t JsonView::whole() const {
  if (!json_of(value_).is_number_unsigned()) fail("expected a whole number, at least 0");
  return json_of(value_).get<std::uint64_t>();
}

std::uint32_t JsonView::small() const {
  const auto value = whole();
  if (value > UINT32_MAX) fail("expected a whole number below 2^32");
  return static_cast<std::uint32_t>(value);
}

std::int64_t JsonView::integer() const {
  if (!json_of(value_).is_number_integer()) fail("expected a whole number");
  if (json_of(value_).is_number_unsigned() && json_of(value_).get<std::uint64_t>() > INT64_MAX)
    fail("the number is too large");
  return json_of(value_).get<std::int64_t>();
}

void JsonView::fail(const std::string& problem) const {
  core::throw_bad_input(file_ + ": " + (path_.empty() ? "" : path_ + ": ") + problem);
}

}  // namespace forelap::validate
