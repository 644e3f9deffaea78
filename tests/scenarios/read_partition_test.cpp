#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string add_text(const std::string& more, const std::string& sizes = "{rows: 12, columns: 5}") {
  return "forelap: 1\nkind: partition\nkernel: matrix_add\nsizes: " + sizes + "\n" + more;
}

Partition read(const std::string& text) {
  return partition_of(parse_scenario(text, "f.yaml"));
}

TEST(ReadPartition, TakesABuiltInKernelByItsNameAndSizes) {
  const Partition partition = read(add_text("devices: [gpu0, \"cpu:0-3\"]\nweights: [75 %, 0.25]\nchunks: 4\n"));
  EXPECT_EQ(partition.kernel.name, "matrix_add");
  EXPECT_EQ(partition_rows(partition), 12U);
  ASSERT_EQ(partition.weights.size(), 1U);
  EXPECT_THAT(partition.weights[0], ElementsAre(0.75, 0.25));
  EXPECT_THAT(partition.chunks, ElementsAre(4U));
  EXPECT_EQ(partition.memory, core::MemoryKind::pinned);
}

TEST(ReadPartition, LeavesChoicesToTheModelWhereTheFileSaysNothing) {
  const Partition partition = read(add_text(""));
  EXPECT_TRUE(partition.weights.empty());
  EXPECT_FALSE(partition.sweep);
  EXPECT_TRUE(partition.chunks.empty());
  EXPECT_EQ(partition.profile, ProfileMode::automatic);
  EXPECT_EQ(partition.transfers, TransferMode::concurrent);
}

TEST(ReadPartition, OrdersSizesAsTheKernelHasThem) {
  const Partition partition = read(add_text("", "{columns: 5, rows: 12}"));
  EXPECT_EQ(partition.sizes[0].first, "rows");
  EXPECT_EQ(partition_rows(partition), 12U);
}

const char* const kOwn = R"(forelap: 1
kind: partition
sizes: {n: 100, width: 3}
values: {alpha: 2.5}
kernel:
  name: scale
  source: scale.kernel
  tiles:
    - {name: x, extents: [n, width], role: inout}
    - {name: table, element: float64, extents: [width], role: in, whole: true}
  arguments: [x, table, {float32: alpha}, {int64: part * width}, {int32: first}]
  items: part * width
  work: part * width
launches: 8
devices: [a, b]
weights: {sweep: {device: 1, from: 0 %, to: 50 %, step: 10 %}}
chunks: [1, 2]
transfers: serial
profile: [1, 2, 1]
memory: pageable
repetitions: 3
)";

TEST(ReadPartition, TakesAKernelOfTheUser) {
  const Partition partition = read(kOwn);
  EXPECT_TRUE(is_of_user(partition.kernel));
  EXPECT_EQ(source_file(partition.kernel, "cuda"), "scale.kernel");
  EXPECT_EQ(row_bytes(partition, partition.kernel.tiles[0]), 12U);
  EXPECT_EQ(tile_bytes(partition, partition.kernel.tiles[1]), 24U);
  const std::vector<core::BufferId> buffers = {core::BufferId{4}, core::BufferId{5}};
  const Launch launch = make_part_launch(partition, buffers, 10, 30);
  EXPECT_EQ(std::get<float>(launch.arguments[2]), 2.5F);
  EXPECT_EQ(std::get<std::int64_t>(launch.arguments[3]), 30);
  EXPECT_EQ(std::get<std::int32_t>(launch.arguments[4]), 30);
  EXPECT_EQ(partition.launches, 8U);
  ASSERT_TRUE(partition.sweep);
  EXPECT_EQ(partition.sweep->to, 0.5);
}

TEST(ReadPartition, WritesWhatReadsBackToTheSame) {
  for (const std::string& text :
       {std::string(kOwn), add_text("weights: [[1, 0], [0.5, 0.5]]\nchunks: {devices: [4, 1]}\ndevices: [a, b]\n"),
        add_text("weights: auto\nchunks: auto\nprofile: uniform\n")}) {
    const Scenario scenario = parse_scenario(text, "f.yaml");
    const std::string written = write_scenario(scenario);
    EXPECT_EQ(write_scenario(parse_scenario(written, "f.yaml")), written);
    EXPECT_EQ(partition_of(parse_scenario(written, "f.yaml")).weights, partition_of(scenario).weights);
    EXPECT_EQ(partition_of(parse_scenario(written, "f.yaml")).device_chunks, partition_of(scenario).device_chunks);
  }
}

TEST(ReadPartition, RefusesWeightsThatAreNoShares) {
  const auto error = [](const std::string& weights) {
    return scenario_error(add_text("devices: [a, b]\nweights: " + weights + "\n"));
  };
  EXPECT_THAT(error("[0.5, 0.4]"), StartsWith("f.yaml:6:10: weights: found weights that sum to 0.9"));
  EXPECT_THAT(error("[0, 0]"), HasSubstr("sum to 0"));
  EXPECT_THAT(error("[1.5, -0.5]"), HasSubstr("weights[0]"));
  EXPECT_THAT(error("[0.5, -0.5]"), HasSubstr("weights[1]"));
  EXPECT_THAT(error("[nan, 1]"), HasSubstr("weights[0]"));
  EXPECT_THAT(error("[1]"), HasSubstr("found 1 weights for 2 devices"));
  EXPECT_THAT(error("[[0.5, 0.5], [0.2, 0.2, 0.6]]"), StartsWith("f.yaml:6:23: weights[1]: found 3 weights"));
  EXPECT_THAT(error("[]"), HasSubstr("expected auto"));
  EXPECT_THAT(error("{sweep: {device: 2}}"), HasSubstr("found device 2"));
  EXPECT_THAT(error("{sweep: {from: 60 %, to: 50 %}}"), HasSubstr("ends before it begins"));
  EXPECT_THAT(error("{sweep: {step: 0}}"), HasSubstr("weights.sweep.step"));
}

