#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::ProgramOptions;
using testing::run_forelap;

TEST(Devices, SaysTheStateOfEveryBackend) {
  const auto outcome = run_forelap({"devices"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* backend : {"cuda: ", "opencl: ", "cpu: ready"}) EXPECT_THAT(outcome.out, HasSubstr(backend));
  EXPECT_THAT(outcome.out, HasSubstr("cores usable"));
}

TEST(Devices, AreDataToo) {
  const auto document = nlohmann::json::parse(run_forelap({"devices", "--json", "-"}).out);
  EXPECT_EQ(document["schema"], "forelap.devices/1");
  EXPECT_EQ(document["backends"].size(), 3U);
}

TEST(Devices, ThatDoNotExistAreBadInput) {
  const Folder folder;
  const auto outcome = run_forelap({"calibrate", "--device", "cpu:900-901", "-o", folder.path("m.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(run_forelap({"calibrate", "--device", "abacus", "-o", folder.path("m.yaml")}).exit_code, 2);
  EXPECT_TRUE(folder.entries().empty());
}

TEST(Measure, NeedsAProfileOfADevice) {
  const Folder folder;
  ProgramOptions options;
  options.folder = folder.path();
  const auto outcome = run_forelap({"measure", "bk50"}, options);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("forelap calibrate"));
}

TEST(Measure, OnAMachineFromAPaperIsRefused) {
  EXPECT_EQ(run_forelap({"measure", "bk50", "-m", "nvidia-k20c"}).exit_code, 2);
}

/// A short calibration of the CPU pool, which every machine has; made once for the tests below.
class OnCpu : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::temp_directory_path() / ("forelap-cpu-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    profile_ = (folder_ / "machine.yaml").string();
    calibration_ = run_forelap({"calibrate", "--device", "cpu", "--budget", "3", "-o", profile_, "--samples",
                                (folder_ / "samples.csv").string()});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }
  void SetUp() override { ASSERT_EQ(calibration_.exit_code, 0) << calibration_.err; }

  static inline std::filesystem::path folder_;
  static inline std::string profile_;
  static inline testing::Outcome calibration_;
};

TEST_F(OnCpu, ACalibrationWritesAProfileThatChecks) {
  EXPECT_THAT(calibration_.out, HasSubstr("copy engines"));
  EXPECT_EQ(run_forelap({"check", profile_}).exit_code, 0);
}

TEST_F(OnCpu, ItsSamplesFitAgain) {
  const auto again = (folder_ / "again.yaml").string();
  const auto outcome = run_forelap({"calibrate", "--from", (folder_ / "samples.csv").string(), "-o", again});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(run_forelap({"check", again}).exit_code, 0);
}

TEST_F(OnCpu, ValidationComparesAndKeepsToItsExitCodes) {
  const Folder folder;
  const auto outcome = run_forelap({"validate", "bk50-small", "-m", profile_, "--repetitions", "3", "--json",
                                    folder.path("r.json"), "--trace", folder.path("t.json")});
  EXPECT_THAT(outcome.exit_code, ::testing::AnyOf(0, 1)) << outcome.err;
  const auto document = nlohmann::json::parse(core::read_file(folder.path("r.json"), 1U << 26));
  EXPECT_GT(document["summary"]["runs"], 0);
  EXPECT_EQ(document["devices"][0]["backend"], "cpu");
  EXPECT_EQ(document["rows"][0]["samples_s"].size(), 3U);
  EXPECT_THAT(core::read_file(folder.path("t.json"), 1U << 26), HasSubstr("measured: "));
  EXPECT_EQ(run_forelap({"validate", "bk50-small", "-m", profile_, "--repetitions", "1", "--set", "tolerance=0.0001 %"})
                .exit_code,
            1);
}

TEST_F(OnCpu, CtrlCKeepsPartialResultsAndMarksThem) {
  const Folder folder;
  ProgramOptions options;
  int calls = 0;
  options.while_running = [&calls](int pid) {
    if (++calls < 75) return false;
    ::kill(pid, SIGINT);
    return true;
  };
  const auto outcome = run_forelap(
      {"measure", "bk50-small", "-m", profile_, "--repetitions", "100000", "--json", folder.path("r.json")}, options);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("stopped by the user; partial results kept"));
  const auto document = nlohmann::json::parse(core::read_file(folder.path("r.json"), 1U << 28));
  EXPECT_EQ(document["rows"][0]["partial"], true);
  EXPECT_THAT(document["notes"].dump(), HasSubstr("stopped by the user"));
}

TEST_F(OnCpu, AProfileOfOtherCoresIsRefused) {
  const Folder folder;
  auto text = core::read_file(profile_, 1U << 24);
  const auto at = text.find("cores: ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 7, "9");
  core::write_file(folder.path("other.yaml"), text);
  const auto outcome = run_forelap({"measure", "bk50-small", "-m", folder.path("other.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not of this hardware"));
  EXPECT_THAT(outcome.err, HasSubstr("cores"));
}

}  // namespace
}  // namespace forelap::app
