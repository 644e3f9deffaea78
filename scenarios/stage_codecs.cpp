// How files write the stages of a task: transfers by bytes or time, kernels by repeat, work or time; and users'
// kernels.

#include <algorithm>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "core/time.hpp"
#include "scenarios/number_and_unit.hpp"
#include "scenarios/scenario_file.hpp"

namespace forelap::scenarios {
namespace {

using core::Dimension;

bool is_unit_multiple(const Cursor& cursor) {
  if (!cursor.is(Node::Kind::scalar)) return false;
  const auto parts = split_number(cursor.node().text);
  return parts && (parts->unit == "unit" || parts->unit == "units");
}

double read_unit_multiple(const Cursor& cursor, double unit) {
  if (unit == 0) {
    cursor.fail("found " + cursor.found() + ", but the file does not say how long a unit is; add `unit: 10 ms`");
  }
  const double number = split_number(cursor.node().text)->number;
  const double seconds = number * unit;
  if (!(number >= 0) || seconds > core::kLongestSeconds) {
    cursor.expected("a time from 0 to " + core::display_quantity(core::kLongestSeconds, Dimension::time));
  }
  return seconds;
}

/// Whether the text ends in a unit of time, in whatever case: then it is judged as a time.
bool looks_like_time(const std::string& text) {
  const auto parts = split_number(text);
  if (!parts) return false;
  std::string unit(parts->unit);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const char* known : {"fs", "ps", "ns", "us", "ms", "s", "min", "h", "sec", "msec", "usec", "seconds"}) {
    if (unit == known) return true;
  }
  return false;
}

std::vector<std::string> unit_names(Dimension dimension) {
  std::string text = core::units_of(dimension);
  if (const auto at = text.find(" and "); at != std::string::npos) text.replace(at, 5, ", ");
  std::vector<std::string> names;
  for (const std::string& name : core::split(text, ',')) names.emplace_back(core::trim(name));
  return names;
}

bool is_unit_of(std::string_view unit, Dimension dimension) {
  const auto names = unit_names(dimension);
  return std::find(names.begin(), names.end(), unit) != names.end();
}

/// For a unit that is none of size or time: the same in another case, or all of both.
std::string hint_of_unit(const std::string& unit) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  };
  for (const std::string& name : unit_names(Dimension::bytes)) {
    if (lower(name) == lower(unit)) return "; did you mean " + name + "?";
  }
  return "; the units of sizes are " + core::units_of(Dimension::bytes) + ", those of times " +
         core::units_of(Dimension::time);
}

constexpr const char* kTransferWords = "a size such as \"64 MiB\" or a time such as \"1 ms\"";

TransferSpec read_transfer(const Cursor& cursor, const Codec<double>& duration, const Codec<std::uint64_t>& bytes) {
  TransferSpec spec;
  const std::string& text = cursor.scalar(kTransferWords);
  if (is_unit_multiple(cursor) || looks_like_time(text)) {
    spec.seconds = duration.read(cursor);
    return spec;
  }
  const auto parts = split_number(text);
  if (parts && parts->unit.empty()) {
    cursor.fail("found " + cursor.found() + " without a unit, expected " + kTransferWords);
  }
  if (parts && !is_unit_of(parts->unit, Dimension::bytes) && parts->unit.find_first_of("_,.") != 0) {
    cursor.fail("found " + cursor.found() + ", expected " + kTransferWords + ": unknown unit \"" +
                std::string(parts->unit) + "\"" + hint_of_unit(std::string(parts->unit)));
  }
  spec.bytes = bytes.read(cursor);
  return spec;
}

template <class V>
void add_optional(Table<KernelSpec>& table, const std::string& key, const std::string& doc, const Codec<V>& codec,
                  std::optional<V> KernelSpec::*member) {
  table.add_mapped<V>(
      Need::optional, key, doc, codec, [member](KernelSpec& spec, V value) { spec.*member = value; },
      [member](const KernelSpec& spec) { return spec.*member; });
}

