#include "scenarios/lower.hpp"

#include "core/text.hpp"
#include "support.hpp"

namespace forelap::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The choices for a scenario of given durations on ideal devices, without asking a model.
TaskGroupTuning tuning_of(const Scenario& scenario, std::vector<std::uint32_t> engines,
                          std::vector<std::uint32_t> order) {
  const TaskGroup& group = group_of(scenario);
  TaskGroupTuning tuning;
  tuning.device_count = static_cast<std::uint32_t>(engines.size());
  tuning.engines = std::move(engines);
  tuning.order = std::move(order);
  tuning.submission = group.submission;
  tuning.kernel_lanes = group.kernel_lanes;
  for (const TaskSpec& task : group.cases[0].tasks) {
    SizedTask sized;
    for (const auto& t : task.htod) sized.htod.push_back({0, core::ticks_from_seconds(*t.seconds)});
    for (const auto& k : task.kernels) {
      sized.kernels.push_back({k.kernel, 1, 0, core::ticks_from_seconds(*k.seconds)});
    }
    for (const auto& t : task.dtoh) sized.dtoh.push_back({0, core::ticks_from_seconds(*t.seconds)});
    tuning.tasks.push_back(sized);
    tuning.device.push_back(task.device);
  }
  return tuning;
}

/// Each step as "lane duration-in-ms <ids it waits for>".
std::vector<std::string> steps_of(const core::Plan& plan) {
  std::vector<std::string> steps;
  for (const core::Step& step : plan.steps) {
    std::string text = plan.lanes[index(step.lane)].name;
    text += " " + std::to_string(step.duration / 1'000'000'000) + " <";
    for (const core::StepId id : plan.dependencies_of(step)) text += std::to_string(index(id)) + " ";
    steps.push_back(std::string(core::trim(text)));
  }
  return steps;
}

Scenario bk50() {
  return read_scenario(std::string(FORELAP_SOURCE_DIR) + "/scenarios/library/bk50.yaml");
}

TEST(Lower, OfBk50OnTwoEnginesSubmitsTaskByTask) {
  const core::Plan plan = lower(bk50(), tuning_of(bk50(), {2}, {2, 0, 3, 1}));
  EXPECT_THAT(steps_of(plan), ElementsAre("htod 6 <", "kernel 2 <0", "dtoh 2 <1",  // T4
                                          "htod 1 <", "kernel 8 <3", "dtoh 1 <4",  // T0
                                          "htod 2 <", "kernel 2 <6", "dtoh 6 <7",  // T5
                                          "htod 2 <", "kernel 7 <9", "dtoh 1 <10"));
  EXPECT_EQ(plan.kernels, std::vector<std::string>({"synthetic"}));
  core::check_plan(plan);
}

TEST(Lower, OfBk50OnOneEngineSubmitsTypeByType) {
  const core::Plan plan = lower(bk50(), tuning_of(bk50(), {1}, {2, 0, 3, 1}));
  EXPECT_THAT(steps_of(plan), ElementsAre("copy 6 <", "copy 1 <", "copy 2 <", "copy 2 <",              //
                                          "kernel 2 <0", "kernel 8 <1", "kernel 2 <2", "kernel 7 <3",  //
                                          "copy 2 <4", "copy 1 <5", "copy 6 <6", "copy 1 <7"));
  EXPECT_EQ(plan.lanes.size(), 2U);
}

TEST(Lower, TakesTheWishedSchemeWhateverTheEngines) {
  Scenario scenario = bk50();
  std::get<TaskGroup>(scenario.body).submission = Submission::by_task;
  EXPECT_EQ(steps_of(lower(scenario, tuning_of(scenario, {1}, {0, 1, 2, 3})))[2], "copy 1 <1");
  std::get<TaskGroup>(scenario.body).submission = Submission::by_type;
  EXPECT_EQ(steps_of(lower(scenario, tuning_of(scenario, {2}, {0, 1, 2, 3})))[2], "htod 6 <");
}

TEST(Lower, LeavesOutEmptyStagesAndKeepsTheirDependencies) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ntasks:\n  - {htod: 1 ms, kernel: 0 s, dtoh: 2 ms}\n  - {dtoh: 3 ms}\n", "f.yaml");
  EXPECT_THAT(steps_of(lower(scenario, tuning_of(scenario, {2}, {0, 1}))),
              ElementsAre("htod 1 <", "dtoh 2 <0", "dtoh 3 <"));
}

