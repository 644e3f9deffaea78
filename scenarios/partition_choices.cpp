// How files write what of a partition may be left to the model: weights, chunks, the profile.

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "scenarios/partition_file.hpp"

namespace forelap::scenarios {
namespace {

using core::Dimension;

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

}  // namespace

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

}  // namespace forelap::scenarios
