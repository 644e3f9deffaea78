#include "scenarios/submission.hpp"

#include "scenarios/lower.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

/// Tasks with buffers of so many GiB, all three stages unless said otherwise, under a limit of 16 GiB.
struct Group {
  Scenario scenario;
  TaskGroupTuning tuning;

  Group(const std::vector<std::uint64_t>& gib, std::uint32_t engines) {
    TaskGroup group;
    group.device_memory = 16 * kGiB;
    TaskCase c;
    tuning.engines = {engines};
    for (std::size_t i = 0; i < gib.size(); ++i) {
      TaskSpec task;
      task.name = std::string(1, static_cast<char>('A' + i));
      c.tasks.push_back(task);
      tuning.tasks.push_back({gib[i] * kGiB, {{0, 10}}, {{"synthetic", 1, 0, 10}}, {{0, 10}}});
      tuning.device.push_back(0);
      tuning.order.push_back(static_cast<std::uint32_t>(i));
    }
    group.cases = {c};
    scenario.body = group;
  }
  TaskGroup& group() { return std::get<TaskGroup>(scenario.body); }
};

std::vector<std::uint32_t> waits_of(const Group& g, std::uint32_t task) {
  SubmissionOrder submission(g.scenario, g.tuning);
  submission.arrange(g.tuning.order, g.tuning.device, g.tuning.kernel_lanes);
  const auto waits = submission.waits(task);
  return {waits.begin(), waits.end()};
}

std::vector<std::vector<std::uint32_t>> rounds_of(const Group& g) {
  SubmissionOrder submission(g.scenario, g.tuning);
  submission.arrange(g.tuning.order, g.tuning.device, g.tuning.kernel_lanes);
  std::vector<std::vector<std::uint32_t>> rounds;
  for (std::size_t i = 0; i < submission.round_count(); ++i) {
    const auto round = submission.round(i);
    rounds.emplace_back(round.begin(), round.end());
  }
  return rounds;
}

TEST(Submission, ATaskWaitsForTheFirstOnesThatLeaveRoomForIt) {
  const Group g({6, 6, 4, 10, 2}, 2);
  EXPECT_THAT(waits_of(g, 2), ElementsAre()) << "6 + 6 + 4 is all there is, and allowed";
  EXPECT_THAT(waits_of(g, 3), ElementsAre(0, 1)) << "4 + 10 fit once both are gone";
  EXPECT_THAT(waits_of(g, 4), ElementsAre());
}

TEST(Submission, WithoutALimitNothingWaits) {
  Group g({6, 6, 4, 10, 2}, 2);
  g.group().device_memory = 0;
  EXPECT_THAT(waits_of(g, 3), ElementsAre());
}

TEST(Submission, ATaskThatBeginsOnAnotherLaneWaitsForItself) {
  Group g({10, 10, 10, 5}, 2);
  g.tuning.tasks[1].htod.clear();  // begins with its kernel, so htods behind it do not wait with it
  EXPECT_THAT(waits_of(g, 1), ElementsAre(0));
  EXPECT_THAT(waits_of(g, 2), ElementsAre(0, 1));
  EXPECT_THAT(waits_of(g, 3), ElementsAre()) << "its htod stands behind the one that waits";
}

