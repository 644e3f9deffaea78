#include "scenarios/override.hpp"

#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kMachine = R"(forelap_machine: 1
name: m
devices:
  - name: gpu
    copy_engines: {value: 2, samples: 9, how: measured}
    hop: 7 us
    transfers:
      - {direction: htod, memory: pinned, latency: 5 us, rate: {value: 50 GB/s, spread: 1 GB/s, samples: 9, how: measured}}
      - direction: dtoh
        memory: pinned
        pieces:
          - {to: 1 MiB, latency: 5 us, rate: 20 GB/s}
          - {from: 1 MiB, latency: 9 us, rate: 40 GB/s}
)";

core::Machine changed(const std::vector<Override>& overrides) {
  return parse_machine(kMachine, "m.yaml", overrides);
}

std::string error_of(const std::string& path, const std::string& value) {
  return message_of([&] { changed({{path, value}}); });
}

std::string scenario_error_of(const std::string& path, const std::string& value) {
  return message_of([&] { parse_scenario(scenario_text("name: A, kernel: 1 ms"), "f.yaml", {{path, value}}); });
}

TEST(Override, ReplacesAValueAndDropsWhatWasMeasured) {
  const core::Parameter engines = changed({{"devices[0].copy_engines", "1"}}).devices[0].copy_engines;
  EXPECT_EQ(engines.value, 1);
  EXPECT_EQ(engines.samples, 0U);
  EXPECT_TRUE(engines.assumed);
  EXPECT_EQ(engines.how, "what-if by --set");
  EXPECT_EQ(changed({{"devices[0].hop", "3 us"}}).devices[0].hop.value, 3e-6);
  EXPECT_EQ(changed({{"devices[0].hop", "{value: 3 us, spread: 1 us}"}}).devices[0].hop.spread, 1e-6);
}

TEST(Override, MultipliesAValueWithItsSpread) {
  const core::Machine machine = changed({{"devices[0].transfers[0].rate", "x2"}});
  const core::Parameter rate = machine.devices[0].transfers[0].pieces[0].per_byte;
  EXPECT_DOUBLE_EQ(rate.value, 1 / 100e9);
  EXPECT_DOUBLE_EQ(rate.spread, 2e9 / 100e9 / 100e9);
  EXPECT_TRUE(rate.assumed);
  EXPECT_EQ(rate.how, "measured, times 2 by --set");
  EXPECT_DOUBLE_EQ(changed({{"devices[0].hop", "x0.5"}}).devices[0].hop.value, 3.5e-6);
}

TEST(Override, ReachesAllEntriesAndThePiecesOfAModel) {
  const auto transfers = changed({{"devices[*].transfers[*].rate", "x2"}}).devices[0].transfers;
  EXPECT_DOUBLE_EQ(transfers[0].pieces[0].per_byte.value, 1 / 100e9);
  EXPECT_DOUBLE_EQ(transfers[1].pieces[0].per_byte.value, 1 / 40e9);
  EXPECT_DOUBLE_EQ(transfers[1].pieces[1].per_byte.value, 1 / 80e9);
}

TEST(Override, AddsAKnownKeyThatTheDocumentLeavesOut) {
  EXPECT_EQ(changed({{"devices[0].submit", "2 us"}}).devices[0].submit.value, 2e-6);
  const Scenario scenario =
      parse_scenario(scenario_text("name: A, kernel: 1 ms"), "f.yaml", {{"engines", "1"}, {"order", "[[A]]"}});
  EXPECT_EQ(group_of(scenario).engines, 1U);
  EXPECT_THAT(group_of(scenario).cases[0].orders, SizeIs(1));
  EXPECT_THAT(scenario_error_of("engine", "1"),
              StartsWith("--set engine=1: engine: unknown key; did you mean \"engines\"?"));
}

