// The states that a user can meet: no helper, a helper that cannot run here, one of another build, one that dies or
// hangs at work. Shell scripts stand in for helpers that misbehave.

#include "sim/simgrid/helper_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "core/error.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/sim_simgrid/require_simgrid.hpp"

namespace forelap::sim::simgrid {
namespace {

namespace fs = std::filesystem;
using core::ErrorKind;
using testing::HasSubstr;

/// A directory in which find_helper() looks, and nowhere else, while it exists.
class Libexec {
 public:
  Libexec() {
    std::string name = (fs::temp_directory_path() / "forelap-libexec-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
    ::setenv("FORELAP_LIBEXEC", name.c_str(), 1);
  }
  Libexec(const Libexec&) = delete;
  Libexec& operator=(const Libexec&) = delete;
  ~Libexec() {
    ::unsetenv("FORELAP_LIBEXEC");
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  /// Puts a shell script in the helper's place.
  void script(const std::string& body) const {
    const fs::path program = path_ / "forelap-simgrid";
    std::ofstream(program) << "#!/bin/sh\n" << body;
    fs::permissions(program, fs::perms::owner_all);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string greeting(std::uint32_t protocol = kProtocolVersion) {
  const std::string words = "protocol " + std::to_string(protocol) + " simgrid 9.9";
  return "printf 'hello " + std::to_string(words.size()) + "\\n" + words + "'\n";
}

void expect_error(ErrorKind kind, const std::string& words, const std::function<void()>& act) {
  try {
    act();
    ADD_FAILURE() << "no error";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

core::Plan one_copy() {
  core::PlanBuilder builder;
  core::CopyStep step;
  step.lane = builder.add_lane({core::LaneKind::copy, core::DeviceId{0}, {}, "htod"});
  step.duration = 1000;
  builder.add(step);
  core::Plan plan = builder.build();
  plan.device_count = 1;
  return plan;
}

std::unique_ptr<core::Executor> executor_of_one_device() {
  auto machine = std::make_shared<core::Machine>();
  machine->devices.resize(1);
  return make_executor(machine, models::InterferenceMode::partial);
}

TEST(HelperProcess, SaysHowToBuildTheHelperWhereItIsMissing) {
  const Libexec libexec;
  EXPECT_FALSE(availability().available);
  EXPECT_THAT(availability().reason, HasSubstr("libsimgrid-dev"));
  EXPECT_THAT(availability().reason, HasSubstr("-DFORELAP_SIMGRID=ON"));
  EXPECT_THAT(availability().reason, HasSubstr(libexec.path().string()));
  expect_error(ErrorKind::unavailable, "is not built", [] { executor_of_one_device(); });
}

TEST(HelperProcess, NamesThePackageWhereTheLibraryIsMissing) {
  const Libexec libexec;
  libexec.script(
      "echo 'forelap-simgrid: error while loading shared libraries: libsimgrid.so.3.32: cannot open shared object "
      "file: No such file or directory' >&2\nexit 127\n");
  EXPECT_THAT(availability().reason, HasSubstr("libsimgrid.so.3.32: cannot open"));
  EXPECT_THAT(availability().reason, HasSubstr("Install the package libsimgrid3.32"));
}

TEST(HelperProcess, RefusesAHelperOfAnotherBuild) {
  const Libexec libexec;
  libexec.script(greeting(kProtocolVersion + 1) + "cat > /dev/null\n");
  expect_error(ErrorKind::unavailable, "another build", [] { executor_of_one_device(); });
  libexec.script("echo Good morning to you all\n");
  expect_error(ErrorKind::unavailable, "does not start", [] { executor_of_one_device(); });
}

TEST(HelperProcess, SaysWhyAHelperCannotBeStarted) {
  const Libexec libexec;
  libexec.script("");
  fs::permissions(libexec.path() / "forelap-simgrid", fs::perms::owner_read);
  expect_error(ErrorKind::unavailable, "cannot start", [] { executor_of_one_device(); });
}

TEST(HelperProcess, ReportsTheLastWordsOfAHelperThatDiesAtWork) {
  const Libexec libexec;
  libexec.script(greeting() + "read line\necho 'out of luck' >&2\nkill -9 $$\n");
  const core::Plan plan = one_copy();
  const auto executor = executor_of_one_device();
  expect_error(ErrorKind::device_failed, "was ended by signal 9: out of luck", [&] { executor->run(plan, {}, {}); });
}

TEST(HelperProcess, ReportsWhatIsNoAnswer) {
  const Libexec libexec;
  const core::Plan plan = one_copy();
  libexec.script(greeting() + "read line\nprintf 'error 7\\nno more'\ncat > /dev/null\n");
  expect_error(ErrorKind::device_failed, "no more", [&] { executor_of_one_device()->run(plan, {}, {}); });
  libexec.script(greeting() + "read line\nprintf 'intervals 4\\n5 1\\n'\ncat > /dev/null\n");
  expect_error(ErrorKind::device_failed, "an end", [&] { executor_of_one_device()->run(plan, {}, {}); });
  libexec.script(greeting() + "read line\necho oh\ncat > /dev/null\n");
  expect_error(ErrorKind::device_failed, "found \"oh\"", [&] { executor_of_one_device()->run(plan, {}, {}); });
}

TEST(HelperProcess, StopsWaitingForAHelperThatHangs) {
  const Libexec libexec;
  libexec.script(greeting() + "sleep 1000\n");
  const core::Plan plan = one_copy();
  const auto executor = executor_of_one_device();
  core::StopSource source;
  std::thread user([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  core::RunOptions options;
  options.stop = source.token();
  const core::Timeline timeline = executor->run(plan, {}, options);
  user.join();
  EXPECT_FALSE(timeline.complete);
  EXPECT_TRUE(timeline.intervals.empty());
}

/// Kills and waits until the process is a zombie, without taking its exit status from its parent.
void kill_and_wait(pid_t process) {
  ::kill(process, SIGKILL);
  std::string state;
  while (state != "Z") {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number, name;
    ASSERT_TRUE(stat >> number >> name >> state);
  }
}

class RealHelper : public tests::NeedsSimGrid {};

TEST_F(RealHelper, IsStartedAgainAfterItDiedAtWork) {
  const std::string real = find_helper().string();
  const Libexec libexec;
  // Dies on the first plan, and is the real one from then on.
  const std::string mark = (libexec.path() / "died").string();
  libexec.script("if [ -e '" + mark + "' ]; then exec '" + real + "'; fi\ntouch '" + mark + "'\n" + greeting() +
                 "read line\nkill -9 $$\n");
  const core::Plan plan = one_copy();
  const auto executor = executor_of_one_device();
  const auto prepared = executor->prepare(plan, {});
  expect_error(ErrorKind::device_failed, "was ended by signal 9", [&] { prepared->run({}); });
  EXPECT_EQ(prepared->run({}).makespan, 1000);
}

TEST_F(RealHelper, IsStartedAgainAfterItDiedAtRest) {
  const std::string real = find_helper().string();
  const Libexec libexec;
  const std::string pid = (libexec.path() / "pid").string();
  libexec.script("echo $$ > '" + pid + "'\nexec '" + real + "'\n");
  const core::Plan plan = one_copy();
  const auto executor = executor_of_one_device();
  EXPECT_EQ(executor->run(plan, {}, {}).makespan, 1000);
  pid_t process = 0;
  std::ifstream(pid) >> process;
  ASSERT_GT(process, 0);
  kill_and_wait(process);
  EXPECT_EQ(executor->run(plan, {}, {}).makespan, 1000);
}

TEST_F(RealHelper, EndsWithItsOwnWordsAndExitCode2OnInputThatIsNoPlan) {
  const auto refuse = [](const std::string& request, const std::string& words) {
    HelperProcess helper(find_helper());
    expect_error(ErrorKind::device_failed, "exit code 2: forelap-simgrid: " + words,
                 [&] { helper.exchange(request, {}); });
  };
  refuse("good morning\n", "expected a line \"NAME BYTES\", found \"good morning\"");
  refuse(encode_frame("plan", "good morning\n"), "line 1 of the plan");
  refuse(encode_frame("song", ""), "expected a plan, found a frame \"song\"");
}

}  // namespace
}  // namespace forelap::sim::simgrid