TEST(Submission, ByTypeTheOrderIsCutWhereMemoryRunsOut) {
  EXPECT_THAT(rounds_of(Group({6, 6, 4, 10, 2}, 1)), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(rounds_of(Group({6, 6, 4, 10, 2}, 2)), ElementsAre(ElementsAre(0, 1, 2, 3, 4)));
}

TEST(Submission, EachDeviceHasItsOwnMemory) {
  Group g({10, 10, 10}, 2);
  g.tuning.device_count = 2;
  g.tuning.engines = {2, 2};
  g.tuning.device = {0, 1, 0};
  EXPECT_THAT(waits_of(g, 1), ElementsAre());
  EXPECT_THAT(waits_of(g, 2), ElementsAre(0));
}

TEST(Submission, ATaskWithoutStepsNeedsNoMemory) {
  Group g({10, 17, 10}, 2);
  g.tuning.tasks[1] = {17 * kGiB, {}, {}, {}};
  EXPECT_THAT(waits_of(g, 2), ElementsAre(0));
}

TEST(Submission, ATaskLargerThanTheLimitIsNamedWithBothSizes) {
  const Group g({1, 20}, 2);
  EXPECT_EQ(message_of([&] { lower(g.scenario, g.tuning); }),
            "task \"B\" needs 20 GiB of device memory, but the scenario allows 16 GiB; raise its limit (`memory` or "
            "`device_memory`) or make the task smaller");
}

TEST(Submission, WaitsBecomeDependenciesOfAPlan) {
  const Group g({10, 10}, 2);
  const core::Plan plan = lower(g.scenario, g.tuning);
  ASSERT_EQ(plan.steps.size(), 6U);
  EXPECT_THAT(plan.dependencies_of(plan.steps[3]), ElementsAre(core::StepId{2}));
}

TEST(Submission, OfAPartLeavesOutWhatIsNotInIt) {
  Group g({10, 10, 10}, 2);
  g.group().cases[0].tasks[2].after = {0, 1};
  SubmissionOrder submission(g.scenario, g.tuning);
  submission.arrange(std::vector<std::uint32_t>{2}, g.tuning.device, 1);
  EXPECT_TRUE(submission.waits(2).empty());
  submission.arrange(std::vector<std::uint32_t>{1, 2}, g.tuning.device, 1);
  EXPECT_THAT(submission.waits(2), ElementsAre(1)) << "once, though memory asks for it too";
}

TEST(Submission, AnEmptyOrderHasNoRounds) {
  const Group g({}, 2);
  EXPECT_TRUE(rounds_of(g).empty());
}

TEST(ScenarioMemory, IsAKindOfHostMemoryOrALimitOfDeviceMemory) {
  const auto group = [](const std::string& head) {
    return group_of(parse_scenario(scenario_text("kernel: 1 ms", head), "f.yaml"));
  };
  EXPECT_EQ(group("memory: 16 GiB\n").device_memory, 16 * kGiB);
  EXPECT_EQ(group("memory: 16 GiB\n").memory, core::MemoryKind::pinned);
  EXPECT_EQ(group("memory: pageable\n").memory, core::MemoryKind::pageable);
  EXPECT_EQ(group("memory: pageable\n").device_memory, 0U);
  const auto both = group("memory: pageable\ndevice_memory: 1 GiB\n");
  EXPECT_EQ(both.memory, core::MemoryKind::pageable);
  EXPECT_EQ(both.device_memory, kGiB);
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "memory: 1 GiB\ndevice_memory: 1 GiB\n")),
              HasSubstr("expected it once"));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "memory: 16\n")), HasSubstr("f.yaml:3:9: memory: "));
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "memory: pined\n")),
              HasSubstr("expected pinned, pageable, or a limit of device memory such as \"16 GiB\""));
}

TEST(ScenarioMemory, AndFreeKernelLanesReadBackAsWritten) {
  const auto scenario = parse_scenario(scenario_text("kernel: 1 ms", "memory: 16 GiB\nkernel_lanes: auto\n"), "f.yaml");
  EXPECT_EQ(group_of(scenario).kernel_lanes, 0U);
  const auto again = parse_scenario(write_scenario(scenario), "f.yaml");
  EXPECT_EQ(group_of(again).device_memory, 16 * kGiB);
  EXPECT_EQ(group_of(again).kernel_lanes, 0U);
  EXPECT_THAT(scenario_error(scenario_text("kernel: 1 ms", "kernel_lanes: 0\n")), HasSubstr("kernel_lanes"));
}

TEST(KernelOnAPartOfItsBuffer, IsWrittenBesideRepeatOnly) {
  const auto scenario = parse_scenario(scenario_text("buffer: 64 KiB, kernel: {repeat: 3, bytes: 4 KiB}"), "f.yaml");
  EXPECT_EQ(group_of(scenario).cases[0].tasks[0].kernels[0].bytes, 4096U);
  const auto again = parse_scenario(write_scenario(scenario), "f.yaml");
  EXPECT_EQ(group_of(again).cases[0].tasks[0].kernels[0].bytes, 4096U);
  EXPECT_THAT(scenario_error(scenario_text("kernel: {duration: 3 ms, bytes: 4 KiB}")),
              HasSubstr("found `bytes` without `repeat`"));
}

TEST(ScenarioCircles, AreNamedTaskByTask) {
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: A, kernel: 1 ms, after: [C]}\n"
                             "  - {name: B, kernel: 1 ms, after: [A]}\n  - {name: C, kernel: 1 ms, after: [B]}\n"),
              HasSubstr("tasks wait for each other in a circle, so that none can begin: \"A\" after \"C\" after \"B\" "
                        "after \"A\"; take one of them out"));
  EXPECT_THAT(scenario_error("forelap: 1\nkind: task_group\ntasks:\n  - {name: A, kernel: 1 ms, after: [A]}\n"),
              HasSubstr("stands for the task itself"));
}

TEST(CircleOf, FindsOneAnywhereAndNoneInADiamond) {
  std::vector<TaskSpec> tasks(5);
  tasks[3].after = {1, 2};
  tasks[1].after = {0};
  tasks[2].after = {0};
  EXPECT_TRUE(circle_of(tasks).empty());
  tasks[0].after = {4};
  tasks[4].after = {3};
  EXPECT_EQ(circle_of(tasks).size(), 4U);
}

}  // namespace
}  // namespace forelap::scenarios