TEST(Override, NamesItselfWhereItsValueIsRefused) {
  EXPECT_EQ(scenario_error_of("engines", "3"), "--set engines=3: engines: found \"3\", expected auto, 1 or 2");
  EXPECT_THAT(scenario_error_of("tasks[0].kernel", "25"),
              StartsWith("--set tasks[0].kernel=25: tasks[0].kernel: found \"25\""));
  EXPECT_THAT(error_of("devices[0].copy_engines", "x2"), HasSubstr("expected 1 or 2"));
  EXPECT_THAT(error_of("devices[0].hop", "["), StartsWith("--set devices[0].hop=["));
}

TEST(Override, NamesTheNearestPath) {
  EXPECT_EQ(error_of("devices[0].hopp", "x2"),
            "--set devices[0].hopp=x2: there is no \"devices[0].hopp\"; did you mean \"devices[0].hop\"?");
  EXPECT_EQ(error_of("device[0].hop", "1 us"),
            "--set device[0].hop=1 us: there is no \"device\"; did you mean \"devices\"?");
  EXPECT_EQ(error_of("devices[3].hop", "1 us"),
            "--set devices[3].hop=1 us: \"devices\" has 1 entries, counted from 0; there is no [3]");
  EXPECT_THAT(error_of("devices[0].zzz.y", "1 us"),
              HasSubstr("\"devices[0]\" has name, copy_engines, hop and transfers"));
  EXPECT_THAT(error_of("name[0]", "x"), HasSubstr("\"name\" is not a list with entries"));
  EXPECT_THAT(error_of("name.first", "x"), HasSubstr("\"name\" has no keys"));
}

TEST(Override, RefusesPathsAndValuesThatAreNone) {
  EXPECT_THAT(error_of("", "1"), HasSubstr("empty key"));
  EXPECT_THAT(error_of("a..b", "1"), HasSubstr("empty key"));
  EXPECT_THAT(error_of("devices[x]", "1"), HasSubstr("expected [0], [1], ... or [*]"));
  EXPECT_THAT(error_of("devices[0", "1"), HasSubstr("brackets"));
  EXPECT_THAT(error_of("devices[0]x", "1"), HasSubstr("brackets"));
  EXPECT_THAT(error_of("devices[0].hop", ""), HasSubstr("the value is missing"));
  EXPECT_THAT(error_of("devices[0].hop", "x-2"), HasSubstr("a positive factor"));
  EXPECT_THAT(error_of("devices[0].hop", "x0"), HasSubstr("a positive factor"));
  EXPECT_THAT(error_of("name", "x2"), HasSubstr("a factor needs a number"));
}

TEST(ParseOverride, SplitsAtTheFirstEqualsSign) {
  const Override change = parse_override("kernels.mine.options=-DN=3");
  EXPECT_EQ(change.path, "kernels.mine.options");
  EXPECT_EQ(change.value, "-DN=3");
  EXPECT_THAT(message_of([] { parse_override("engines"); }), HasSubstr("expected path=value"));
  EXPECT_THAT(message_of([] { parse_override("=1"); }), HasSubstr("expected path=value"));
}

TEST(SplitOverrides, KnowsWhichDocumentAPathMeans) {
  const auto split = split_overrides({{"engines", "1"},
                                      {"devices[0].copy_engines", "1"},
                                      {"devices", "[auto]"},
                                      {"machine", "amd-r9"},
                                      {"machine.name", "x"},
                                      {"scenario.name", "y"},
                                      {"host.cores", "3"}});
  ASSERT_THAT(split.scenario, SizeIs(4));
  ASSERT_THAT(split.machine, SizeIs(3));
  EXPECT_EQ(split.scenario[1].path, "devices");
  EXPECT_EQ(split.scenario[2].path, "machine");
  EXPECT_EQ(split.scenario[3].path, "name");
  EXPECT_EQ(split.machine[0].path, "devices[0].copy_engines");
  EXPECT_EQ(split.machine[1].path, "name");
  EXPECT_EQ(message_of([] {
              split_overrides({{"enginse", "1"}});
            }),
            "--set enginse=1: \"enginse\" is no key of a scenario or a machine; did you mean \"engines\"?");
}

}  // namespace
}  // namespace forelap::scenarios
