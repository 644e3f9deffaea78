// Predictions against the recordings of real hardware in validate/recorded: what the project promises of its models,
// tested on machines that have none of that hardware.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "run/validation.hpp"
#include "validate/compare.hpp"
#include "validate/study.hpp"

namespace forelap::run {
namespace {

constexpr const char* kFolder = FORELAP_SOURCE_DIR "/validate/recorded";

/// Recordings of GPUs only: the figures promised are theirs.
std::vector<Revalidated> recorded(core::InterferenceMode mode) {
  RecordedOptions options;
  options.folder = kFolder;
  options.scenarios = {"BK0", "BK25", "BK50", "BK75", "BK100", "partial overlap"};
  options.scenario_overrides = {{"interference", validate::interference_name(mode)}};
  std::vector<Revalidated> of_gpus;
  for (auto& entry : predict_recorded(options)) {
    if (entry.machine.devices[0].name.starts_with("gpu")) of_gpus.push_back(std::move(entry));
  }
  return of_gpus;
}

bool is_synthetic(const Revalidated& entry) {
  return entry.set.scenario.starts_with("BK");
}

/// The name of an overlap case ends with its degree: "htod first, 16 MB, 25 %".
std::string degree_of(const std::string& name) {
  const auto comma = name.rfind(", ");
  return comma == std::string::npos ? "" : name.substr(comma + 2);
}

/// Mean absolute error by degree of overlap, per cent.
std::map<std::string, double> errors_by_degree(const std::vector<Revalidated>& entries) {
  std::map<std::string, std::pair<double, std::size_t>> sums;
  for (const auto& entry : entries) {
    if (is_synthetic(entry)) continue;
    for (const auto& row : entry.set.rows) {
      const auto figures = validate::figures_of(row);
      if (!figures || !figures->error_pct) continue;
      auto& [sum, count] = sums[degree_of(entry.set.cases[row.case_index].name)];
      sum += std::abs(*figures->error_pct);
      ++count;
    }
  }
  std::map<std::string, double> means;
  for (const auto& [degree, sum] : sums) means[degree] = sum.first / static_cast<double>(sum.second);
  return means;
}

TEST(RecordedHardware, HoldsEveryOrderOfEverySyntheticBenchmarkAndTheOverlapsOfEachGpu) {
  std::map<std::string, std::set<std::string>> scenarios;
  for (const auto& entry : recorded(core::InterferenceMode::partial)) {
    const std::string& scenario = entry.set.scenario;
    scenarios[entry.file.parent_path().filename()].insert(is_synthetic(entry) ? scenario : "overlap");
    EXPECT_TRUE(!is_synthetic(entry) || entry.set.rows.size() == 24) << entry.file;
    for (const auto& row : entry.set.rows) {
      EXPECT_GE(row.samples.size(), 15U) << entry.file;
      EXPECT_FALSE(row.partial || row.extrapolated) << entry.file;
    }
  }
  const std::set<std::string> all = {"BK0", "BK25", "BK50", "BK75", "BK100", "overlap"};
  ASSERT_TRUE(scenarios.count("h200-cuda") == 1 && scenarios.count("h200-opencl") == 1);
  for (const auto& [machine, recorded] : scenarios) EXPECT_EQ(recorded, all) << machine;
}

TEST(RecordedHardware, SyntheticBenchmarksKeepToTheirErrorsAndRanking) {
  const auto entries = recorded(core::InterferenceMode::partial);
  for (const auto& entry : entries) {
    if (!is_synthetic(entry)) continue;
    const auto summary = validate::summarize(entry.set);
    const bool transfers_dominate = entry.set.scenario == "BK0" || entry.set.scenario == "BK25";
    EXPECT_LE(*summary.mean_abs_error_pct, transfers_dominate ? 1.0 : 0.5) << entry.file;
    EXPECT_LE(*summary.max_error_beyond_spread_pct, 2.5) << entry.file;
    EXPECT_GE(*summary.kendall_tau, 0.9) << entry.file;
  }
}

TEST(RecordedHardware, PartialOverlapBeatsNoneAndFullAtEveryPartialDegree) {
  const auto partial = errors_by_degree(recorded(core::InterferenceMode::partial));
  ASSERT_FALSE(partial.empty()) << kFolder;
  const auto none = errors_by_degree(recorded(core::InterferenceMode::none));
  const auto full = errors_by_degree(recorded(core::InterferenceMode::full));
  double sum = 0;
  for (const auto& [degree, error] : partial) {
    sum += error;
    if (degree == "0 %" || degree == "100 %") continue;
    EXPECT_LT(error, none.at(degree)) << degree;
    EXPECT_LT(error, full.at(degree)) << degree;
  }
  EXPECT_LE(sum / static_cast<double>(partial.size()), 1.0);
}

TEST(RecordedHardware, NineOfTenMediansLieInTheirPredictedIntervals) {
  std::vector<validate::RunSet> sets;
  for (auto& entry : recorded(core::InterferenceMode::partial)) sets.push_back(std::move(entry.set));
  ASSERT_FALSE(sets.empty()) << kFolder;
  const auto coverage = *validate::summarize(sets).interval_coverage_pct;
  EXPECT_GE(coverage, 80.0);
  EXPECT_LE(coverage, 98.0);
}

/// Recordings of one scenario, predicted without intervals.
std::vector<Revalidated> recorded_of(const std::string& scenario) {
  RecordedOptions options;
  options.folder = kFolder;
  options.scenarios = {scenario};
  options.predict.draws = 0;
  return predict_recorded(options);
}

TEST(RecordedHardware, SmallKernelsSideBySideArePredictedWithinHalfAPerCent) {
  for (const std::string scenario : {"small kernels", "small kernels by lanes"}) {
    const auto entries = recorded_of(scenario);
    ASSERT_FALSE(entries.empty()) << scenario;
    for (const auto& entry : entries) EXPECT_LE(*validate::summarize(entry.set).max_abs_error_pct, 0.5) << entry.file;
  }
}

/// All orders of the real tasks, kernels in one queue and in a queue of their own each, where launches of kernels in
/// passes come between those of others.
TEST(RecordedHardware, RealTasksArePredictedWithinOneAndAHalfPerCent) {
  const auto entries = recorded_of("study real t4");
  ASSERT_FALSE(entries.empty());
  for (const auto& entry : entries) {
    ASSERT_EQ(entry.set.cases.size(), 10U) << entry.file;
    EXPECT_LE(*validate::summarize(entry.set).mean_abs_error_pct, 1.5) << entry.file;
    for (std::size_t i = 0; i < entry.set.cases.size(); ++i) {
      if (entry.set.cases[i].name.find("one kernel queue") == std::string::npos) continue;
      EXPECT_LE(*validate::summarize_case(entry.set, i).mean_abs_error_pct, 1) << entry.set.cases[i].name;
    }
  }
}

TEST(RecordedHardware, StudiesKeepToTheirErrorsHoweverKernelsAreHandedOver) {
  for (const std::string scenario : {"study t4", "study t6", "study t8"}) {
    const auto entries = recorded_of(scenario);
    ASSERT_FALSE(entries.empty()) << scenario;
    for (const auto& entry : entries) {
      ASSERT_EQ(entry.set.cases.size(), 10U) << entry.file;
      for (std::size_t i = 0; i < entry.set.cases.size(); ++i) {
        EXPECT_LE(*validate::summarize_case(entry.set, i).mean_abs_error_pct, 3) << entry.set.cases[i].name;
      }
      EXPECT_LE(*validate::summarize(entry.set).mean_abs_error_pct, 2) << entry.file;
    }
  }
}

TEST(RecordedHardware, ChosenOrdersReachMostOfTheBestOrdersGain) {
  std::vector<validate::RunSet> sets;
  for (const std::string scenario : {"study t4", "study t6", "study t8"}) {
    for (auto& entry : recorded_of(scenario)) sets.push_back(std::move(entry.set));
  }
  const auto chosen = validate::mean_share(sets, validate::kChosenLabel);
  EXPECT_GE(chosen.value, 0.97);
  EXPECT_LE(chosen.high - chosen.low, 0.02);
  // What `forelap tune` would run: kernels are handed over in the way that the model prefers.
  const auto tuned = validate::mean_share(sets, validate::kTunedLabel);
  EXPECT_GE(tuned.value, 0.98);
  EXPECT_LE(tuned.high - tuned.low, 0.02);
}

}  // namespace
}  // namespace forelap::run
