#include <clocale>
#include <fstream>
#include <locale>

#include "core/number_text.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kEverything = R"(forelap: 1
kind: task_group
name: everything
description: "Two lines:\nand # a sharp"
machine: ideal-one-engine
repetitions: 7
tolerance: 0.7 %
seed: 42
interference: full
memory: pageable
engines: 1
submission: by_task
kernel_lanes: 3
devices: [auto, "cuda:1"]
order: [[A, B], [B, A]]
unit: 10 ms
kernels:
  saxpy_many:
    opencl: saxpy.cl
    cuda: saxpy.cu
    entry: saxpy
    arguments: [buffer, {int32: n}, {int32: repeat}, {float32: 2.5}]
    items: n
    work: n * repeat
    work_unit: flop pairs
    group: 256
    options: "-cl-fast-relaxed-math"
  steps:
    opencl: steps.cl
    arguments: [buffer, {int32: n}, pass]
    passes: 2 * repeat
    result: bytes / 2
    items: n
    work: n * repeat
tasks:
  - {name: A, htod: 16 MiB, kernel: {name: saxpy_many, repeat: 1000}, dtoh: [4 MiB, 1.5 ms], device: 1, buffer: 32 MiB}
  - {name: B, htod: 0.1 unit, kernel: [8 ms, {work: 1e9}, {name: vector_add, duration: 2 unit}]}
)";

void expect_everything(const Scenario& scenario) {
  EXPECT_EQ(scenario.name, "everything");
  EXPECT_EQ(scenario.description, "Two lines:\nand # a sharp");
  EXPECT_EQ(scenario.machine, "ideal-one-engine");
  EXPECT_EQ(scenario.repetitions, 7U);
  EXPECT_EQ(scenario.tolerance_pct, 0.7);
  EXPECT_EQ(scenario.seed, 42U);
  EXPECT_EQ(scenario.interference, core::InterferenceMode::full);
  const TaskGroup& group = group_of(scenario);
  EXPECT_EQ(group.memory, core::MemoryKind::pageable);
  EXPECT_EQ(group.engines, 1U);
  EXPECT_EQ(group.submission, Submission::by_task);
  EXPECT_EQ(group.kernel_lanes, 3U);
  EXPECT_THAT(group.devices, ElementsAre("auto", "cuda:1"));
  EXPECT_EQ(group.order, OrderMode::list);
  ASSERT_EQ(group.cases.size(), 1U);
  const TaskCase& c = group.cases[0];
  EXPECT_THAT(c.orders, ElementsAre(ElementsAre(0U, 1U), ElementsAre(1U, 0U)));
  ASSERT_EQ(c.tasks.size(), 2U);
  EXPECT_EQ(c.tasks[0].htod.at(0).bytes, std::uint64_t{16} << 20);
  EXPECT_EQ(c.tasks[0].kernels.at(0).kernel, "saxpy_many");
  EXPECT_EQ(c.tasks[0].kernels.at(0).repeat, 1000U);
  EXPECT_EQ(c.tasks[0].dtoh.at(1).seconds, 0.0015);
  EXPECT_EQ(c.tasks[0].device, 1U);
  EXPECT_EQ(c.tasks[0].buffer_bytes, std::uint64_t{32} << 20);
  EXPECT_EQ(c.tasks[1].htod.at(0).seconds, 0.001);
  EXPECT_EQ(c.tasks[1].kernels.at(0).seconds, 0.008);
  EXPECT_EQ(c.tasks[1].kernels.at(1).work, 1e9);
  EXPECT_EQ(c.tasks[1].kernels.at(2).seconds, 0.02);
  ASSERT_EQ(scenario.kernels.size(), 2U);
  const KernelDefinition& kernel = scenario.kernels[0];
  EXPECT_EQ(kernel.name, "saxpy_many");
  EXPECT_EQ(kernel.opencl_file, "saxpy.cl");
  EXPECT_EQ(kernel.cuda_file, "saxpy.cu");
  EXPECT_EQ(kernel.entry, "saxpy");
  EXPECT_EQ(kernel.work_unit, "flop pairs");
  EXPECT_EQ(kernel.group, 256U);
  EXPECT_EQ(kernel.options, "-cl-fast-relaxed-math");
  ASSERT_EQ(kernel.arguments.size(), 4U);
  EXPECT_EQ(kernel.arguments[0].type, KernelArgument::Type::buffer);
  EXPECT_EQ(kernel.arguments[3].type, KernelArgument::Type::float32);
  EXPECT_EQ(kernel.arguments[3].value.evaluate({0, 0, 0}), 2.5);
  EXPECT_EQ(kernel.work.evaluate({0, 3, 5}), 15);
  EXPECT_FALSE(kernel.passes);
  EXPECT_FALSE(kernel.result);
  const KernelDefinition& steps = scenario.kernels[1];
  EXPECT_EQ(steps.arguments.at(2).type, KernelArgument::Type::pass);
  EXPECT_EQ(steps.passes.value().evaluate({0, 3, 5}), 10);
  EXPECT_EQ(steps.result.value().evaluate({64, 16, 5}), 32);
}