TEST(Lower, KeepsSeveralTransfersAndKernelsOfATaskInTheirOrder) {
  const Scenario scenario =
      parse_scenario(scenario_text("htod: [1 ms, 2 ms], kernel: [3 ms, 4 ms], dtoh: [5 ms, 6 ms]"), "f.yaml");
  EXPECT_THAT(steps_of(lower(scenario, tuning_of(scenario, {2}, {0}))),
              ElementsAre("htod 1 <", "htod 2 <", "kernel 3 <1", "kernel 4 <", "dtoh 5 <3", "dtoh 6 <"));
}

TEST(Lower, TurnsAfterIntoADependencyOnTheLastStep) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ntasks:\n  - {name: A, htod: 1 ms, dtoh: 2 ms}\n  - {name: B, kernel: 3 ms}\n"
      "  - {name: C, htod: 4 ms, kernel: 5 ms, after: [A, B]}\n",
      "f.yaml");
  EXPECT_THAT(steps_of(lower(scenario, tuning_of(scenario, {2}, {1, 0, 2}))),
              ElementsAre("kernel 3 <", "htod 1 <", "dtoh 2 <1", "htod 4 <2 0", "kernel 5 <3"));
  EXPECT_THAT(message_of([&] {
                lower(scenario, tuning_of(scenario, {2}, {2, 1, 0}));
              }),
              HasSubstr("task \"C\" comes after \"A\", which this order puts behind it"));
}

TEST(Lower, ByTypeCutsTheGroupWhereATaskWaitsForAnother) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ntasks:\n  - {name: A, htod: 1 ms, dtoh: 2 ms}\n  - {name: B, htod: 3 ms}\n"
      "  - {name: C, htod: 4 ms, after: [A]}\n",
      "f.yaml");
  // By type over the whole group, htod of C would stand before dtoh of A on the lane, and wait for it for ever.
  EXPECT_THAT(steps_of(lower(scenario, tuning_of(scenario, {1}, {0, 1, 2}))),
              ElementsAre("copy 1 <", "copy 3 <", "copy 2 <0", "copy 4 <2"));
}

TEST(Lower, DealsTasksToKernelLanesInTheirOrder) {
  Scenario scenario = bk50();
  std::get<TaskGroup>(scenario.body).kernel_lanes = 2;
  const auto steps = steps_of(lower(scenario, tuning_of(scenario, {2}, {3, 1, 0, 2})));
  EXPECT_THAT(std::vector<std::string>({steps[1], steps[4], steps[7], steps[10]}),
              ElementsAre("kernel 0 2 <0", "kernel 1 7 <3", "kernel 0 8 <6", "kernel 1 2 <9"));
}

TEST(Lower, GivesEachDeviceLanesOfItsOwn) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ndevices: [a, b]\ntasks:\n  - {htod: 1 ms, dtoh: 2 ms}\n"
      "  - {htod: 3 ms, dtoh: 4 ms, device: 1}\n  - {htod: 5 ms, dtoh: 6 ms, device: 1}\n",
      "f.yaml");
  const core::Plan plan = lower(scenario, tuning_of(scenario, {2, 1}, {0, 1, 2}));
  EXPECT_EQ(plan.device_count, 2U);
  EXPECT_THAT(steps_of(plan), ElementsAre("device 0 htod 1 <", "device 0 dtoh 2 <0", "device 1 copy 3 <",
                                          "device 1 copy 5 <", "device 1 copy 4 <2", "device 1 copy 6 <3"));
}

