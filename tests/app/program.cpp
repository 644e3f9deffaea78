#include "tests/app/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace forelap::app::testing {
namespace {

void limit(int resource, std::uint64_t value) {
  if (value == 0) return;
  const rlimit bound{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &bound);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const ProgramOptions& options, int out,
                                 int err) {
  if (!options.out_file.empty()) out = ::open(options.out_file.c_str(), O_WRONLY | O_CREAT, 0644);
  ::dup2(out, 1);
  ::dup2(err, 2);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  for (const auto& variable : options.environment) ::putenv(const_cast<char*>(variable.c_str()));
  // A file that grows beyond the limit is then an error of write, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_FSIZE, options.largest_file);
  limit(RLIMIT_AS, options.memory);
  const std::string program = FORELAP_BINARY_DIR "/bin/forelap";
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

/// Reads both pipes until their ends.
void collect(int out, int err, const ProgramOptions& options, int pid, Outcome& outcome) {
  bool told = !options.while_running;
  pollfd pipes[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* targets[2] = {&outcome.out, &outcome.err};
  int open = 2;
  while (open > 0) {
    if (::poll(pipes, 2, 20) < 0) return;
    if (!told) told = options.while_running(pid);
    for (int i = 0; i < 2; ++i) {
      if (pipes[i].fd < 0 || (pipes[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[65536];
      const auto n = ::read(pipes[i].fd, buffer, sizeof buffer);
      if (n > 0) {
        targets[i]->append(buffer, static_cast<std::size_t>(n));
      } else {
        pipes[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

Outcome run_forelap(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  int out[2];
  int err[2];
  Outcome outcome;
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) return outcome;
  const pid_t pid = ::fork();
  if (pid == 0) become_program(arguments, options, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  collect(out[0], err[0], options, pid, outcome);
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Folder::Folder() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  path_ = (std::filesystem::temp_directory_path() /
           ("forelap-app-" + std::string(info->name()) + "-" + std::to_string(::getpid())))
              .string();
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace forelap::app::testing
