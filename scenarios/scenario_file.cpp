#include "scenarios/scenario_file.hpp"

#include <cmath>

#include "core/number_text.hpp"
#include "scenarios/number_and_unit.hpp"
#include "scenarios/scenario_head.hpp"

namespace forelap::scenarios {
namespace {

using core::Dimension;
using Names = std::vector<std::string>;

bool does_something(const TaskFile& task) {
  for (const auto* stage : {&task.htod, &task.dtoh}) {
    for (const TransferSpec& t : *stage) {
      if (t.bytes.value_or(0) > 0 || t.seconds.value_or(0) > 0) return true;
    }
  }
  for (const KernelSpec& k : task.kernels) {
    if (!k.seconds || *k.seconds > 0) return true;
  }
  return false;
}

void check_task(const Cursor& cursor, const TaskFile& task) {
  if (!does_something(task)) {
    cursor.fail(
        "the task moves no bytes and launches no kernel, expected at least one of `htod`, `kernel` and `dtoh` "
        "above zero, such as `kernel: 8 ms`");
  }
  for (const auto* stage : {&task.htod, &task.dtoh}) {
    for (const TransferSpec& t : *stage) {
      if (task.buffer_bytes != 0 && t.bytes.value_or(0) > task.buffer_bytes) {
        cursor.at("buffer").fail("found a buffer of " +
                                 core::format_quantity(static_cast<double>(task.buffer_bytes), Dimension::bytes) +
                                 ", expected at least the task's largest transfer, " +
                                 core::format_quantity(static_cast<double>(*t.bytes), Dimension::bytes));
      }
    }
  }
}

Table<TaskFile> task_table(double unit) {
  const auto transfers = list_codec(transfer_codec(unit), 0, Single::allowed);
  Table<TaskFile> table("a task");
  table.add(Need::optional, "name", "the task's name; else T and its position", text_codec(), &TaskFile::name)
      .add(Need::optional, "htod", "what is moved to the device, by size or time", transfers, &TaskFile::htod)
      .add(Need::optional, "kernel", "what runs on the device, by time, repeat or work",
           list_codec(kernel_codec(unit), 0, Single::allowed), &TaskFile::kernels)
      .add(Need::optional, "dtoh", "what is moved from the device, by size or time", transfers, &TaskFile::dtoh)
      .add(Need::optional, "after", "earlier tasks that must have finished", list_codec(text_codec()), &TaskFile::after)
      .add(Need::optional, "device", "position in `devices`", whole32_codec(0, 1023), &TaskFile::device)
      .add(Need::optional, "buffer", "size of the task's buffer; else its largest transfer", bytes_codec(4),
           &TaskFile::buffer_bytes)
      .rule(check_task);
  return table;
}

Codec<std::vector<Names>> orders_codec() {
  return list_codec(list_codec(text_codec(), 1), 1);
}

Codec<OrderFile> order_codec() {
  const auto mode = choice_codec<OrderMode>({{"given", OrderMode::given}, {"all", OrderMode::all}});
  const auto lists = orders_codec();
  Codec<OrderFile> codec;
  codec.expected = "given, all, or a list of orders such as [[T0, T1], [T1, T0]]";
  codec.read = [mode, lists, expected = codec.expected](const Cursor& cursor) {
    OrderFile order;
    if (cursor.is(Node::Kind::list)) {
      order.mode = OrderMode::list;
      order.lists = lists.read(cursor);
      return order;
    }
    const std::string& text = cursor.scalar(expected);
    if (text != "given" && text != "all") cursor.expected(expected);
    order.mode = mode.read(cursor);
    return order;
  };
  codec.write = [mode, lists](const OrderFile& order) {
    return order.mode == OrderMode::list ? lists.write(order.lists) : mode.write(order.mode);
  };
  codec.schema = [mode, lists] { return schema_any({mode.schema(), lists.schema()}); };
  return codec;
}

Table<CaseFile> case_table(double unit) {
  Table<CaseFile> table("a case");
  table.add(Need::required, "name", "the case's name in tables", text_codec(), &CaseFile::name)
      .add(Need::required, "tasks", "the group's tasks in the given order",
           list_codec(table_codec(task_table(unit)), 1), &CaseFile::tasks)
      .add(Need::optional, "order", "the orders of this case", orders_codec(), &CaseFile::orders)
      .add(Need::optional, "kernel_lanes", "queues for kernels in this case; else those of the group",
           whole32_codec(1, 64), &CaseFile::kernel_lanes);
  return table;
}

Table<OverlapFile> overlap_table() {
  Table<OverlapFile> table("an overlap series");
  table
      .add(Need::required, "sizes", "bytes of each of the two transfers", list_codec(bytes_codec(16), 1),
           &OverlapFile::sizes)
      .add(Need::required, "degrees", "shares of the transfers' length that overlap",
           list_codec(quantity_codec(Dimension::fraction, 0, 1), 1), &OverlapFile::degrees)
      .add(Need::optional, "first", "the direction that starts",
           choice_codec<FirstDirection>(
               {{"both", FirstDirection::both}, {"htod", FirstDirection::htod}, {"dtoh", FirstDirection::dtoh}}),
           &OverlapFile::first);
  return table;
}

/// What the key `memory` says: a kind of host memory, or how much device memory there is.
struct MemoryWord {
  core::MemoryKind kind = core::MemoryKind::pinned;
  std::uint64_t limit = 0;  ///< bytes; 0: the word is the kind
};

Codec<MemoryWord> memory_codec() {
  const auto kind =
      choice_codec<core::MemoryKind>({{"pinned", core::MemoryKind::pinned}, {"pageable", core::MemoryKind::pageable}});
  const auto bytes = bytes_codec(1);
  Codec<MemoryWord> codec;
  codec.expected = "pinned, pageable, or a limit of device memory such as \"16 GiB\"";
  codec.read = [kind, bytes, expected = codec.expected](const Cursor& cursor) {
    MemoryWord word;
    const std::string& text = cursor.scalar(expected);
    if (split_number(text)) {
      word.limit = bytes.read(cursor);
    } else if (text == "pinned" || text == "pageable") {
      word.kind = kind.read(cursor);
    } else {
      cursor.expected(expected);
    }
    return word;
  };
  codec.write = [kind, bytes](const MemoryWord& word) {
    return word.limit != 0 ? bytes.write(word.limit) : kind.write(word.kind);
  };
  codec.schema = [kind, bytes] { return schema_any({kind.schema(), bytes.schema()}); };
  return codec;
}

void add_memory(Table<ScenarioFile>& table) {
  table.add_mapped<MemoryWord>(
      Need::optional, "memory",
      "host memory of the transfers, pinned or pageable; or, as `device_memory`, a limit such as \"16 GiB\"",
      memory_codec(),
      [](ScenarioFile& file, const MemoryWord& word) {
        if (word.limit != 0) {
          file.group.device_memory = word.limit;
        } else {
          file.group.memory = word.kind;
        }
      },
      [](const ScenarioFile& file) -> std::optional<MemoryWord> {
        if (file.group.memory == core::MemoryKind::pinned) return {};
        return MemoryWord{file.group.memory, 0};
      });
  table.add_mapped<std::uint64_t>(
      Need::optional, "device_memory",
      "memory of each device for the buffers of tasks under way, which no order exceeds; else no limit", bytes_codec(1),
      [](ScenarioFile& file, std::uint64_t bytes) { file.group.device_memory = bytes; },
      [](const ScenarioFile& file) -> std::optional<std::uint64_t> {
        if (file.group.device_memory == 0) return {};
        return file.group.device_memory;
      });
  table.rule([](const Cursor& cursor, const ScenarioFile&) {
    const Node* memory = cursor.node().find("memory");
    if (memory == nullptr || cursor.node().find("device_memory") == nullptr || !split_number(memory->text)) return;
    cursor.at("device_memory").fail("`memory` gives a limit of device memory too, expected it once");
  });
}

/// A number of kernel lanes; auto is 0.
Codec<std::uint32_t> lanes_codec() {
  const auto number = whole32_codec(1, 64);
  Codec<std::uint32_t> codec;
  codec.expected = "auto, or a whole number from 1 to 64";
  codec.read = [number](const Cursor& cursor) {
    return cursor.is(Node::Kind::scalar) && cursor.node().text == "auto" ? 0 : number.read(cursor);
  };
  codec.write = [number](const std::uint32_t& lanes) {
    return lanes == 0 ? Node::scalar("auto") : number.write(lanes);
  };
  codec.schema = [number] { return schema_any({Node::map().add("const", schema_text("auto")), number.schema()}); };
  return codec;
}

void add_group(Table<ScenarioFile>& table) {
  constexpr auto kGroup = &ScenarioFile::group;
  add_memory(table);
  add_part(table, "engines", "copy engines; auto: what the machine's profile says",
           choice_codec<std::uint32_t>({{"auto", 0}, {"1", 1}, {"2", 2}}), kGroup, &TaskGroup::engines);
  add_part(table, "submission", "order of the commands; auto: by_task on two engines, by_type on one",
           choice_codec<Submission>(
               {{"auto", Submission::automatic}, {"by_task", Submission::by_task}, {"by_type", Submission::by_type}}),
           kGroup, &TaskGroup::submission);
  table.add_mapped<std::uint32_t>(
      Need::optional, "kernel_lanes",
      "queues for kernels of each device, which its tasks take in turn; auto: `forelap tune` chooses, else 1",
      lanes_codec(),
      [](ScenarioFile& file, std::uint32_t lanes) {
        file.group.kernel_lanes = lanes;
        file.group.kernel_lanes_given = true;
      },
      [](const ScenarioFile& file) -> std::optional<std::uint32_t> {
        if (file.group.kernel_lanes == 1 && !file.group.kernel_lanes_given) return {};
        return file.group.kernel_lanes;
      });
  add_part(table, "devices", "devices by name or specification, such as [auto] or [\"cuda:0\"]",
           list_codec(text_codec(), 1), kGroup, &TaskGroup::devices);
}

}  // namespace

/// A percentage that keeps the number as it is written.
Codec<double> percent_codec() {
  Codec<double> codec;
  codec.expected = "a percentage such as \"5 %\"";
  codec.read = [expected = codec.expected](const Cursor& cursor) {
    const auto parts = split_number(cursor.scalar(expected));
    if (!parts || parts->unit != "%" || parts->number < 0 || parts->number > 1000) {
      cursor.expected(expected + ", from 0 % to 1000 %");
    }
    return parts->number;
  };
  codec.write = [](const double& value) { return Node::scalar(core::shortest(value) + " %"); };
  codec.schema = [] { return schema_of_type("string").add("pattern", Node::quoted_scalar("^[0-9.]+ *%$")); };
  return codec;
}

Table<ScenarioFile> scenario_table(double unit) {
  Table<ScenarioFile> table("a scenario");
  add_head(table, "task_group");
  add_group(table);
  table.add(Need::optional, "order", "orders in which the tasks are submitted", order_codec(), &ScenarioFile::order)
      .add(Need::optional, "unit", "length of one `unit` of durations", quantity_codec(Dimension::time, 1e-12, 1000),
           &ScenarioFile::unit);
  add_part(table, "kernels", "kernels of your own, by name", kernels_codec(), &ScenarioFile::scenario,
           &Scenario::kernels);
  table
      .add(Need::optional, "tasks", "the group's tasks in the given order",
           list_codec(table_codec(task_table(unit)), 1), &ScenarioFile::tasks)
      .add(Need::optional, "cases", "a series of groups, each with a name",
           list_codec(table_codec(case_table(unit)), 1), &ScenarioFile::cases);
  table.add_mapped<OverlapFile>(
      Need::optional, "overlap", "a series of opposite transfers that overlap by given degrees",
      table_codec(overlap_table()), [](ScenarioFile& file, OverlapFile overlap) { file.overlap = std::move(overlap); },
      [](const ScenarioFile& file) { return file.overlap; });
  table.add_mapped<Online>(
      Need::optional, "online", "tasks come while others run, and policies order what waits", online_codec(unit),
      [](ScenarioFile& file, Online online) { file.group.online = std::move(online); },
      [](const ScenarioFile& file) { return file.group.online; });
  table.add_mapped<Study>(
      Need::optional, "study", "many orders of each case against the ones that methods choose", study_codec(),
      [](ScenarioFile& file, Study study) { file.group.study = std::move(study); },
      [](const ScenarioFile& file) { return file.group.study; });
  return table;
}

}  // namespace forelap::scenarios