TEST(ReadScenario, ReadsEveryKey) {
  expect_everything(parse_scenario(kEverything, "f.yaml"));
}

TEST(ReadScenario, ReadsBackWhatItWrites) {
  const std::string text = write_scenario(parse_scenario(kEverything, "f.yaml"));
  expect_everything(parse_scenario(text, "f.yaml"));
  EXPECT_EQ(write_scenario(parse_scenario(text, "f.yaml")), text);
}

TEST(ReadScenario, HasUsualValuesForWhatIsLeftOut) {
  const Scenario scenario = parse_scenario(scenario_text("kernel: 1 ms"), "folder/short.yaml");
  EXPECT_EQ(scenario.name, "short");
  EXPECT_EQ(scenario.path, "folder/short.yaml");
  EXPECT_EQ(scenario.repetitions, 15U);
  EXPECT_EQ(scenario.interference, core::InterferenceMode::partial);
  const TaskGroup& group = group_of(scenario);
  EXPECT_EQ(group.order, OrderMode::given);
  EXPECT_EQ(group.engines, 0U);
  EXPECT_EQ(group.memory, core::MemoryKind::pinned);
  EXPECT_EQ(group.cases[0].tasks[0].name, "T0");
  EXPECT_EQ(group.cases[0].tasks[0].kernels[0].kernel, "synthetic");
}

TEST(ReadScenario, AcceptsIdenticalTasks) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\norder: all\ntasks: [{kernel: 1 ms}, {kernel: 1 ms}, {kernel: 1 ms}]", "f.yaml");
  EXPECT_EQ(orders_of(group_of(scenario).cases[0], OrderMode::all).size(), 6U);
}

TEST(ReadScenario, NamesTheNearestKeyForAnUnknownOne) {
  EXPECT_EQ(
      scenario_error(scenario_text("name: A, htdo: 1 ms, kernel: 1 ms")),
      "f.yaml:4:15: tasks[0].htdo: unknown key; did you mean \"htod\"? The keys of a task are name, htod, kernel, "
      "dtoh, after, device and buffer");
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "repititions: 3\n")),
              StartsWith("f.yaml:3:1: repititions: unknown key; did you mean \"repetitions\"?"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: {nam: synthetic, repeat: 3}")),
              StartsWith("f.yaml:4:15: tasks[0].kernel.nam: unknown key; did you mean \"name\"?"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "zzz: 3\n")), HasSubstr("zzz: unknown key; the keys of"));
}

