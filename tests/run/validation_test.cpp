#include "run/validation.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "run/library.hpp"
#include "run/rows.hpp"
#include "scenarios/read.hpp"
#include "tests/run/fixtures.hpp"
#include "validate/compare.hpp"
#include "validate/json.hpp"

namespace forelap::run {
namespace {

namespace fs = std::filesystem;

/// A folder with one recorded set whose samples are the predictions, 1 % longer.
class Recording : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("forelap-run-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "bench");
    const auto machine = testing::modelled_machine(0.01);
    core::write_file(folder_ / "bench" / "machine.yaml", scenarios::write_machine(machine));
    auto set = make_rows(testing::bk50(), machine);
    predict_rows(set, testing::bk50(), machine, {});
    for (auto& row : set.rows) {
      row.samples.assign(3, row.predicted->seconds * 1.01);
      row.predicted = validate::Predicted{1, 1, 1};  // stale: must be predicted anew
    }
    core::write_file(folder_ / "bench" / "bk50.json", validate::to_json(set));
    options_.folder = folder_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  RecordedOptions options_;
};

TEST_F(Recording, IsPredictedAnewFromItsProfile) {
  const auto done = predict_recorded(options_);
  ASSERT_EQ(done.size(), 1U);
  const auto summary = validate::summarize(done[0].set);
  EXPECT_EQ(summary.runs, 24U);
  EXPECT_NEAR(*summary.mean_abs_error_pct, 100 - 100 / 1.01, 1e-6);
  EXPECT_DOUBLE_EQ(*summary.kendall_tau, 1.0);
}

TEST_F(Recording, MeetsWhatIfsOnMachineAndScenario) {
  options_.machine_overrides = {{"devices[0].copy_engines", "1"}};
  options_.scenario_overrides = {{"interference", "none"}};
  const auto done = predict_recorded(options_);
  EXPECT_EQ(done[0].set.interference, "none");
  EXPECT_EQ(done[0].machine.devices[0].copy_engines.value, 1);
}

TEST_F(Recording, IsChosenByTheScenariosName) {
  for (const char* name : {"BK50", "bk50", FORELAP_SOURCE_DIR "/scenarios/library/bk50.yaml"}) {
    options_.scenarios = {name};
    EXPECT_EQ(predict_recorded(options_).size(), 1U) << name;
  }
  options_.scenarios = {"BK99"};
  EXPECT_THROW(predict_recorded(options_), core::Error);
}

TEST(Published, EveryFigureIsMetToItsDigits) {
  for (const auto& outcome : predict_published({}, {})) {
    EXPECT_TRUE(outcome.equal) << outcome.row.scenario << " on " << outcome.row.machine << ": " << outcome.best << " "
                               << outcome.geometric_mean << " " << outcome.worst;
  }
}

TEST(Published, ScenariosThatNobodyPublishedAreRefused) {
  EXPECT_THROW(predict_published({"nothing"}, {}), core::Error);
}

}  // namespace
}  // namespace forelap::run
