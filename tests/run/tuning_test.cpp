#include "run/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "run/measure.hpp"
#include "run/predict.hpp"
#include "run/rows.hpp"
#include "scenarios/read.hpp"
#include "tests/run/fake_executor.hpp"
#include "tests/run/fixtures.hpp"
#include "validate/compare.hpp"

namespace forelap::run {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

scenarios::TaskGroup& group_of(scenarios::Scenario& scenario) {
  return std::get<scenarios::TaskGroup>(scenario.body);
}

Tuned tuned(const scenarios::Scenario& scenario, const core::Machine& machine) {
  return tune_scenario(scenario, machine, machine, {});
}

/// Makespan that the written scenario is predicted to take, read back from its text.
double predicted_again(const scenarios::Scenario& written, const core::Machine& machine) {
  const auto again = scenarios::parse_scenario(scenarios::write_scenario(written), "tuned.yaml");
  auto set = make_rows(again, machine);
  PredictOptions options;
  options.draws = 0;
  predict_rows(set, again, machine, options);
  EXPECT_EQ(set.rows.size(), group_of(const_cast<scenarios::Scenario&>(written)).cases.size());
  return set.rows[0].predicted->seconds;
}

TEST(Tuning, OfBk50TakesTheBestOrder) {
  const auto result = tuned(testing::bk50(), testing::ideal_machine());
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_NEAR(result.cases[0].choice.chosen.time, 21e9, 1);
  EXPECT_EQ(result.cases[0].candidates[0].what.substr(0, 6), "chosen");
  EXPECT_NEAR(result.set.rows[0].predicted->seconds, 21e-3, 1e-12);
  EXPECT_EQ(result.set.rows[1].order, (std::vector<std::uint32_t>{0, 1, 2, 3})) << "the given order";
}

TEST(Tuning, WrittenReadsBackAndPredictsTheSameTime) {
  for (const auto& machine : {testing::ideal_machine(), testing::modelled_machine(0.05)}) {
    const auto scenario = testing::bk50();
    const auto result = tuned(scenario, machine);
    const auto written = tuned_scenario(scenario, machine, result);
    EXPECT_EQ(predicted_again(written, machine), result.set.rows[0].predicted->seconds);
    const auto& tasks = std::get<scenarios::TaskGroup>(written.body).cases[0].tasks;
    EXPECT_EQ(tasks[0].htod[0].seconds, 1e-3) << "durations stay durations";
    const auto again = tuned(written, machine);
    EXPECT_EQ(again.cases[0].choice.given.time, result.cases[0].choice.chosen.time) << "what is listed is given";
  }
}

/// Two devices, the second with half the rate.
core::Machine two_devices() {
  auto machine = testing::modelled_machine(0.02);
  machine.devices.push_back(machine.devices[0]);
  machine.devices[1].name = "gpu1";
  for (auto& transfer : machine.devices[1].transfers) transfer.pieces[0].per_byte.value *= 2;
  return machine;
}

TEST(Tuning, SendsTasksToOtherDevicesAsTheSameWork) {
  auto scenario = testing::bk50();
  group_of(scenario).devices = {"gpu0", "gpu1"};
  const auto machine = two_devices();
  const auto result = tuned(scenario, machine);
  const auto& taken = result.cases[0].taken;
  ASSERT_GT(std::count(taken.device.begin(), taken.device.end(), 1U), 0);
  EXPECT_TRUE(result.cases[0].choice.proven) << result.cases[0].choice.how;
  EXPECT_THAT(arrangement_text(result, result.cases[0], taken), StartsWith("gpu0: "));
  EXPECT_THAT(arrangement_text(result, result.cases[0], taken), HasSubstr("; gpu1: "));
  const auto written = tuned_scenario(scenario, machine, result);
  EXPECT_EQ(predicted_again(written, machine), result.set.rows[0].predicted->seconds);
}

TEST(Tuning, KeepsDevicesWhereAskedTo) {
  auto scenario = testing::bk50();
  group_of(scenario).devices = {"gpu0", "gpu1"};
  TuneOptions options;
  options.group.free_devices = false;
  const auto result = tune_scenario(scenario, two_devices(), two_devices(), options);
  EXPECT_EQ(result.cases[0].taken.device, (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(Tuning, WritesTheNumberOfKernelLanes) {
  auto scenario = testing::bk50();
  auto machine = testing::ideal_machine();
  core::KernelModel half;
  half.kernel = "synthetic";
  half.fill = testing::exactly(0.4);
  machine.devices[0].kernels = {half};
  const auto result = tuned(scenario, machine);
  EXPECT_GT(result.cases[0].taken.kernel_lanes, 1U) << "two kernels that fill 40 % each run side by side";
  EXPECT_LT(result.cases[0].choice.chosen.time, 21e9);
  const auto written = tuned_scenario(scenario, machine, result);
  EXPECT_EQ(std::get<scenarios::TaskGroup>(written.body).kernel_lanes, result.cases[0].taken.kernel_lanes);
  EXPECT_EQ(predicted_again(written, machine), result.set.rows[0].predicted->seconds);
}

TEST(Tuning, OfSeveralCasesTunesEach) {
  auto scenario = testing::bk50();
  auto& group = group_of(scenario);
  group.cases.push_back(group.cases[0]);
  group.cases[0].name = "first";
  group.cases[1].name = "second";
  group.cases[1].tasks.pop_back();
  const auto result = tuned(scenario, testing::ideal_machine());
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_EQ(result.cases[1].tasks.size(), 3U);
  const auto written = tuned_scenario(scenario, testing::ideal_machine(), result);
  EXPECT_EQ(std::get<scenarios::TaskGroup>(written.body).cases[1].orders,
            (std::vector<std::vector<std::uint32_t>>{result.cases[1].taken.order}));
  EXPECT_NEAR(predicted_again(written, testing::ideal_machine()), 21e-3, 1e-12);
}

TEST(Tuning, WritesKernelLanesOfEachCaseWhereTheyDiffer) {
  auto scenario = testing::bk50();
  auto& group = group_of(scenario);
  group.kernel_lanes = 0;
  group.cases.push_back(group.cases[0]);
  group.cases[0].name = "first";
  group.cases[1].name = "second";
  group.cases[1].tasks.resize(1);  // one task, one lane
  auto machine = testing::ideal_machine();
  core::KernelModel half;
  half.kernel = "synthetic";
  half.fill = testing::exactly(0.4);
  machine.devices[0].kernels = {half};
  const auto result = tuned(scenario, machine);
  const auto written = tuned_scenario(scenario, machine, result);
  const auto& cases = std::get<scenarios::TaskGroup>(written.body).cases;
  EXPECT_EQ(cases[0].kernel_lanes, result.cases[0].taken.kernel_lanes);
  EXPECT_EQ(cases[1].kernel_lanes, 1U);
  const auto again = scenarios::parse_scenario(scenarios::write_scenario(written), "tuned.yaml");
  EXPECT_EQ(std::get<scenarios::TaskGroup>(again.body).cases[1].kernel_lanes, 1U);
}

TEST(Tuning, OfAnOnlineScenarioIsRefused) {
  auto scenario = testing::bk50();
  group_of(scenario).online = scenarios::Online{};
  EXPECT_THROW(tuned(scenario, testing::ideal_machine()), core::Error);
}

TEST(Tuning, StoppedKeepsTheCasesBegunAndWritesNothing) {
  auto scenario = testing::bk50();
  auto& group = group_of(scenario);
  group.cases.push_back(group.cases[0]);
  group.cases[0].name = "first";
  group.cases[1].name = "second";
  core::StopSource source;
  source.request_stop();
  TuneOptions options;
  options.group.stop = source.token();
  const auto result = tune_scenario(scenario, testing::ideal_machine(), testing::ideal_machine(), options);
  EXPECT_TRUE(result.stopped);
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_EQ(result.cases[0].taken.order.size(), 4U);
  EXPECT_TRUE(result.set.rows[0].predicted);
  EXPECT_THROW(tuned_scenario(scenario, testing::ideal_machine(), result), core::Error);
  EXPECT_TRUE(nlohmann::json::accept(tuning_json(result)));
}

// ---- measured ----

/// Samples for each candidate: around `medians[i]` within 0.1 %.
void give_samples(Tuned& result, const std::vector<double>& medians) {
  for (std::size_t i = 0; i < result.cases[0].candidates.size() && i < medians.size(); ++i) {
    auto& row = result.set.rows[result.cases[0].candidates[i].row];
    for (int k = -7; k <= 7; ++k) row.samples.push_back(medians[i] * (1 + 0.0001 * k));
  }
}

TEST(TuningMeasured, ConfirmsTheChosenOrderThatIsFastest) {
  auto result = tuned(testing::bk50(), testing::ideal_machine());
  ASSERT_GE(result.cases[0].candidates.size(), 2U);
  give_samples(result, {0.020, 0.025, 0.026, 0.026});
  judge_measurements(result);
  EXPECT_EQ(result.cases[0].verdict, Verdict::confirmed);
  EXPECT_EQ(result.cases[0].taken, result.cases[0].choice.chosen.arrangement);
}

TEST(TuningMeasured, TakesAnotherOneThatIsFasterBeyondNoise) {
  auto result = tuned(testing::bk50(), testing::ideal_machine());
  give_samples(result, {0.020, 0.018, 0.026, 0.026});
  judge_measurements(result);
  EXPECT_EQ(result.cases[0].verdict, Verdict::changed);
  EXPECT_EQ(result.cases[0].taken, result.cases[0].candidates[1].arrangement);
}

TEST(TuningMeasured, SaysThatNoiseMakesATie) {
  auto result = tuned(testing::bk50(), testing::ideal_machine());
  give_samples(result, {0.020, 0.019999, 0.026, 0.026});
  judge_measurements(result);
  EXPECT_EQ(result.cases[0].verdict, Verdict::tie);
  EXPECT_EQ(result.cases[0].taken, result.cases[0].choice.chosen.arrangement) << "the model decides";
  EXPECT_EQ(result.cases[0].measured_ties, (std::vector<std::size_t>{1}));
}

TEST(TuningMeasured, RunsTheCandidatesOfACaseInTurn) {
  auto scenario = testing::bk50();
  for (auto& task : group_of(scenario).cases[0].tasks) {
    *task.htod[0].seconds /= 50;
    *task.kernels[0].seconds /= 50;
    *task.dtoh[0].seconds /= 50;
  }
  auto result = tuned(scenario, testing::modelled_machine(0.01));
  testing::FakeLog log;
  testing::FakeExecutor executor(log);
  const auto bind = [](std::size_t) { return core::Bindings{}; };
  MeasureOptions options;
  options.repetitions = 5;
  const auto outcome = measure_rows(result.set, scenario, executor, bind, options);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(log.runs.size(), result.set.rows.size() * 6);
  judge_measurements(result);
  EXPECT_NE(result.cases[0].verdict, Verdict::not_measured);
}

// ---- data ----

TEST(TuningJson, HoldsWhatThePageSays) {
  auto result = tuned(testing::bk50(), testing::modelled_machine(0.05));
  const auto document = nlohmann::json::parse(tuning_json(result));
  EXPECT_EQ(document["schema"], "forelap.tune/1");
  EXPECT_EQ(document["method"], "auto");
  const auto& c = document["cases"][0];
  EXPECT_TRUE(c["proven"].get<bool>());
  EXPECT_EQ(c["gap_pct"], 0);
  EXPECT_EQ(c["orders"], 24);
  EXPECT_NEAR(c["share_of_gain"].get<double>(), 1, 1e-9);
  EXPECT_EQ(c["chosen"]["order"].size(), 4U);
  EXPECT_EQ(c["chosen"]["tasks"].size(), 4U);
  EXPECT_GE(c["given"]["predicted_s"].get<double>(), c["chosen"]["predicted_s"].get<double>());
  EXPECT_GE(c["worst"]["predicted_s"].get<double>(), c["mean_s"].get<double>());
  EXPECT_LE(c["lower_bound_s"].get<double>(), c["chosen"]["predicted_s"].get<double>());
  EXPECT_EQ(c["lanes"].size(), 3U);
  EXPECT_EQ(c["critical"]["device"], "gpu0");
  EXPECT_EQ(c["verdict"], "not measured");
  EXPECT_LE(c["candidates"][0]["predicted_low_s"].get<double>(), c["candidates"][0]["predicted_high_s"].get<double>());
}

TEST(TuningJson, OfGroupsWithNothingToChooseHasNoNumbersThatAreNone) {
  auto scenario = testing::bk50();
  auto& tasks = group_of(scenario).cases[0].tasks;
  tasks.resize(1);
  for (const bool empty : {false, true}) {
    if (empty) tasks.clear();
    const auto text = tuning_json(tuned(scenario, testing::ideal_machine()));
    const auto c = nlohmann::json::parse(text)["cases"][0];
    EXPECT_TRUE(c["share_of_gain"].is_null());
    EXPECT_EQ(c["gap_pct"], 0);
    EXPECT_TRUE(c["proven"].get<bool>());
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf\""), std::string::npos);
  }
}

TEST(TuningCsv, HasALineAnArrangement) {
  const auto result = tuned(testing::bk50(), testing::ideal_machine());
  const auto text = tuning_csv(result);
  EXPECT_THAT(text, StartsWith("case,what,order,devices,kernel_lanes,predicted_s,measured_median_s\n\"\",chosen,T0 "));
  EXPECT_THAT(text, HasSubstr("\"\",lower bound,,,,0.021,\n"));
  EXPECT_THAT(text, HasSubstr("worst,"));
}

}  // namespace
}  // namespace forelap::run