TEST(ReadScenario, AsksForTheMissingUnit) {
  constexpr const char* kAdvice = " without a unit, expected a size such as \"64 MiB\" or a time such as \"1 ms\"";
  for (const std::string number : {"25", "1e6", "64e6", "0"}) {
    EXPECT_EQ(scenario_error(scenario_text("htod: " + number)),
              "f.yaml:4:12: tasks[0].htod: found \"" + number + "\"" + kAdvice);
  }
  EXPECT_THAT(scenario_error(scenario_text("htod: 1_000_000")), HasSubstr("without underscores"));
  EXPECT_THAT(scenario_error(scenario_text("htod: 1_000_000 B")), HasSubstr("without underscores"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 8")), HasSubstr("the unit is missing"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 8 ms", "tolerance: 5\n")),
              HasSubstr("tolerance: found \"5\", expected a percentage such as \"5 %\""));
}

TEST(ReadScenario, TellsUnitsApartAndRefusesWrongOnes) {
  const auto bytes = [](const std::string& text) {
    return group_of(parse_scenario(scenario_text("htod: " + text), "f.yaml")).cases[0].tasks[0].htod[0].bytes;
  };
  EXPECT_EQ(bytes("25 GB"), 25'000'000'000U);
  EXPECT_EQ(bytes("25 GiB"), std::uint64_t{25} << 30);
  for (const std::string rate : {"25 GB/s", "25 Gbit/s", "25 GiB/s"}) {
    EXPECT_THAT(scenario_error(scenario_text("htod: " + rate)),
                AllOf(StartsWith("f.yaml:4:12: tasks[0].htod: found \"" + rate + "\""), HasSubstr("unknown unit")));
  }
  EXPECT_THAT(scenario_error(scenario_text("htod: 64 mib")), HasSubstr("did you mean MiB?"));
  EXPECT_THAT(scenario_error(scenario_text("htod: 1 MS")), HasSubstr("did you mean ms?"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 16 MiB")), HasSubstr("expected a time"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 0.5 unit")), HasSubstr("add `unit: 10 ms`"));
}

TEST(ReadScenario, RefusesNegativeNotFiniteAndHugeNumbers) {
  for (const std::string text :
       {"-1 ms", "-16 MiB", "nan ms", "NaN", "inf s", ".inf", ".nan", "1e400 B", "1e30 s", "1e17 B", "2 PiB"}) {
    EXPECT_THAT(scenario_error(scenario_text("htod: " + text)), StartsWith("f.yaml:4:12: tasks[0].htod: found"))
        << text;
  }
  EXPECT_THAT(scenario_error(scenario_text("htod: -1 ms")), HasSubstr("must not be negative"));
  EXPECT_THAT(scenario_error(scenario_text("htod: 1e30 s")), HasSubstr("too large"));
  EXPECT_THAT(scenario_error(scenario_text("htod: 1.5 B")), HasSubstr("whole number of bytes"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1e9 unit", "unit: 1 s\n")), HasSubstr("expected a time from 0 to"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: -1 unit", "unit: 1 s\n")), HasSubstr("expected a time from 0 to"));
}

TEST(ReadScenario, RefusesWholeNumbersThatAreNone) {
  for (const std::string text : {"0", "-3", "1.5", "1e6", "1_000", "99999999999999999999", "many", "[3]", "\"\""}) {
    EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "repetitions: " + text + "\n")),
                HasSubstr("expected a whole number from 1 to 1000000"))
        << text;
  }
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "repetitions: 1e3\n")), HasSubstr("in plain digits"));
}

TEST(ReadScenario, RefusesTasksWithNothingToDo) {
  for (const std::string task :
       {"name: A", "htod: 0 B", "htod: 0 ms, kernel: 0 s, dtoh: 0 B", "htod: [], kernel: []"}) {
    EXPECT_THAT(scenario_error(scenario_text(task)),
                StartsWith("f.yaml:4:5: tasks[0]: the task moves no bytes and launches no kernel"))
        << task;
  }
  EXPECT_EQ(group_of(parse_scenario(scenario_text("htod: 0 B, kernel: 1 ms"), "f.yaml")).cases[0].tasks.size(), 1U);
}