TEST(Lower, NamesBuffersByTaskWhateverTheOrder) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ntasks:\n  - {htod: 64 B, kernel: {repeat: 2}}\n  - {htod: 128 B, dtoh: 128 B}\n",
      "f.yaml");
  TaskGroupTuning tuning;
  tuning.tasks = {{64, {{64, core::kModelled}}, {{"synthetic", 2, 0, core::kModelled}}, {}},
                  {128, {{128, core::kModelled}}, {}, {{128, core::kModelled}}}};
  tuning.order = {1, 0};
  tuning.device = {0, 0};
  tuning.engines = {2};
  tuning.memory = core::MemoryKind::pageable;
  const core::Plan plan = lower(scenario, tuning);
  ASSERT_EQ(plan.buffers.size(), 2U);
  EXPECT_EQ(plan.buffers[0].bytes, 64U);
  EXPECT_EQ(plan.buffers[1].bytes, 128U);
  EXPECT_EQ(plan.buffers[1].memory, core::MemoryKind::pageable);
  EXPECT_EQ(plan.steps[0].buffer, core::BufferId{1});
  EXPECT_EQ(plan.steps[2].buffer, core::BufferId{0});
  EXPECT_EQ(plan.arguments_of(plan.call_of(plan.steps[3]))[0], core::Argument(core::BufferId{0}));
  EXPECT_EQ(plan.steps[3].amount, 32);
  EXPECT_EQ(plan.steps[3].items, 16);

  tuning.tasks[0].kernels[0].bytes = 16;
  EXPECT_EQ(lower(scenario, tuning).steps[3].items, 4);
}

TEST(Lower, FetchesResultsFromWhereTheyLie) {
  const Scenario scenario = parse_scenario(
      "forelap: 1\nkind: task_group\ntasks:\n"
      "  - {htod: [400 B, 400 B], kernel: {name: vector_add, repeat: 2}, dtoh: [160 B, 240 B]}\n"
      "  - {htod: 64 B, kernel: {name: floyd_warshall, repeat: 3}, dtoh: 192 B}\n",
      "f.yaml");
  TaskGroupTuning tuning;
  tuning.tasks = {
      {1200,
       {{400, core::kModelled}, {400, core::kModelled}},
       {{"vector_add", 2, 0, core::kModelled}},
       {{160, core::kModelled}, {240, core::kModelled}}},
      {192, {{64, core::kModelled}}, {{"floyd_warshall", 3, 0, core::kModelled}}, {{192, core::kModelled}}}};
  tuning.order = {0, 1};
  tuning.device = {0, 0};
  tuning.engines = {2};
  const core::Plan plan = lower(scenario, tuning);
  ASSERT_EQ(plan.steps.size(), 8U);
  EXPECT_EQ(plan.steps[0].items, 0);
  EXPECT_EQ(plan.steps[1].items, 400) << "the second transfer takes up where the first ended";
  EXPECT_EQ(plan.steps[2].count, 1U);
  EXPECT_EQ(plan.steps[3].items, 800) << "c of a | b | c";
  EXPECT_EQ(plan.steps[4].items, 960);
  EXPECT_EQ(plan.steps[6].count, 12U) << "3 rounds of a pass a vertex";
  EXPECT_EQ(plan.call_of(plan.steps[6]).pass_argument, 2);
  EXPECT_EQ(plan.steps[6].amount, 16) << "of one pass";
  EXPECT_EQ(plan.steps[7].items, 0) << "behind the result there is no room for that much";
}

TEST(Lower, NamesTheKnownKernelsForAnUnknownOne) {
  const Scenario scenario = bk50();
  TaskGroupTuning tuning = tuning_of(scenario, {2}, {0, 1, 2, 3});
  tuning.tasks[0].kernels[0].kernel = "none";
  EXPECT_EQ(message_of([&] { lower(scenario, tuning); }),
            "unknown kernel \"none\"; known are synthetic, vector_add, matrix_multiply, black_scholes, fast_walsh, "
            "floyd_warshall, convolution, transpose and dct");
}

TEST(Lower, RefusesATuningOfOtherTasks) {
  const Scenario scenario = bk50();
  EXPECT_THROW(lower(scenario, tuning_of(scenario, {2}, {0, 1, 2})), std::invalid_argument);
  EXPECT_THROW(lower(scenario, tuning_of(scenario, {2}, {0, 1, 2, 2})), std::invalid_argument);
}

}  // namespace
}  // namespace forelap::scenarios
