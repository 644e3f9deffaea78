#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::ProgramOptions;
using testing::run_forelap;

TEST(Predict, Bk50ShowsItsBestMedianAndWorstOrder) {
  const auto outcome = run_forelap({"predict", "bk50", "--engine", "fast"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("24 runs"));
  EXPECT_THAT(outcome.out, HasSubstr("best"));
  EXPECT_THAT(outcome.out, HasSubstr("21.00 ms"));
  EXPECT_THAT(outcome.out, HasSubstr("31.00 ms"));
  EXPECT_THAT(outcome.out, HasSubstr("24.77 ms"));
  EXPECT_EQ(outcome.err, "");
}

TEST(Predict, JsonOnStandardOutputIsAloneThere) {
  const auto outcome = run_forelap({"predict", "bk50", "--json", "-", "--seed", "9"});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["schema"], "forelap.result/1");
  EXPECT_EQ(document["seed"], 9);
  EXPECT_EQ(document["rows"].size(), 24U);
  EXPECT_THAT(outcome.err, HasSubstr("best")) << "text moves to standard error";
}

TEST(Predict, QuietPrintsNothing) {
  const auto outcome = run_forelap({"predict", "bk50", "-q"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(Predict, DataGoesToFilesAndTheTraceHasLanes) {
  const Folder folder;
  const auto outcome = run_forelap({"predict", "bk50", "--json", folder.path("r.json"), "--csv", folder.path("r.csv"),
                                    "--trace", folder.path("t.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto trace = nlohmann::json::parse(core::read_file(folder.path("t.json"), 1U << 24));
  EXPECT_GT(trace["traceEvents"].size(), 36U);
  EXPECT_EQ(core::split(core::read_file(folder.path("r.csv"), 1U << 20), '\n').size(), 26U);
  EXPECT_EQ(run_forelap({"check", folder.path("r.json")}).exit_code, 0);
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"r.csv", "r.json", "t.json"}));
}

TEST(Predict, WhatIfTheLinkWereTwiceAsFast) {
  const auto best = [](const std::vector<std::string>& what_if) {
    std::vector<std::string> arguments = {
        "predict", "bk0", "-m", FORELAP_SOURCE_DIR "/validate/recorded/h200-cuda/machine.yaml", "--json", "-"};
    arguments.insert(arguments.end(), what_if.begin(), what_if.end());
    const auto outcome = run_forelap(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    double least = 1;
    const auto document = nlohmann::json::parse(outcome.out);
    for (const auto& row : document["rows"]) {
      least = std::min(least, row["predicted_s"].get<double>());
    }
    return least;
  };
  // BK0 is bound by its transfers: the same bytes take about half the time, not the same time for twice the bytes.
  const double ratio = best({"--set", "machine.devices[0].transfers[*].rate=x2"}) / best({});
  EXPECT_GT(ratio, 0.45);
  EXPECT_LT(ratio, 0.7);
}

TEST(Predict, WhatIfThereWereOneCopyEngine) {
  // BK25: best 2.10 with two engines, 2.70 with one (published).
  const auto two = run_forelap({"predict", "bk25", "--json", "-"});
  const auto one = run_forelap({"predict", "bk25", "--json", "-", "--set", "machine.devices[0].copy_engines=1"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const auto best = [](const std::string& text) {
    double smallest = 1e9;
    const auto document = nlohmann::json::parse(text);
    for (const auto& row : document["rows"]) {
      smallest = std::min(smallest, row["predicted_s"].get<double>());
    }
    return smallest;
  };
  EXPECT_NEAR(best(two.out), 0.0210, 1e-9);
  EXPECT_NEAR(best(one.out), 0.0270, 1e-9);
}

TEST(Predict, ADecimalCommaOfTheLocaleChangesNothing) {
  ProgramOptions german;
  german.environment = {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"};
  const auto plain = run_forelap({"predict", "bk50", "--csv", "-"});
  const auto comma = run_forelap({"predict", "bk50", "--csv", "-"}, german);
  EXPECT_EQ(comma.exit_code, 0);
  EXPECT_EQ(comma.out, plain.out);
  EXPECT_THAT(comma.out, HasSubstr("0.021"));
}

TEST(Predict, TheShippedScenariosAllPredictOnTheirMachines) {
  const auto list = run_forelap({"list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  for (const char* name : {"bk0", "bk25", "bk50", "bk75", "bk100", "overlap", "worked-example"}) {
    EXPECT_THAT(list.out, HasSubstr(name));
  }
  for (const char* name : {"bk0", "bk25", "bk75", "bk100", "worked-example"}) {
    const auto outcome = run_forelap({"predict", name});
    EXPECT_EQ(outcome.exit_code, 0) << name << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace forelap::app