TEST(ReadScenario, RefusesAnEmptyGroup) {
  EXPECT_EQ(scenario_error("forelap: 1\nkind: task_group\ntasks: []\n"),
            "f.yaml:3:8: tasks: found a list of 0, expected at least 1 entry");
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n"),
              StartsWith("f.yaml:3:1: tasks: found nothing, expected a list of: a task"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\n"), HasSubstr("the key \"tasks\" is missing"));
}

TEST(ReadScenario, RefusesWrongTypes) {
  EXPECT_THAT(scenario_error(scenario_text("htod: {bytes: 3}")), HasSubstr("found a map, expected a size such as"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "order: random\n")),
              HasSubstr("order: found \"random\", expected given, all, or a list of orders"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "interference: some\n")),
              HasSubstr("found \"some\", expected none, full or partial"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "engines: 3\n")), HasSubstr("expected auto, 1 or 2"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "name: [a]\n")), HasSubstr("found a list, expected a text"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks: {name: A}\n"),
              HasSubstr("found a map, expected a list"));
  EXPECT_THAT(scenario_error("just text\n"), HasSubstr("found \"just text\", expected a scenario"));
}

TEST(ReadScenario, RefusesFilesOfTheWrongKindOrVersion) {
  EXPECT_THAT(scenario_error("forelap: 1\nkind: pipeline\n"),
              HasSubstr("kind: found \"pipeline\", expected a kind of scenario: task_group or partition"));
  EXPECT_THAT(scenario_error("forelap: 1\ntasks: []\n"), HasSubstr("the key \"kind\" is missing"));
  EXPECT_THAT(scenario_error("forelap_machine: 1\nname: x\n"), HasSubstr("this is a machine, not a scenario"));
  EXPECT_THAT(scenario_error("forelap: 2\nkind: task_group\ntasks: [{kernel: 1 ms}]\n"),
              HasSubstr("forelap: found \"2\", expected a whole number from 1 to 1"));
}

TEST(ReadScenario, RefusesNamesThatLeadNowhere) {
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: first, kernel: 1 ms}\n"
                             "  - {name: B, kernel: 1 ms, after: [frist]}\n"),
              AllOf(StartsWith("f.yaml:5:37: tasks[1].after[0]: found \"frist\", which is no task; did you mean "
                               "\"first\"?"),
                    HasSubstr("The tasks are first and B")));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: A, kernel: 1 ms, after: [B]}\n"
                             "  - {name: B, kernel: 1 ms}\n"),
              HasSubstr("a task can only come after tasks above it"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: A, kernel: 1 ms}\n"
                             "  - {name: A, kernel: 1 ms}\n"),
              StartsWith("f.yaml:5:12: tasks[1].name: a second task is called \"A\""));
  EXPECT_THAT(scenario_error(scenario_text("kernel: {name: synthetik, repeat: 3}")),
              HasSubstr("tasks[0].kernel.name: found \"synthetik\", which is no kernel; did you mean \"synthetic\"?"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms, device: 1")),
              HasSubstr("tasks[0].device: found device 1, but the scenario has 1 (counted from 0)"));
}

TEST(ReadScenario, RefusesOrdersThatAreNoPermutations) {
  const auto error = [](const std::string& order) {
    return scenario_error("forelap: 1\nkind: task_group\norder: " + order +
                          "\ntasks: [{name: A, kernel: 1 ms}, {name: B, kernel: 1 ms, after: [A]}]\n");
  };
  EXPECT_THAT(error("[[A]]"), HasSubstr("order[0]: found 1 tasks, expected each of the 2 once"));
  EXPECT_THAT(error("[[A, A]]"), HasSubstr("order[0][1]: found \"A\" a second time"));
  EXPECT_THAT(error("[[A, C]]"), HasSubstr("order[0][1]: found \"C\", which is no task"));
  EXPECT_THAT(error("[[B, A]]"), HasSubstr("order[0][0]: found \"B\" before \"A\", which it comes after"));
  EXPECT_THAT(error("[A, B]"), HasSubstr("order[0]: found \"A\", expected a list"));
  EXPECT_THAT(error("[]"), HasSubstr("expected at least 1 entry"));
}

