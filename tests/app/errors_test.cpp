#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/atomic_file.hpp"
#include "core/statistics.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using ::testing::AnyOf;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramOptions;
using testing::run_forelap;

std::string shipped(const std::string& name) {
  return core::read_file(FORELAP_SOURCE_DIR "/scenarios/library/" + name + ".yaml", 1U << 20);
}

TEST(Errors, HelpAndVersionAreNoErrorsAndEveryHelpHasAnExample) {
  EXPECT_EQ(run_forelap({"--version"}).out.substr(0, 8), "forelap ");
  for (const char* command : {"devices", "calibrate", "predict", "measure", "validate", "list", "check", "schema"}) {
    const auto outcome = run_forelap({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr(std::string("Example: forelap ") + command));
  }
}

TEST(Errors, AWrongCommandLineIsBadInput) {
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"foretell"},
      {"predict"},
      {"predict", "bk50", "--engine", "quantum"},
      {"predict", "bk50", "--colour"},
      {"predict", "bk50", "--seed", "x"},
      {"predict", "bk50", "--set", "interference"},
      {"predict", "bk50", "--json", "-", "--csv", "-"},
      {"measure", "bk50", "--repetitions", "0"},
      {"validate", "--against", "hearsay"},
      {"validate"},
      {"calibrate", "--check", "--from", "x.csv"},
  };
  for (const auto& line : lines) {
    const auto outcome = run_forelap(line);
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(line);
    EXPECT_NE(outcome.err, "");
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Errors, AnEmptyFileNameIsRefusedByEveryOption) {
  const std::vector<std::vector<std::string>> lines = {
      {"predict", "bk50", "--json", ""}, {"predict", "bk50", "--csv", ""},  {"predict", "bk50", "--trace", ""},
      {"predict", "bk50", "-m", ""},     {"tune", "bk50", "--write", ""},   {"tune", "bk50", "--json", ""},
      {"measure", "bk50", "--json", ""}, {"validate", "bk50", "--csv", ""}, {"validate", "--recorded", ""},
      {"calibrate", "-o", ""},           {"calibrate", "--samples", ""},    {"calibrate", "--from", ""},
      {"calibrate", "-m", ""},           {"devices", "--json", ""},         {"schema", "-o", ""},
  };
  for (const auto& line : lines) {
    const auto outcome = run_forelap(line);
    EXPECT_EQ(outcome.exit_code, 2) << ::testing::PrintToString(line);
    EXPECT_THAT(outcome.err, HasSubstr("empty name")) << ::testing::PrintToString(line);
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Errors, AnUnknownScenarioNamesTheNearest) {
  const auto outcome = run_forelap({"predict", "bk5O"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bk50"));
}

TEST(Errors, AWhatIfOnAPathThatDoesNotExistIsBadInput) {
  for (const char* what : {"machine.devices[0].copyengines=1", "machine.devices[7].copy_engines=1", "toler=3 %"}) {
    EXPECT_EQ(run_forelap({"predict", "bk50", "--set", what}).exit_code, 2) << what;
  }
}

TEST(Errors, AnErrorInAFileSaysWhereItIs) {
  const Folder folder;
  core::write_file(folder.path("s.yaml"), "forelap: 1\nkind: task_group\nname: x\ntoleranz: 5 %\n");
  const auto outcome = run_forelap({"check", folder.path("s.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("s.yaml:4:"));
  EXPECT_THAT(outcome.err, HasSubstr("tolerance"));
}

TEST(Errors, EveryFileIsCheckedThoughOneIsWrong) {
  const Folder folder;
  core::write_file(folder.path("bad.yaml"), "");
  const auto outcome = run_forelap({"check", folder.path("bad.yaml"), "bk50"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("bk50: ok, scenario BK50"));
}

TEST(Errors, MutatedScenariosEndWithAnExitCodeAndAMessage) {
  const Folder folder;
  core::Random random(2024);
  const auto original = shipped("bk50");
  for (int i = 0; i < 50; ++i) {
    auto text = original;
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const auto at = random.below(text.size());
      if (random.below(3) == 0) {
        text.erase(at, 1 + random.below(20));
      } else if (random.below(2) == 0) {
        text.insert(at, text.substr(random.below(text.size()), random.below(30)));
      } else {
        text[at] = static_cast<char>(random.below(256));
      }
    }
    core::write_file(folder.path("m.yaml"), text);
    const auto outcome = run_forelap({"predict", folder.path("m.yaml")});
    EXPECT_THAT(outcome.exit_code, AnyOf(0, 2)) << text << outcome.err;
    EXPECT_EQ(outcome.err.empty(), outcome.exit_code == 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("forelap: unexpected")));
  }
}

TEST(Errors, AFullDiskLeavesTheOldFileAndNothingElse) {
  const Folder folder;
  core::write_file(folder.path("r.json"), "old");
  ProgramOptions small;
  small.largest_file = 1000;
  const auto outcome = run_forelap({"predict", "bk50", "--json", folder.path("r.json")}, small);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("r.json"));
  EXPECT_EQ(core::read_file(folder.path("r.json"), 100), "old");
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"r.json"}));
}

TEST(Errors, StandardOutputThatIsFullIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  ProgramOptions full;
  full.out_file = "/dev/full";
  const auto outcome = run_forelap({"predict", "bk50"}, full);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written"));
  EXPECT_EQ(run_forelap({"predict", "bk50", "-q", "--json", "-"}, full).exit_code, 4);
  EXPECT_EQ(run_forelap({"predict", "bk50", "-q", "--json", "/dev/full"}).exit_code, 4);
}

TEST(Errors, AFolderThatIsMissingOrCannotBeWrittenIsNamed) {
  const auto missing = run_forelap({"predict", "bk50", "--json", "/nonexistent/r.json"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/nonexistent/r.json"));
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write anywhere";
  const Folder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(run_forelap({"predict", "bk50", "--json", folder.path("r.json")}).exit_code, 2);
}

TEST(Errors, ShippedDataThatIsNotThereDoesNotHideUsersFiles) {
  const Folder folder;
  core::write_file(folder.path("mine.yaml"), shipped("bk50"));
  ProgramOptions elsewhere;
  elsewhere.environment = {"FORELAP_DATA=" + folder.path("nothing")};
  EXPECT_EQ(run_forelap({"predict", folder.path("mine.yaml")}, elsewhere).exit_code, 0);
}

TEST(Errors, TheSchemasAreJsonAndGoToFiles) {
  const Folder folder;
  EXPECT_EQ(run_forelap({"schema", "machine", "-o", folder.path("m.json")}).exit_code, 0);
  EXPECT_THAT(core::read_file(folder.path("m.json"), 1U << 24), HasSubstr("json-schema.org"));
  EXPECT_THAT(run_forelap({"schema"}).out, HasSubstr("json-schema.org"));
  EXPECT_EQ(run_forelap({"schema", "cake"}).exit_code, 2);
}

}  // namespace
}  // namespace forelap::app