Table<KernelSpec> kernel_table(const Codec<double>& duration) {
  Table<KernelSpec> table("a kernel launch");
  table.add(Need::optional, "name", "the kernel: a built-in one or one of `kernels`", text_codec(),
            &KernelSpec::kernel);
  add_optional(table, "repeat", "how often the kernel repeats its work", whole_codec(1, UINT32_MAX),
               &KernelSpec::repeat);
  add_optional(table, "work", "how much work, in the unit of the kernel's work expression",
               quantity_codec(Dimension::pure, 1e-9, 1e18), &KernelSpec::work);
  add_optional(table, "bytes", "with `repeat`: the front part of the buffer that it works on; else all of it",
               bytes_codec(4), &KernelSpec::bytes);
  add_optional(table, "duration", "how long the launch should take", duration, &KernelSpec::seconds);
  table.rule([](const Cursor& cursor, const KernelSpec& spec) {
    const int given = int{spec.repeat.has_value()} + int{spec.work.has_value()} + int{spec.seconds.has_value()};
    if (given != 1) {
      cursor.fail("found " + std::to_string(given) +
                  " of `repeat`, `work` and `duration`, expected exactly one, such as {name: synthetic, repeat: 1000}");
    }
    if (spec.bytes && !spec.repeat) cursor.at("bytes").fail("found `bytes` without `repeat`, expected both or neither");
  });
  return table;
}

// ---- users' kernels ----

Codec<Expression> buffer_expression_codec() {
  return expression_codec("an expression of bytes, n and repeat such as \"n * repeat\"", expression_names());
}

const std::vector<std::pair<std::string, KernelArgument::Type>>& argument_types() {
  static const std::vector<std::pair<std::string, KernelArgument::Type>> types = {
      {"int32", KernelArgument::Type::int32},
      {"int64", KernelArgument::Type::int64},
      {"float32", KernelArgument::Type::float32},
      {"float64", KernelArgument::Type::float64}};
  return types;
}

KernelArgument read_argument(const Cursor& cursor, const std::string& expected) {
  if (cursor.is(Node::Kind::scalar) && cursor.node().text == "buffer") return {};
  if (cursor.is(Node::Kind::scalar) && cursor.node().text == "pass") return {KernelArgument::Type::pass, {}};
  if (!cursor.is(Node::Kind::map) || cursor.node().children.size() != 1) cursor.expected(expected);
  for (const auto& [name, type] : argument_types()) {
    if (cursor.node().keys[0].text == name) return {type, buffer_expression_codec().read(cursor.child(0))};
  }
  cursor.fail_at_key(0, "unknown type; expected " + expected);
}

Codec<KernelArgument> argument_codec() {
  Codec<KernelArgument> codec;
  codec.expected =
      "`buffer`, `pass` (the number of the pass, an int32), or a number such as {int32: n} of type int32, int64, "
      "float32 or float64";
  codec.read = [expected = codec.expected](const Cursor& cursor) { return read_argument(cursor, expected); };
  codec.write = [](const KernelArgument& argument) {
    for (const auto& [name, type] : argument_types()) {
      if (type == argument.type) return Node::map().add(name, buffer_expression_codec().write(argument.value));
    }
    return Node::scalar(argument.type == KernelArgument::Type::pass ? "pass" : "buffer");
  };
  codec.schema = [] {
    Node properties = Node::map();
    for (const auto& type : argument_types()) properties.add(type.first, buffer_expression_codec().schema());
    Node number = schema_of_type("object");
    number.add("properties", properties).add("additionalProperties", Node::scalar("false"));
    number.add("minProperties", Node::scalar("1")).add("maxProperties", Node::scalar("1"));
    return schema_any({Node::map().add("const", Node::quoted_scalar("buffer")),
                       Node::map().add("const", Node::quoted_scalar("pass")), number});
  };
  return codec;
}

/// An expression that need not be there.
void add_optional(Table<KernelDefinition>& table, const std::string& key, const std::string& doc,
                  std::optional<Expression> KernelDefinition::*member) {
  table.add_mapped<Expression>(
      Need::optional, key, doc, buffer_expression_codec(),
      [member](KernelDefinition& kernel, Expression value) { kernel.*member = std::move(value); },
      [member](const KernelDefinition& kernel) { return kernel.*member; });
}