TEST(Scenario, ConstantsOfAUsersKernelAreJudgedWhereTheyStand) {
  const auto error = [](const std::string& keys) {
    return scenario_error(
        scenario_text("kernel: {name: mine, repeat: 1}", "kernels:\n  mine:\n    opencl: a.cl\n" + keys));
  };
  const std::string items = "    items: n\n";
  const std::string work = "    work: n\n";
  const std::string arguments = "    arguments: [buffer]\n";
  EXPECT_THAT(error(items + work + arguments + "    passes: 0\n"),
              AllOf(HasSubstr("f.yaml:9:"), HasSubstr("kernels.mine.passes"), HasSubstr("comes to 0")));
  EXPECT_THAT(error(items + work + arguments + "    passes: 1.5\n"),
              AllOf(HasSubstr("f.yaml:9:"), HasSubstr("not a whole number")));
  EXPECT_THAT(error(items + work + arguments + "    result: -4\n"),
              AllOf(HasSubstr("f.yaml:9:"), HasSubstr("kernels.mine.result")));
  EXPECT_THAT(error("    items: 0\n" + work + arguments),
              AllOf(HasSubstr("f.yaml:6:"), HasSubstr("kernels.mine.items")));
  EXPECT_THAT(error(items + "    work: 1 / 0\n" + arguments),
              AllOf(HasSubstr("f.yaml:7:"), HasSubstr("kernels.mine.work")));
  EXPECT_THAT(error(items + work + "    arguments: [buffer, {int32: 3000000000}]\n"),
              AllOf(HasSubstr("f.yaml:8:"), HasSubstr("kernels.mine.arguments[1]"), HasSubstr("int32")));
}