TEST(ReadPartition, TakesTinyAndZeroShares) {
  EXPECT_EQ(read(add_text("devices: [a, b]\nweights: [1, 0]\n")).weights[0][1], 0);
  EXPECT_EQ(read(add_text("devices: [a, b]\nweights: [0.9999999, 1e-7]\n")).weights.size(), 1U);
}

TEST(ReadPartition, RefusesSizesThatTheKernelHasNot) {
  EXPECT_THAT(scenario_error(add_text("", "{rows: 12}")), HasSubstr("the size \"columns\" is missing"));
  EXPECT_THAT(scenario_error(add_text("", "{rows: 12, columns: 5, depth: 2}")), HasSubstr("no size of kernel"));
  EXPECT_THAT(scenario_error(add_text("", "{rows: 0, columns: 5}")), HasSubstr("sizes.rows"));
  EXPECT_THAT(scenario_error(add_text("", "{rows: 1.5, columns: 5}")), HasSubstr("sizes.rows"));
  EXPECT_THAT(scenario_error(add_text("values: {rate: 1}\n")), HasSubstr("which has none"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: partition\nkernel: matrx_add\nsizes: {rows: 1}\n"),
              HasSubstr("did you mean \"matrix_add\"?"));
}

TEST(ReadPartition, TakesOneRowAndPrimes) {
  EXPECT_EQ(partition_rows(read(add_text("", "{rows: 1, columns: 1}"))), 1U);
  EXPECT_EQ(partition_rows(read(add_text("", "{rows: 7919, columns: 1}"))), 7919U);
}

TEST(ReadPartition, RefusesGroupsOfCoresThatOverlap) {
  EXPECT_THAT(scenario_error(add_text("devices: [\"cpu:0-3\", \"cpu:2,8\"]\n")),
              HasSubstr("found core 2 in \"cpu:2,8\" and in \"cpu:0-3\""));
  EXPECT_THAT(scenario_error(add_text("devices: [gpu0, gpu0]\n")), HasSubstr("twice"));
}

std::string own_with(const std::string& from, const std::string& to) {
  std::string text = kOwn;
  return text.replace(text.find(from), from.size(), to);
}

TEST(ReadPartition, RefusesKernelsThatCannotBeDivided) {
  EXPECT_THAT(scenario_error(own_with("role: in, whole", "role: out, whole")), HasSubstr("a whole tile"));
  EXPECT_THAT(scenario_error(own_with("role: inout}", "role: in, whole: true}")), HasSubstr("whole tiles only"));
  EXPECT_THAT(scenario_error(own_with("[x, table", "[x, tabel")), HasSubstr("did you mean \"table\"?"));
  EXPECT_THAT(scenario_error(own_with("name: table", "name: x")), HasSubstr("a second tile"));
  EXPECT_THAT(scenario_error(own_with("  source: scale.kernel\n", "")), HasSubstr("found no source"));
  EXPECT_THAT(scenario_error(own_with("name: scale", "name: matrix_add")), HasSubstr("built-in kernel"));
  EXPECT_THAT(scenario_error(own_with("items: part * width", "items: part / 7")), HasSubstr("whole number"));
  EXPECT_THAT(scenario_error(own_with("extents: [width], role: in, whole: true", "extents: [width], role: in")),
              HasSubstr("need the same first extent"));
  EXPECT_THAT(scenario_error(own_with("alpha: 2.5", "width: 2.5")), HasSubstr("width"));
  EXPECT_THAT(scenario_error(own_with("width: 3", "part: 3")), HasSubstr("means something else"));
}

TEST(ReadPartition, RefusesTheKeysOfTaskGroups) {
  EXPECT_THAT(scenario_error(add_text("engines: 2\n")), HasSubstr("unknown key"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: partitions\n"), HasSubstr("task_group or partition"));
}

TEST(ReadPartition, ChangesByWhatIfs) {
  const auto scenario =
      parse_scenario(add_text("devices: [a, b]\n"), "f.yaml", {{"weights", "[0.25, 0.75]"}, {"chunks", "3"}});
  EXPECT_THAT(partition_of(scenario).weights[0], ElementsAre(0.25, 0.75));
  EXPECT_EQ(split_overrides({{"launches", "3"}, {"weights", "auto"}}).scenario.size(), 2U);
}

TEST(ReadPartition, TellsWhatKindAScenarioIs) {
  const auto scenario = parse_scenario(add_text("name: x\n"), "f.yaml");
  EXPECT_TRUE(is_partition(scenario));
  EXPECT_THAT(message_of([&] { task_group_of(scenario); }), HasSubstr("of kind partition"));
}

}  // namespace
}  // namespace forelap::scenarios
