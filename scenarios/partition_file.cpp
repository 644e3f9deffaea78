#include "scenarios/partition_file.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "scenarios/scenario_head.hpp"

namespace forelap::scenarios {
namespace {

using core::Dimension;
using Names = std::vector<std::string>;
using Numbers = std::vector<std::pair<std::string, double>>;

Codec<Expression> expression_codec(const Names& names) {
  Codec<Expression> codec;
  codec.expected = "an expression of the scenario's sizes such as \"rows * columns\"";
  codec.read = [names, expected = codec.expected](const Cursor& cursor) {
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

// ---- tiles and arguments ----

Table<PartitionTile> tile_table(const Names& names) {
  Table<PartitionTile> table("a tile");
  table.add(Need::required, "name", "its name", text_codec(), &PartitionTile::name)
      .add(Need::optional, "element", "type of its elements",
           choice_codec<Element>({{"float32", Element::float32},
                                  {"float64", Element::float64},
                                  {"int32", Element::int32},
                                  {"int64", Element::int64},
                                  {"uint8", Element::uint8}}),
           &PartitionTile::element)
      .add(Need::required, "extents", "its one to three extents; the first is divided",
           list_codec(expression_codec(names), 1), &PartitionTile::extents)
      .add(Need::required, "role", "what the kernel does with it",
           choice_codec<Role>({{"in", Role::in}, {"out", Role::out}, {"inout", Role::inout}}), &PartitionTile::role)
      .add(Need::optional, "whole", "every device gets all of it", bool_codec(), &PartitionTile::whole)
      .rule([](const Cursor& cursor, const PartitionTile& tile) {
        constexpr std::size_t kMost = 3;
        if (tile.extents.size() > kMost) {
          cursor.at("extents").fail("found " + std::to_string(tile.extents.size()) + " extents, expected at most 3");
        }
        if (tile.whole && tile.role != Role::in) {
          cursor.at("role").fail("found a whole tile that the kernel writes; each device would bring back another");
        }
      });
  return table;
}

const std::vector<std::pair<std::string, PartitionArgument::Type>>& number_types() {
  using Type = PartitionArgument::Type;
  static const std::vector<std::pair<std::string, Type>> types = {
      {"int32", Type::int32}, {"int64", Type::int64}, {"float32", Type::float32}, {"float64", Type::float64}};
  return types;
}

Codec<PartitionArgumentFile> argument_codec(const Names& names) {
  const auto expression = expression_codec(names);
  Codec<PartitionArgumentFile> codec;
  codec.expected =
      "the name of a tile, or a number such as {int64: part * columns} of type int32, int64, float32 or "
      "float64";
  codec.read = [expression, expected = codec.expected](const Cursor& cursor) {
    PartitionArgumentFile argument;
    if (cursor.is(Node::Kind::scalar)) {
      argument.tile = cursor.node().text;
      return argument;
    }
    if (!cursor.is(Node::Kind::map) || cursor.node().children.size() != 1) cursor.expected(expected);
    for (const auto& [name, type] : number_types()) {
      if (cursor.node().keys[0].text != name) continue;
      argument.number = {type, 0, expression.read(cursor.child(0))};
      return argument;
    }
    cursor.fail_at_key(0, "unknown type; expected " + expected);
  };
  codec.write = [expression](const PartitionArgumentFile& argument) {
    for (const auto& [name, type] : number_types()) {
      if (argument.tile.empty() && type == argument.number.type) {
        return Node::map().add(name, expression.write(argument.number.value));
      }
    }
    return Node::scalar(argument.tile);
  };
  codec.schema = [expression] {
    Node properties = Node::map();
    for (const auto& type : number_types()) properties.add(type.first, expression.schema());
    Node number = schema_of_type("object");
    number.add("properties", properties).add("additionalProperties", Node::scalar("false"));
    return schema_any({schema_of_type("string"), number});
  };
  return codec;
}

template <class V>
void add_to_kernel(Table<PartitionKernelFile>& table, Need need, const std::string& key, const std::string& doc,
                   const Codec<V>& codec, V PartitionKernel::*member) {
  table.add_mapped<V>(
      need, key, doc, codec, [member](PartitionKernelFile& file, V value) { file.kernel.*member = std::move(value); },
      [member, need, codec](const PartitionKernelFile& file) -> std::optional<V> {
        const PartitionKernel usual{};
        if (need == Need::optional && codec.write(file.kernel.*member).same_as(codec.write(usual.*member))) return {};
        return file.kernel.*member;
      });
}

Table<PartitionKernelFile> kernel_table(const Names& numbers) {
  const Names names = partition_names(numbers);
  Table<PartitionKernelFile> table("a kernel");
  add_to_kernel(table, Need::required, "name", "its name", text_codec(), &PartitionKernel::name);
  add_to_kernel(table, Need::optional, "summary", "what it does", text_codec(), &PartitionKernel::summary);
  add_to_kernel(table, Need::optional, "source", "one source for all devices, relative to the scenario", text_codec(),
                &PartitionKernel::source_file);
  add_to_kernel(table, Need::optional, "cpu", "its source for CPU groups", text_codec(), &PartitionKernel::cpu_file);
  add_to_kernel(table, Need::optional, "opencl", "its OpenCL C file", text_codec(), &PartitionKernel::opencl_file);
  add_to_kernel(table, Need::optional, "cuda", "its CUDA C++ file", text_codec(), &PartitionKernel::cuda_file);
  add_to_kernel(table, Need::optional, "entry", "the function in those files; else the name", text_codec(),
                &PartitionKernel::entry);
  add_to_kernel(table, Need::required, "tiles", "its arrays", list_codec(table_codec(tile_table(numbers)), 1),
                &PartitionKernel::tiles);
  table.add(Need::required, "arguments", "the arguments of a launch in their order",
            list_codec(argument_codec(names), 1), &PartitionKernelFile::arguments);
  add_to_kernel(table, Need::required, "items", "work-items of a launch over a part", expression_codec(names),
                &PartitionKernel::items);
  add_to_kernel(table, Need::required, "work", "what the time of a launch over a part is proportional to",
                expression_codec(names), &PartitionKernel::work);
  add_to_kernel(table, Need::optional, "work_unit", "the unit of `work`, for people", text_codec(),
                &PartitionKernel::work_unit);
  add_to_kernel(table, Need::optional, "group", "work-items a group; else the device's default",
                whole32_codec(1, 65536), &PartitionKernel::group);
  add_to_kernel(table, Need::optional, "options", "options of the compiler", text_codec(), &PartitionKernel::options);
  return table;
}

Codec<PartitionKernelFile> kernel_codec(const Names& numbers) {
  const auto map = table_codec(kernel_table(numbers));
  Codec<PartitionKernelFile> codec;
  codec.expected = "the name of a built-in kernel such as matrix_add, or a map that describes one of your own";
  codec.read = [map, expected = codec.expected](const Cursor& cursor) {
    if (cursor.is(Node::Kind::map)) return map.read(cursor);
    PartitionKernelFile file;
    const std::string& name = cursor.scalar(expected);
    if (const PartitionKernel* kernel = find_partition_kernel(name)) {
      file.kernel = *kernel;
      return file;
    }
    Names known;
    for (const PartitionKernel& kernel : builtin_partition_kernels()) known.push_back(kernel.name);
    const std::string near = core::nearest(name, known);
    cursor.fail("found \"" + name + "\", which is no kernel that can be divided" +
                (near.empty() ? "; there" : "; did you mean \"" + near + "\"? There") + " are " +
                core::join_names(known) + ", or describe your own");
  };
  codec.write = [map](const PartitionKernelFile& file) {
    return is_of_user(file.kernel) ? map.write(file) : Node::scalar(file.kernel.name);
  };
  codec.schema = [map] {
    Node names = Node::list();
    for (const PartitionKernel& kernel : builtin_partition_kernels())
      names.children.push_back(schema_text(kernel.name));
    return schema_any({Node::map().add("enum", names), map.schema()});
  };
  return codec;
}

// ---- sizes and values ----

Codec<Numbers> numbers_codec(const std::string& expected, const Codec<double>& number) {
  Codec<Numbers> codec;
  codec.expected = expected;
  codec.read = [number, expected](const Cursor& cursor) {
    if (!cursor.is(Node::Kind::map)) cursor.expected(expected);
    Numbers numbers;
    for (std::size_t i = 0; i < cursor.node().children.size(); ++i) {
      const std::string& name = cursor.node().keys[i].text;
      const bool letters = std::all_of(name.begin(), name.end(), [](char c) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      });
      if (name.empty() || !letters || (name[0] >= '0' && name[0] <= '9')) {
        cursor.fail_at_key(i, "expected a name of letters, digits and _ that expressions can use");
      }
      for (const char* taken : {"part", "first", "sqrt", "floor", "ceil", "min", "max", "log2"}) {
        if (name == taken) cursor.fail_at_key(i, "this name means something else in expressions; choose another");
      }
      numbers.emplace_back(name, number.read(cursor.child(i)));
    }
    return numbers;
  };
  codec.write = [number](const Numbers& numbers) {
    Node map = Node::map();
    for (const auto& [name, value] : numbers) map.add(name, number.write(value));
    return map;
  };
  codec.schema = [number] { return schema_of_type("object").add("additionalProperties", number.schema()); };
  return codec;
}

/// Whole numbers from 1 to 2^53.
Codec<double> size_codec() {
  const auto whole = whole_codec(1, std::uint64_t{1} << 53);
  Codec<double> codec;
  codec.expected = whole.expected;
  codec.read = [whole](const Cursor& cursor) { return static_cast<double>(whole.read(cursor)); };
  codec.write = [whole](const double& value) { return whole.write(static_cast<std::uint64_t>(value)); };
  codec.schema = whole.schema;
  return codec;
}

// ---- choices that may be left to the model ----

bool is_auto(const Cursor& cursor) {
  return cursor.is(Node::Kind::scalar) && cursor.node().text == "auto";
}

Node schema_auto() {
  return Node::map().add("const", schema_text("auto"));
}

/// Sums to 1; shares are of the whole, so that a list that sums to less is a slip.
void check_weights(const Cursor& cursor, const std::vector<double>& weights) {
  constexpr double kSlack = 1e-6;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (std::abs(sum - 1) <= kSlack) return;
  cursor.fail("found weights that sum to " + core::significant(sum, 6) +
              ", expected shares of the whole that sum to 1, such as [0.75, 0.25]");
}

Table<WeightSweep> sweep_table() {
  const auto fraction = quantity_codec(Dimension::fraction, 0, 1);
  Table<WeightSweep> table("a sweep");
  table
      .add(Need::optional, "device",
           "position in `devices` of the one whose share is swept; the others divide the rest "
           "evenly",
           whole32_codec(0, 1023), &WeightSweep::device)
      .add(Need::optional, "from", "its first share", fraction, &WeightSweep::from)
      .add(Need::optional, "to", "its last share", fraction, &WeightSweep::to)
      .add(Need::optional, "step", "between two shares", quantity_codec(Dimension::fraction, 1e-4, 1),
           &WeightSweep::step)
      .rule([](const Cursor& cursor, const WeightSweep& sweep) {
        if (sweep.from > sweep.to) cursor.at("to").fail("found a sweep that ends before it begins");
      });
  return table;
}

Codec<WeightsFile> weights_codec() {
  const auto fraction = quantity_codec(Dimension::fraction, 0, 1);
  const auto list = list_codec(fraction, 1);
  Table<WeightsFile> table("weights");
  table.add_mapped<WeightSweep>(
      Need::required, "sweep", "shares of one device, one run each", table_codec(sweep_table()),
      [](WeightsFile& file, WeightSweep sweep) { file.sweep = sweep; },
      [](const WeightsFile& file) { return file.sweep; });
  const auto map = table_codec(std::move(table));
  Codec<WeightsFile> codec;
  codec.expected =
      "auto, a share for each device such as [0.75, 0.25], a list of such lists, or {sweep: {device: 0, "
      "from: 0 %, to: 100 %, step: 5 %}}";
  codec.read = [list, map, expected = codec.expected](const Cursor& cursor) {
    WeightsFile file;
    if (is_auto(cursor)) return file;
    if (cursor.is(Node::Kind::map)) return map.read(cursor);
    if (!cursor.is(Node::Kind::list) || cursor.node().children.empty()) cursor.expected(expected);
    const bool lists = cursor.child(0).is(Node::Kind::list);
    for (std::size_t i = 0; i < (lists ? cursor.node().children.size() : 1); ++i) {
      const Cursor one = lists ? cursor.child(i) : cursor;
      file.lists.push_back(list.read(one));
      check_weights(one, file.lists.back());
    }
    return file;
  };
  codec.write = [list, map](const WeightsFile& file) {
    if (file.sweep) return map.write(file);
    if (file.lists.empty()) return Node::scalar("auto");
    if (file.lists.size() == 1) return list.write(file.lists.front());
    return list_codec(list).write(file.lists);
  };
  codec.schema = [list, map] {
    return schema_any({schema_auto(), list.schema(), schema_of_list(list.schema()), map.schema()});
  };
  return codec;
}

Codec<ChunksFile> chunks_codec() {
  constexpr std::uint32_t kMost = 4096;
  const auto number = whole32_codec(1, kMost);
  const auto list = list_codec(number, 1, Single::allowed);
  Table<ChunksFile> table("chunks");
  table.add(Need::required, "devices", "a number for each device", list_codec(number, 1), &ChunksFile::devices);
  const auto map = table_codec(std::move(table));
  Codec<ChunksFile> codec;
  codec.expected = "auto, a number from 1 to 4096, a list of such numbers, or {devices: [4, 1]}";
  codec.read = [list, map](const Cursor& cursor) {
    if (is_auto(cursor)) return ChunksFile{};
    if (cursor.is(Node::Kind::map)) return map.read(cursor);
    return ChunksFile{list.read(cursor), {}};
  };
  codec.write = [list, map](const ChunksFile& file) {
    if (!file.devices.empty()) return map.write(file);
    return file.sweep.empty() ? Node::scalar("auto") : list.write(file.sweep);
  };
  codec.schema = [list, map] { return schema_any({schema_auto(), list.schema(), map.schema()}); };
  return codec;
}

Codec<ProfileFile> profile_codec() {
  const auto list = list_codec(quantity_codec(Dimension::pure, 0, 1e18), 1);
  Codec<ProfileFile> codec;
  codec.expected = "auto, uniform, or the work of equal stretches of the rows such as [1, 4, 9, 4]";
  codec.read = [list, expected = codec.expected](const Cursor& cursor) {
    if (cursor.is(Node::Kind::list)) {
      ProfileFile file{ProfileMode::list, list.read(cursor)};
      const bool work = std::any_of(file.densities.begin(), file.densities.end(), [](double d) { return d > 0; });
      if (!work) cursor.fail("found no work in any stretch, expected a number above 0");
      return file;
    }
    if (is_auto(cursor)) return ProfileFile{};
    if (cursor.scalar(expected) != "uniform") cursor.expected(expected);
    return ProfileFile{ProfileMode::uniform, {}};
  };
  codec.write = [list](const ProfileFile& file) {
    if (file.mode == ProfileMode::list) return list.write(file.densities);
    return Node::scalar(file.mode == ProfileMode::uniform ? "uniform" : "auto");
  };
  codec.schema = [list] {
    return schema_any({schema_auto(), Node::map().add("const", schema_text("uniform")), list.schema()});
  };
  return codec;
}

}  // namespace

Table<PartitionFile> partition_table(const Names& names) {
  constexpr Partition PartitionFile::*kPartition = &PartitionFile::partition;
  Table<PartitionFile> table("a partition scenario");
  add_head(table, "partition");
  add_part(table, "sizes", "whole numbers that expressions use, by name",
           numbers_codec("a map of whole numbers such as {rows: 1000, columns: 500}", size_codec()), kPartition,
           &Partition::sizes);
  add_part(table, "values", "other numbers that expressions use, by name",
           numbers_codec("a map of numbers such as {rate: 0.02}", quantity_codec(Dimension::pure, -1e30, 1e30)),
           kPartition, &Partition::values);
  table.add(Need::required, "kernel", "the kernel: a built-in one or your own", kernel_codec(names),
            &PartitionFile::kernel);
  add_part(table, "launches", "launches over the same data, which moves once", whole32_codec(1, 10'000'000), kPartition,
           &Partition::launches);
  add_part(table, "devices",
           "devices by name or specification, such as [\"cuda:0\", \"cpu:0-9\"]; else all of the machine",
           list_codec(text_codec(), 1), kPartition, &Partition::devices);
  table
      .add(Need::optional, "weights", "the devices' shares, each list a run; auto: chosen by the model",
           weights_codec(), &PartitionFile::weights)
      .add(Need::optional, "chunks",
           "stretches of each part whose copies and kernels overlap; auto: chosen by the model", chunks_codec(),
           &PartitionFile::chunks)
      .add(Need::optional, "profile", "how the work of rows differs; auto: sampled where it does", profile_codec(),
           &PartitionFile::profile);
  add_part(table, "transfers", "copies of several devices at once, or one device after the other",
           choice_codec<TransferMode>({{"concurrent", TransferMode::concurrent}, {"serial", TransferMode::serial}}),
           kPartition, &Partition::transfers);
  add_part(
      table, "memory", "host memory of the tiles",
      choice_codec<core::MemoryKind>({{"pinned", core::MemoryKind::pinned}, {"pageable", core::MemoryKind::pageable}}),
      kPartition, &Partition::memory);
  return table;
}

Names partition_numbers(const Cursor& root) {
  Names names;
  for (const char* key : {"sizes", "values"}) {
    const Node* map = root.node().find(key);
    for (std::size_t i = 0; map != nullptr && map->kind == Node::Kind::map && i < map->keys.size(); ++i) {
      names.push_back(map->keys[i].text);
    }
  }
  return names;
}

}  // namespace forelap::scenarios