TEST(ReadScenario, RefusesBadKernelsAndLaunches) {
  const auto error = [](const std::string& keys) {
    return scenario_error(scenario_text("kernel: {name: mine, repeat: 1}", "kernels:\n  mine: {" + keys + "}\n"));
  };
  EXPECT_THAT(error("arguments: [buffer], items: n, work: n"), HasSubstr("kernels.mine: found no source"));
  EXPECT_THAT(error("opencl: a.cl, arguments: [buffer], items: n"), HasSubstr("the key \"work\" is missing"));
  EXPECT_THAT(error("opencl: a.cl, arguments: [buffer], items: m, work: n"),
              HasSubstr("kernels.mine.items: expression \"m\""));
  EXPECT_THAT(error("opencl: a.cl, arguments: [{int: n}], items: n, work: n"),
              HasSubstr("kernels.mine.arguments[0].int: unknown type"));
  EXPECT_THAT(error("opencl: a.cl, arguments: [buffer, pass, pass], items: n, work: n"),
              HasSubstr("kernels.mine: found `pass` twice among the arguments"));
  EXPECT_THAT(error("opencl: a.cl, arguments: [buffer], items: n, work: n, passes: k"),
              HasSubstr("kernels.mine.passes: expression \"k\""));
  EXPECT_THAT(error("opencl: a.cl, arguments: [{int32: n, int64: n}], items: n, work: n"),
              HasSubstr("found a map, expected `buffer`"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: {repeat: 3, duration: 1 ms}")),
              HasSubstr("found 2 of `repeat`, `work` and `duration`, expected exactly one"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: {name: synthetic}")), HasSubstr("found 0 of `repeat`"));
  EXPECT_THAT(scenario_error(scenario_text(
                  "kernel: 1 ms", "kernels: {synthetic: {opencl: a.cl, arguments: [buffer], items: n, work: n}}\n")),
              HasSubstr("this is the name of a built-in kernel"));
  EXPECT_THAT(
      scenario_error(scenario_text("htod: 64 MiB, buffer: 1 MiB")),
      HasSubstr("tasks[0].buffer: found a buffer of 1 MiB, expected at least the task's largest transfer, 64 MiB"));
}

TEST(ReadScenario, ReadsASeriesOfCases) {
  const std::string text =
      "forelap: 1\nkind: task_group\ncases:\n"
      "  - {name: one, tasks: [{name: A, kernel: 1 ms}, {name: B, kernel: 2 ms}], order: [[B, A]]}\n"
      "  - {name: two, tasks: [{name: A, kernel: 1 ms}], order: [[A]]}\n";
  const Scenario scenario = parse_scenario(text, "f.yaml");
  ASSERT_EQ(group_of(scenario).cases.size(), 2U);
  EXPECT_EQ(group_of(scenario).order, OrderMode::list);
  EXPECT_THAT(group_of(scenario).cases[0].orders, ElementsAre(ElementsAre(1U, 0U)));
  EXPECT_EQ(write_scenario(parse_scenario(write_scenario(scenario), "f.yaml")), write_scenario(scenario));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ncases:\n  - {name: one, tasks: [{kernel: 1 ms}]}\n"
                             "  - {name: one, tasks: [{kernel: 1 ms}]}\n"),
              HasSubstr("cases[1].name: a second case is called \"one\""));
  EXPECT_THAT(scenario_error(text + "tasks: [{kernel: 1 ms}]\n"), HasSubstr("found more than one of `tasks`"));
}

TEST(ReadScenario, RefusesAHugeFileWithoutReadingIt) {
  const std::string path = testing::TempDir() + "/huge.yaml";
  std::ofstream(path).seekp(100'000'000).put('\n');
  EXPECT_THAT(message_of([&] { read_scenario(path); }), HasSubstr("huge.yaml"));
  std::remove(path.c_str());
  EXPECT_THAT(message_of([] { read_scenario("nowhere/none.yaml"); }), HasSubstr("nowhere/none.yaml"));
}

/// A locale with a decimal comma and grouped thousands, on every system.
class CommaPunctuation : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

void expect_same_in_this_locale() {
  expect_everything(parse_scenario(kEverything, "f.yaml"));
  const std::string text = write_scenario(parse_scenario(kEverything, "f.yaml"));
  EXPECT_THAT(text, HasSubstr("1.5 ms"));
  expect_everything(parse_scenario(text, "f.yaml"));
  EXPECT_THAT(scenario_error(scenario_text("htod: \"1,5 ms\"")), HasSubstr("the decimal sign is a point"));
  std::string many_lines(1999, '\n');
  EXPECT_THAT(scenario_error(many_lines + "a: [\n"), StartsWith("f.yaml:2001:1: "));
}

TEST(ReadScenario, ReadsAndWritesTheSameInADecimalCommaStreamLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  expect_same_in_this_locale();
  std::locale::global(before);
}

TEST(ReadScenario, ReadsAndWritesTheSameInTheGermanLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "the locale de_DE.UTF-8 is not installed here";
  }
  expect_same_in_this_locale();
  std::setlocale(LC_ALL, before.c_str());
}

TEST(ReadScenario, OfEveryShippedFileIsValidAndReadsBack) {
  for (const char* name : {"bk0", "bk25", "bk50", "bk75", "bk100", "bk50-small", "overlap", "worked-example",
                           "small-kernels", "small-kernels-lanes"}) {
    const Scenario scenario = read_scenario(std::string(FORELAP_SOURCE_DIR) + "/scenarios/library/" + name + ".yaml");
    const std::string text = write_scenario(scenario);
    EXPECT_EQ(write_scenario(parse_scenario(text, "f.yaml")), text) << name;
    EXPECT_FALSE(scenario.description.empty()) << name;
  }
}

}  // namespace
}  // namespace forelap::scenarios
