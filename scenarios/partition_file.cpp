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

Codec<Expression> part_expression_codec(const Names& names) {
  return expression_codec("an expression of the scenario's sizes such as \"rows * columns\"", names);
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
           list_codec(part_expression_codec(names), 1), &PartitionTile::extents)
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
  const auto expression = part_expression_codec(names);
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
  add_to_kernel(table, Need::required, "items", "work-items of a launch over a part", part_expression_codec(names),
                &PartitionKernel::items);
  add_to_kernel(table, Need::required, "work", "what the time of a launch over a part is proportional to",
                part_expression_codec(names), &PartitionKernel::work);
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

/// `names` are those that built-in kernels have, which editors may offer.
Codec<Numbers> numbers_codec(const std::string& expected, const Codec<double>& number, const Names& names) {
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
  codec.schema = [number, names] {
    Node properties = Node::map();
    for (const std::string& name : names) {
      if (properties.find(name) == nullptr) properties.add(name, number.schema());
    }
    return schema_of_type("object").add("properties", properties).add("additionalProperties", number.schema());
  };
  return codec;
}

Names builtin_sizes() {
  Names names;
  for (const PartitionKernel& kernel : builtin_partition_kernels()) {
    names.insert(names.end(), kernel.sizes.begin(), kernel.sizes.end());
  }
  return names;
}

Names builtin_values() {
  Names names;
  for (const PartitionKernel& kernel : builtin_partition_kernels()) {
    for (const auto& value : kernel.defaults) names.push_back(value.first);
  }
  return names;
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

}  // namespace

Table<PartitionFile> partition_table(const Names& names) {
  constexpr Partition PartitionFile::*kPartition = &PartitionFile::partition;
  Table<PartitionFile> table("a partition scenario");
  add_head(table, "partition");
  add_part(table, "sizes", "whole numbers that expressions use, by name",
           numbers_codec("a map of whole numbers such as {rows: 1000, columns: 500}", size_codec(), builtin_sizes()),
           kPartition, &Partition::sizes);
  add_part(table, "values", "other numbers that expressions use, by name",
           numbers_codec("a map of numbers such as {rate: 0.02}", quantity_codec(Dimension::pure, -1e30, 1e30),
                         builtin_values()),
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
