// What a careless user types, and what may be in the way of the files that a command reads and writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "app/interrupt.hpp"
#include "core/atomic_file.hpp"
#include "tests/app/program.hpp"

namespace forelap::app {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramOptions;
using testing::run_forelap;

std::string scenario(const std::string& task, const std::string& head = "") {
  return "forelap: 1\nkind: task_group\nname: x\nmachine: nvidia-k20c\n" + head + "tasks:\n  - {name: a, " + task +
         ", kernel: 1 ms}\n";
}

std::string check_error(const std::string& text) {
  const Folder folder;
  core::write_file(folder.path("s.yaml"), text);
  const auto outcome = run_forelap({"check", folder.path("s.yaml")});
  EXPECT_EQ(outcome.exit_code, 2) << text;
  return outcome.err;
}

std::string series_error(const std::string& text) {
  const Folder folder;
  core::write_file(folder.path("s.csv"), text);
  const auto outcome = run_forelap({"calibrate", "--from", folder.path("s.csv"), "-o", folder.path("m.yaml")});
  EXPECT_EQ(outcome.exit_code, 2) << text;
  EXPECT_FALSE(std::filesystem::exists(folder.path("m.yaml")));
  return outcome.err;
}

TEST(Careless, OutputsThatCannotBeWrittenAreRefusedBeforeTheWorkBegins) {
  const Folder folder;
  for (const char* option : {"--json", "--csv", "--trace"}) {
    for (const std::string& file : {folder.path(), folder.path("nothing/r.out"), folder.path(std::string(300, 'a'))}) {
      const auto outcome = run_forelap({"predict", "bk50", option, file});
      EXPECT_EQ(outcome.exit_code, 2) << option << " " << file;
      EXPECT_EQ(outcome.out, "");
      EXPECT_THAT(outcome.err, HasSubstr(file));
    }
  }
  // A calibration takes a minute: it must not be measured first.
  const auto outcome = run_forelap({"calibrate", "--device", "cpu", "-o", folder.path("nothing/m.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("nothing/m.yaml"));
  EXPECT_EQ(run_forelap({"measure", "bk50", "--json", folder.path()}).exit_code, 2);
  EXPECT_TRUE(folder.entries().empty());
}

TEST(Careless, OneFileForTwoOutputsIsRefused) {
  const Folder folder;
  const auto twice = run_forelap({"predict", "bk50", "--json", folder.path("r"), "--csv", folder.path("./r")});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--json and --csv name the same file"));
  EXPECT_EQ(run_forelap({"predict", "bk50", "-q", "--json", "/dev/null", "--csv", "/dev/null"}).exit_code, 0);
  EXPECT_EQ(run_forelap({"predict", "bk50", "--json", "-", "--csv", "/dev/stdout"}).exit_code, 2);
}

TEST(Careless, AFileThatIsReadIsNotOverwritten) {
  const Folder folder;
  core::write_file(folder.path("s.yaml"), scenario("htod: 1 ms"));
  const auto outcome = run_forelap({"predict", folder.path("s.yaml"), "--json", folder.path("s.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("would overwrite"));
  EXPECT_EQ(core::read_file(folder.path("s.yaml"), 1000), scenario("htod: 1 ms"));
}

TEST(Careless, StandardOutputByItsPathIsStandardOutput) {
  const Folder folder;
  ProgramOptions to_file;
  to_file.out_file = folder.path("out");
  EXPECT_EQ(run_forelap({"predict", "bk50", "--json", "/dev/stdout"}, to_file).exit_code, 0);
  const auto text = core::read_file(folder.path("out"), 1U << 20);
  EXPECT_EQ(text.substr(0, 1), "{");
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"out"}));
}

TEST(Careless, SeedsThatAreNoWholeNumberAreRefused) {
  for (const char* seed : {"-1", "1.5", "99999999999999999999", "1e3", ""}) {
    const auto outcome = run_forelap({"predict", "bk50", "--seed", seed});
    EXPECT_EQ(outcome.exit_code, 2) << seed;
  }
  EXPECT_EQ(run_forelap({"predict", "bk50", "--seed", "18446744073709551615"}).exit_code, 0);
}

TEST(Careless, AWrongUnitOfATransferNamesSizesAndTimes) {
  for (const char* unit : {"25 GB/s", "25 Gbit/s", "25 GiB/s", "1 parsec", "10 %"}) {
    const auto error = check_error(scenario("htod: " + std::string(unit)));
    EXPECT_THAT(error, HasSubstr("s.yaml:6:21: tasks[0].htod: found \"" + std::string(unit) + "\""));
    EXPECT_THAT(error, HasSubstr("KiB"));
    EXPECT_THAT(error, HasSubstr("ms"));
  }
  EXPECT_THAT(check_error(scenario("htod: 5 mb")), HasSubstr("did you mean MB?"));
  EXPECT_THAT(check_error(scenario("htod: 1_000 B")), HasSubstr("without underscores"));
  EXPECT_THAT(check_error(scenario("htod: .nan")), HasSubstr("must be finite"));
  EXPECT_THAT(check_error(scenario("htod: -.inf")), HasSubstr("must be finite"));
}

TEST(Careless, ADecimalCommaInAListOfKeysIsNamed) {
  EXPECT_THAT(check_error(scenario("htod: 1,5 MB")), HasSubstr("write decimals with a point"));
}

TEST(Careless, TooManyOrdersSayWhatElseWorks) {
  std::string text = "forelap: 1\nkind: task_group\nname: x\nmachine: ideal-two-engines\norder: all\ntasks:\n";
  for (int i = 0; i < 9; ++i)
    text += "  - {name: t" + std::to_string(i) + ", htod: " + std::to_string(i + 1) + " ms}\n";
  const Folder folder;
  core::write_file(folder.path("s.yaml"), text);
  const auto outcome = run_forelap({"predict", folder.path("s.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("362880 orders"));
  EXPECT_THAT(outcome.err, HasSubstr("order: [[t0, ...], ...]"));
}

TEST(Careless, AWhatIfIsQuotedAsItWasGiven) {
  const auto outcome = run_forelap({"predict", "bk50", "--set", "machine.devices[0].copy_engines=3"});
  EXPECT_THAT(outcome.err, HasSubstr("--set machine.devices[0].copy_engines=3"));
}

TEST(Careless, TwoColumnsOfOneMeaningAreRefused) {
  EXPECT_THAT(series_error("bytes,bytes,time_us\n1000,10,3\n"), HasSubstr("s.csv:1:7"));
  EXPECT_THAT(series_error("bytes,time_us,class,direction\n1000,10,htod,dtoh\n"), HasSubstr("keep one of the two"));
}

TEST(Careless, TimesThatFallAsSizesGrowAreNoTransfers) {
  const auto error =
      series_error("bytes,time_us\n1000,10000\n1000,10001\n10000,1000\n10000,1001\n100000,100\n100000,101\n");
  EXPECT_THAT(error, HasSubstr("expected times that grow with the size"));
}

TEST(Careless, NamesNeitherBreakTablesNorCommandTheTerminal) {
  const Folder folder;
  core::write_file(folder.path("s.yaml"),
                   "forelap: 1\nkind: task_group\nname: \"a\\x1b[31m\"\nmachine: ideal-two-engines\ntasks:\n"
                   "  - {name: \"b\\nc\\u202e\\x07\", htod: 1 ms}\n");
  const auto outcome = run_forelap({"predict", folder.path("s.yaml"), "--json", folder.path("r.json")});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("b\\nc\\u202e\\x07"));
  EXPECT_THAT(outcome.out, HasSubstr("a\\x1b[31m"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(run_forelap({"check", folder.path("r.json")}).exit_code, 0);
  const auto unknown = run_forelap({"predict", "no\x1b[31m"});
  EXPECT_THAT(unknown.err, Not(HasSubstr("\x1b")));
}

TEST(Careless, AnInterruptKeepsWhatWasRevalidated) {
  const Folder folder;
  ProgramOptions interrupted;
  // The handler is there before the first set is predicted, and SimGrid takes its time for all of them.
  interrupted.while_running = [started = 0](int pid) mutable {
    if (++started < 25) return false;
    ::kill(pid, SIGINT);
    return true;
  };
  const auto outcome = run_forelap(
      {"validate", "--against", "recorded", "--engine", "simgrid", "--json", folder.path("r.json")}, interrupted);
  if (outcome.exit_code == 3) GTEST_SKIP() << outcome.err;
  if (outcome.exit_code <= 1) GTEST_SKIP() << "done before the interrupt came";
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("stopped by the user"));
  EXPECT_THAT(core::read_file(folder.path("r.json"), 1U << 26), HasSubstr("partial: stopped by the user"));
}

TEST(CarelessDeathTest, AFaultWhileADeviceIsAtWorkIsSaidWithTheExitCodeOfAFailedDevice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto fault = [] {
    // As the program starts: whatever a sanitizer installed is put away.
    std::signal(SIGSEGV, SIG_DFL);
    say_what_faults();
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(fault(), ::testing::ExitedWithCode(4), "look for that in the scenario's kernels");
}

}  // namespace
}  // namespace forelap::app
