#include <optional>

#include "core/error.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/rate_text.hpp"

namespace forelap::scenarios {
namespace {

using core::Parameter;

constexpr const char* kHowDoc = "\"measured\", a citation, or what was assumed";
constexpr const char* kSpreadDoc = "one standard deviation, in the same unit";
constexpr const char* kAssumedDoc = "true where neither a measurement nor a source stands behind the value";

bool has_standing(const Parameter& p) {
  return p.spread != 0 || p.samples != 0 || p.assumed || !p.how.empty();
}

template <class T>
void add_standing(Table<T>& table) {
  table.add(Need::optional, "samples", "samples behind the value", whole32_codec(0, UINT32_MAX),
            static_cast<std::uint32_t T::*>(&T::samples));
  table.add(Need::optional, "assumed", kAssumedDoc, bool_codec(), static_cast<bool T::*>(&T::assumed));
  table.add(Need::optional, "how", kHowDoc, text_codec(), static_cast<std::string T::*>(&T::how));
}

/// A parameter whose number is still the text of a rate.
struct RateFile {
  std::string value;
  std::string spread;
  std::uint32_t samples = 0;
  bool assumed = false;
  std::string how;
};

Codec<std::string> rate_codec() {
  Codec<std::string> codec;
  codec.expected = "a rate such as \"24.5 GB/s\"";
  codec.read = [expected = codec.expected](const Cursor& cursor) {
    const std::string& text = cursor.scalar(expected);
    try {
      core::parse_quantity(text, core::Dimension::rate);
    } catch (const core::Error& error) {
      cursor.fail(error.what());
    }
    return text;
  };
  codec.write = [](const std::string& text) { return Node::scalar(text); };
  codec.schema = [] { return schema_of_quantity(core::Dimension::rate); };
  return codec;
}

Parameter from_rate(const Cursor& cursor, const RateFile& file) {
  Parameter p{0, 0, file.samples, file.assumed, file.how};
  try {
    p.value = seconds_per_byte(file.value);
    if (!file.spread.empty()) p.spread = spread_of_seconds(file.spread, file.value);
  } catch (const core::Error& error) {
    cursor.fail(error.what());
  }
  return p;
}

RateFile to_rate(const Parameter& p) {
  RateFile file{rate_text(p.value), {}, p.samples, p.assumed, p.how};
  if (p.spread != 0) file.spread = rate_spread_text(p.spread, file.value);
  return file;
}

}  // namespace

Codec<Parameter> parameter_codec(const Codec<double>& value, const Codec<double>& spread) {
  Table<Parameter> table("a parameter");
  table.add(Need::required, "value", "the value", value, &Parameter::value);
  table.add(Need::optional, "spread", kSpreadDoc, spread, &Parameter::spread);
  add_standing(table);
  const Codec<Parameter> map = table_codec(std::move(table));
  Codec<Parameter> codec;
  codec.expected = value.expected + ", or a map of value, spread, samples, assumed and how";
  codec.read = [value, map](const Cursor& cursor) {
    if (cursor.is(Node::Kind::map)) return map.read(cursor);
    return Parameter{value.read(cursor), 0, 0, false, {}};
  };
  codec.write = [value, map](const Parameter& p) { return has_standing(p) ? map.write(p) : value.write(p.value); };
  codec.schema = [value, map] { return schema_any({value.schema(), map.schema()}); };
  return codec;
}

Codec<Parameter> rate_parameter_codec() {
  const Codec<std::string> rate = rate_codec();
  Table<RateFile> table("a rate");
  table.add(Need::required, "value", "the rate", rate, &RateFile::value);
  table.add(Need::optional, "spread", kSpreadDoc, rate, &RateFile::spread);
  add_standing(table);
  const Codec<RateFile> map = table_codec(std::move(table));
  Codec<Parameter> codec;
  codec.expected = rate.expected + ", or a map of value, spread, samples, assumed and how";
  codec.read = [rate, map](const Cursor& cursor) {
    if (cursor.is(Node::Kind::map)) return from_rate(cursor, map.read(cursor));
    return from_rate(cursor, {rate.read(cursor), {}, 0, false, {}});
  };
  codec.write = [rate, map](const Parameter& p) {
    const RateFile file = to_rate(p);
    return has_standing(p) ? map.write(file) : rate.write(file.value);
  };
  codec.schema = [rate, map] { return schema_any({rate.schema(), map.schema()}); };
  return codec;
}

}  // namespace forelap::scenarios