Table<KernelDefinition> definition_table() {
  Table<KernelDefinition> table("a kernel");
  add_optional(table, "passes", "launches in a row that make up the kernel; else 1", &KernelDefinition::passes);
  add_optional(table, "result", "where in the buffer the result begins, bytes; it reaches to the end; else 0",
               &KernelDefinition::result);
  table.add(Need::optional, "summary", "what the kernel does", text_codec(), &KernelDefinition::summary)
      .add(Need::optional, "opencl", "its OpenCL C file, relative to the scenario", text_codec(),
           &KernelDefinition::opencl_file)
      .add(Need::optional, "cuda", "its CUDA C++ file, relative to the scenario", text_codec(),
           &KernelDefinition::cuda_file)
      .add(Need::optional, "entry", "the function in those files; else the kernel's name", text_codec(),
           &KernelDefinition::entry)
      .add(Need::required, "arguments", "the arguments of a launch in their order", list_codec(argument_codec(), 1),
           &KernelDefinition::arguments)
      .add(Need::required, "items", "work-items of a launch", buffer_expression_codec(), &KernelDefinition::items)
      .add(Need::required, "work", "what the kernel's time is proportional to, all its passes together",
           buffer_expression_codec(), &KernelDefinition::work)
      .add(Need::optional, "work_unit", "the unit of `work`, for people", text_codec(), &KernelDefinition::work_unit)
      .add(Need::optional, "group", "work-items a group; else the device's default", whole32_codec(1, 65536),
           &KernelDefinition::group)
      .add(Need::optional, "options", "options of the compiler", text_codec(), &KernelDefinition::options)
      .rule([](const Cursor& cursor, const KernelDefinition& kernel) {
        const auto passes = std::count_if(kernel.arguments.begin(), kernel.arguments.end(),
                                          [](const auto& a) { return a.type == KernelArgument::Type::pass; });
        if (passes > 1) cursor.fail("found `pass` twice among the arguments, expected it once at most");
        if (kernel.opencl_file.empty() && kernel.cuda_file.empty()) {
          cursor.fail("found no source, expected `opencl: FILE.cl`, `cuda: FILE.cu` or both");
        }
      });
  return table;
}

bool is_constant(const Expression& expression) {
  try {
    Expression::parse(expression.text(), {});
    return true;
  } catch (const core::Error&) {
    return false;
  }
}

/// The words of make_launch, less those on the buffer, on which a constant does not hang.
std::string without_buffer(std::string message) {
  const auto begin = message.find(" for a buffer of ");
  const auto end = message.find(" bytes", begin);
  if (begin != std::string::npos && end != std::string::npos) message.erase(begin, end + 6 - begin);
  return message.substr(0, message.find("; choose another buffer size"));
}

/// What no task can change is judged where it stands: each constant field by itself, by the rules of a launch. What
/// follows from a task's size is judged when the task has one.
void check_constants(const Cursor& cursor, const KernelDefinition& kernel) {
  constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 52U;
  const auto check = [&](const Cursor& place, const Expression& expression, auto&& put) {
    if (!is_constant(expression)) return;
    KernelDefinition alone;
    alone.name = kernel.name;
    alone.items = Expression::parse("1", {});
    put(alone);
    try {
      make_launch(alone, core::BufferId{0}, kLargestBuffer, 1);
    } catch (const core::Error& error) {
      place.fail(without_buffer(error.what()));
    }
  };
  check(cursor.at("items"), kernel.items, [&](KernelDefinition& k) { k.items = kernel.items; });
  check(cursor.at("work"), kernel.work, [&](KernelDefinition& k) { k.work = kernel.work; });
  if (kernel.passes) check(cursor.at("passes"), *kernel.passes, [&](KernelDefinition& k) { k.passes = kernel.passes; });
  if (kernel.result) check(cursor.at("result"), *kernel.result, [&](KernelDefinition& k) { k.result = kernel.result; });
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument& argument = kernel.arguments[i];
    if (argument.type == KernelArgument::Type::buffer || argument.type == KernelArgument::Type::pass) continue;
    check(cursor.at("arguments").at(i), argument.value, [&](KernelDefinition& k) { k.arguments = {argument}; });
  }
}

