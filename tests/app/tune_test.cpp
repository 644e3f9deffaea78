#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "core/text.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramOptions;
using testing::run_forelap;

std::string group_file(const Folder& folder, const std::string& tasks, const std::string& head = "") {
  const std::string name = folder.path("group.yaml");
  core::write_file(name, "forelap: 1\nkind: task_group\nmachine: ideal-two-engines\n" + head + "tasks:\n" + tasks);
  return name;
}

TEST(Tune, Bk50SaysTheOrderItsBoundAndWhatItIsWorth) {
  const auto outcome = run_forelap({"tune", "bk50"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* words :
       {"chosen", "given", "heuristic", "NEH", "Johnson", "worst", "mean", "lower bound", "21.00 ms", "26.00 ms",
        "31.00 ms", "100.0 %", "proven: nothing that may be chosen is faster",
        "critical: kernel, busy 90 % of the time", "all 24 orders"}) {
    EXPECT_THAT(outcome.out, HasSubstr(words));
  }
}

TEST(Tune, OnOneEngineSaysThatEveryOrderTies) {
  const auto outcome = run_forelap({"tune", "bk0", "-m", "ideal-one-engine"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the model does not tell 23 other orders from the chosen one"));
  EXPECT_THAT(outcome.out, HasSubstr("33.00 ms"));
}

TEST(Tune, WrittenScenarioPredictsTheSame) {
  const Folder folder;
  const auto tuned = run_forelap({"tune", "bk25", "--write", folder.path("tuned.yaml"), "--json", "-"});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(run_forelap({"check", folder.path("tuned.yaml")}).exit_code, 0);
  const auto predicted = run_forelap({"predict", folder.path("tuned.yaml"), "--json", "-"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  const auto rows = nlohmann::json::parse(predicted.out)["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["predicted_s"], nlohmann::json::parse(tuned.out)["cases"][0]["chosen"]["predicted_s"]);
}

TEST(Tune, WritesToStandardOutputToo) {
  const auto outcome = run_forelap({"tune", "bk50", "--write", "-"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("kind: task_group"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("lower bound")));
  EXPECT_THAT(outcome.err, HasSubstr("lower bound"));
}

TEST(Tune, DoesNotWriteOverWhatItReads) {
  const Folder folder;
  const auto file = group_file(folder, "  - {kernel: 1 ms}\n");
  const auto outcome = run_forelap({"tune", file, "--write", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("would overwrite a file that is read here"));
}

TEST(Tune, NamesTheMethodsForOneThatIsNone) {
  const auto outcome = run_forelap({"tune", "bk50", "--method", "branch_and_bound"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean branch-and-bound?"));
  EXPECT_THAT(outcome.err,
              HasSubstr("auto, heuristic, johnson, neh, branch-and-bound, iterated-greedy and exhaustive"));
}

TEST(Tune, RefusesNumbersThatAreNone) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--time-limit", "-1"},
                                                                                      {"--time-limit", "nan"},
                                                                                      {"--time-limit", "1,5"},
                                                                                      {"--gap", "inf"},
                                                                                      {"--gap", "x"}}) {
    const auto outcome = run_forelap({"tune", "bk50", option, value});
    EXPECT_EQ(outcome.exit_code, 2) << option << " " << value;
    EXPECT_THAT(outcome.err, HasSubstr("found \"" + value + "\"")) << option;
  }
}

TEST(Tune, ByTheHeuristicShowsItsGap) {
  const auto outcome = run_forelap({"tune", "bk50", "--method", "johnson"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("not proven: the gap to the bound is 9.52 %"));
}

TEST(Tune, WithNoTimeSaysTheBestSoFarAndItsGap) {
  const Folder folder;
  std::string tasks;
  for (int i = 0; i < 24; ++i) {
    const auto time = [&](int k) { return std::to_string(1 + (i * k) % 11) + " ms"; };
    tasks += "  - {htod: " + time(3) + ", kernel: " + time(5) + ", dtoh: " + time(7) + "}\n";
  }
  const auto outcome = run_forelap({"tune", group_file(folder, tasks), "--time-limit", "0", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto c = nlohmann::json::parse(outcome.out)["cases"][0];
  EXPECT_EQ(c["chosen"]["order"].size(), 24U);
  EXPECT_GE(c["gap_pct"].get<double>(), 0);
  EXPECT_LE(c["chosen"]["predicted_s"].get<double>(), c["given"]["predicted_s"].get<double>());
}

TEST(Tune, OfOneTaskHasNothingToGain) {
  const Folder folder;
  const auto outcome = run_forelap({"tune", group_file(folder, "  - {name: only, htod: 1 ms, kernel: 2 ms}\n")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 task, 1 device"));
  EXPECT_THAT(outcome.out, HasSubstr("proven"));
}

TEST(Tune, TakesTasksWithMissingStages) {
  const Folder folder;
  const auto outcome = run_forelap(
      {"tune", group_file(folder,
                          "  - {name: A, kernel: 4 ms}\n  - {name: B, htod: 3 ms}\n  - {name: C, dtoh: 2 ms}\n"
                          "  - {name: D, htod: 1 ms, kernel: 2 ms, dtoh: 1 ms}\n")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("proven"));
}

TEST(Tune, KeepsAMemoryLimitAndNamesATaskThatIsLarger) {
  const Folder folder;
  const std::string tasks =
      "  - {name: A, htod: 3 ms, kernel: 4 ms, dtoh: 1 ms, buffer: 10 GiB}\n"
      "  - {name: B, htod: 3 ms, kernel: 4 ms, dtoh: 1 ms, buffer: 10 GiB}\n"
      "  - {name: C, htod: 3 ms, kernel: 4 ms, dtoh: 1 ms, buffer: 10 GiB}\n";
  const auto limited = run_forelap({"tune", group_file(folder, tasks, "memory: 16 GiB\n"), "--json", "-"});
  EXPECT_EQ(limited.exit_code, 0) << limited.err;
  const auto unlimited = run_forelap({"tune", group_file(folder, tasks), "--json", "-"});
  const auto time = [](const auto& outcome) {
    return nlohmann::json::parse(outcome.out)["cases"][0]["chosen"]["predicted_s"].template get<double>();
  };
  EXPECT_GT(time(limited), time(unlimited)) << "no two of them can overlap";
  const auto refused = run_forelap({"tune", group_file(folder, tasks, "memory: 8 GiB\n")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("task \"A\" needs 10 GiB of device memory, but the scenario allows 8 GiB"));
}

TEST(Tune, NamesACircleOfDependencies) {
  const Folder folder;
  const auto outcome = run_forelap({"tune", group_file(folder,
                                                       "  - {name: A, kernel: 4 ms, after: [B]}\n"
                                                       "  - {name: B, kernel: 3 ms, after: [A]}\n")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("\"A\" after \"B\" after \"A\""));
}

TEST(Tune, JsonHasNoLocaleAndNoNumbersThatAreNone) {
  ProgramOptions options;
  options.environment = {"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"};
  const auto outcome =
      run_forelap({"tune", "bk0", "-m", "ideal-one-engine", "--json", "-", "-q", "--seed", "7"}, options);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["schema"], "forelap.tune/1");
  EXPECT_EQ(document["seed"], 7);
  EXPECT_TRUE(document["cases"][0]["share_of_gain"].is_null()) << "no order is worse than another";
}

TEST(Tune, OfTheSameSeedGivesTheSame) {
  const auto once = [] {
    auto document = nlohmann::json::parse(run_forelap({"tune", "bk75", "--json", "-"}).out);
    document.erase("when");
    document["cases"][0].erase("search_s");
    return document;
  };
  EXPECT_EQ(once(), once());
}

TEST(Tune, WritesCsvAndATrace) {
  const Folder folder;
  const auto outcome = run_forelap({"tune", "bk50", "--csv", folder.path("t.csv"), "--trace", folder.path("t.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(core::read_file(folder.path("t.csv"), 1U << 20), HasSubstr("lower bound"));
  EXPECT_TRUE(nlohmann::json::accept(core::read_file(folder.path("t.json"), 1U << 24)));
}

TEST(Tune, NeedsAProfileToMeasure) {
  const Folder folder;
  ProgramOptions options;
  options.folder = folder.path();
  const auto outcome = run_forelap({"tune", "bk50", "--measure"}, options);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("forelap calibrate"));
}

TEST(Tune, InterruptedKeepsTheBestSoFar) {
  const Folder folder;
  std::string tasks;
  for (int i = 0; i < 40; ++i) {
    const auto time = [&](int k) { return std::to_string(1 + (i * k) % 13) + " ms"; };
    tasks += "  - {htod: " + time(3) + ", kernel: " + time(5) + ", dtoh: " + time(7) + "}\n";
  }
  ProgramOptions options;
  int calls = 0;
  options.while_running = [&calls](int pid) {
    if (++calls < 25) return false;
    ::kill(pid, SIGINT);
    return true;
  };
  const auto outcome =
      run_forelap({"tune", group_file(folder, tasks), "--time-limit", "600", "--json", folder.path("t.json")}, options);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  const auto document = nlohmann::json::parse(core::read_file(folder.path("t.json"), 1U << 24));
  EXPECT_TRUE(document["stopped"].get<bool>());
  EXPECT_EQ(document["cases"][0]["chosen"]["order"].size(), 40U);
}

}  // namespace
}  // namespace forelap::app