std::vector<KernelDefinition> read_kernels(const Cursor& cursor, const Table<KernelDefinition>& table) {
  if (!cursor.is(Node::Kind::map)) cursor.expected("a map of kernels by name");
  std::vector<KernelDefinition> kernels;
  for (std::size_t i = 0; i < cursor.node().children.size(); ++i) {
    const std::string& name = cursor.node().keys[i].text;
    for (const KernelDefinition& builtin : builtin_definitions()) {
      if (builtin.name == name) cursor.fail_at_key(i, "this is the name of a built-in kernel; choose another");
    }
    kernels.push_back(table.read(cursor.child(i)));
    kernels.back().name = name;
    check_constants(cursor.child(i), kernels.back());
  }
  return kernels;
}

}  // namespace

Codec<double> duration_codec(double unit) {
  const Codec<double> time = quantity_codec(Dimension::time, 0, core::kLongestSeconds);
  Codec<double> codec = time;
  codec.read = [time, unit](const Cursor& cursor) {
    return is_unit_multiple(cursor) ? read_unit_multiple(cursor, unit) : time.read(cursor);
  };
  codec.schema = [time] {
    Node multiple = schema_of_type("string").add("pattern", Node::quoted_scalar("^\\+?[0-9.]+ *units?$"));
    return schema_any({time.schema(), multiple});
  };
  return codec;
}

Codec<TransferSpec> transfer_codec(double unit) {
  const Codec<double> duration = duration_codec(unit);
  const Codec<std::uint64_t> bytes = bytes_codec(0);
  Codec<TransferSpec> codec;
  codec.expected = kTransferWords;
  codec.read = [duration, bytes](const Cursor& cursor) { return read_transfer(cursor, duration, bytes); };
  codec.write = [duration, bytes](const TransferSpec& spec) {
    return spec.bytes ? bytes.write(*spec.bytes) : duration.write(spec.seconds.value_or(0));
  };
  codec.schema = [duration, bytes] { return schema_any({bytes.schema(), duration.schema()}); };
  return codec;
}

Codec<KernelSpec> kernel_codec(double unit) {
  const Codec<double> duration = duration_codec(unit);
  const Codec<KernelSpec> map = table_codec(kernel_table(duration));
  Codec<KernelSpec> codec;
  codec.expected =
      "a time such as \"8 ms\" (of the kernel `synthetic`) or a map such as {name: synthetic, repeat: 1000}";
  codec.read = [duration, map, expected = codec.expected](const Cursor& cursor) {
    if (cursor.is(Node::Kind::map)) return map.read(cursor);
    if (!cursor.is(Node::Kind::scalar)) cursor.expected(expected);
    KernelSpec spec;
    spec.seconds = duration.read(cursor);
    return spec;
  };
  codec.write = [duration, map](const KernelSpec& spec) {
    const bool plain = spec.kernel == KernelSpec().kernel && spec.seconds;
    return plain ? duration.write(*spec.seconds) : map.write(spec);
  };
  codec.schema = [duration, map] { return schema_any({duration.schema(), map.schema()}); };
  return codec;
}

Codec<std::vector<KernelDefinition>> kernels_codec() {
  const auto table = std::make_shared<const Table<KernelDefinition>>(definition_table());
  Codec<std::vector<KernelDefinition>> codec;
  codec.expected = "a map of kernels by name";
  codec.read = [table](const Cursor& cursor) { return read_kernels(cursor, *table); };
  codec.write = [table](const std::vector<KernelDefinition>& kernels) {
    Node map = Node::map();
    for (const KernelDefinition& kernel : kernels) map.add(kernel.name, table->write(kernel));
    return map;
  };
  codec.schema = [table] { return schema_of_type("object").add("additionalProperties", table->schema()); };
  return codec;
}

}  // namespace forelap::scenarios
