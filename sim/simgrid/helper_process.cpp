#include "sim/simgrid/helper_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::sim::simgrid {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kProgram = "forelap-simgrid";
constexpr std::size_t kLongestErrors = 4096;
constexpr int kPollMilliseconds = 100;
constexpr seconds kGreetingLimit(30);

std::string system_words() {
  return std::strerror(errno);
}

std::vector<fs::path> places() {
  if (const char* given = std::getenv("FORELAP_LIBEXEC"); given != nullptr && *given != '\0') return {given};
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path here = self.parent_path();
  return {here, (here / FORELAP_LIBEXEC_FROM_BIN).lexically_normal()};
}

/// What posix_spawn is told: the descriptors of the child, its own process group (Ctrl-C is for us to handle), and
/// signals as a program expects them.
class SpawnSettings {
 public:
  SpawnSettings(int input_output, int errors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input_output, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, input_output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  /// 0 or an errno value.
  int spawn(const fs::path& program, pid_t& pid) const {
    std::string name = program.string();
    std::array<char*, 2> arguments = {name.data(), nullptr};
    return ::posix_spawn(&pid, name.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

void close_if_open(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

bool interrupted_or_empty() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

fs::path find_helper() {
  std::vector<std::string> seen;
  for (const fs::path& place : places()) {
    std::error_code error;
    if (fs::is_regular_file(place / kProgram, error)) return place / kProgram;
    seen.push_back(place.string());
  }
  core::throw_unavailable("the SimGrid simulator is not built: its program " + std::string(kProgram) + " is not in " +
                          core::join_names(seen) +
                          ". Install the package libsimgrid-dev and build with -DFORELAP_SIMGRID=ON");
}

HelperProcess::HelperProcess(const fs::path& program) {
  start(program);
  try {
    read_greeting(program);
  } catch (...) {
    end();
    throw;
  }
}

HelperProcess::~HelperProcess() {
  end();
}

void HelperProcess::start(const fs::path& program) {
  std::array<int, 2> sockets{};
  std::array<int, 2> pipes{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    core::throw_unavailable("cannot make a socket for " + program.string() + ": " + system_words());
  }
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) {
    const std::string why = system_words();
    for (int& s : sockets) close_if_open(s);
    core::throw_unavailable("cannot make a pipe for " + program.string() + ": " + why);
  }
  socket_ = sockets[0];
  errors_ = pipes[0];
  const int failure = SpawnSettings(sockets[1], pipes[1]).spawn(program, pid_);
  close_if_open(sockets[1]);
  close_if_open(pipes[1]);
  if (failure != 0) {
    close_if_open(socket_);
    close_if_open(errors_);
    core::throw_unavailable("cannot start " + program.string() + ": " + std::strerror(failure));
  }
  ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

void HelperProcess::read_greeting(const fs::path& program) {
  const std::string expected = "protocol " + std::to_string(kProtocolVersion) + " simgrid ";
  std::optional<Frame> frame;
  try {
    frame = wait_for_frame({}, {}, Clock::now() + kGreetingLimit);
  } catch (const core::Error& error) {
    if (error_text_.find("error while loading shared libraries") != std::string::npos) {
      core::throw_unavailable("the SimGrid simulator is built, but its library is missing here: " +
                              std::string(core::trim(error_text_)) + ". Install the package libsimgrid3.32");
    }
    core::throw_unavailable(program.string() + " does not start: " + error.what());
  }
  if (!frame) core::throw_unavailable(program.string() + " said nothing for 30 s after its start");
  if (frame->name != "hello" || !frame->payload.starts_with(expected)) {
    core::throw_unavailable(program.string() + " is of another build (it says \"" + frame->payload.substr(0, 80) +
                            "\", expected \"" + expected + "...\"); build and install all of forelap together");
  }
  version_ = "SimGrid " + frame->payload.substr(expected.size());
}

Frame HelperProcess::exchange(std::string_view request, const core::StopToken& stop) {
  return *wait_for_frame(request, stop, Clock::time_point::max());
}

/// Nothing when `limit` has passed.
std::optional<Frame> HelperProcess::wait_for_frame(std::string_view request, const core::StopToken& stop,
                                                   Clock::time_point limit) {
  while (true) {
    if (request.empty()) {
      if (auto frame = reader_.next()) return frame;
    }
    if (stop.stop_requested()) throw Stopped{};
    if (Clock::now() > limit) return std::nullopt;
    const auto wanted = static_cast<short>(request.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array<pollfd, 2> files = {pollfd{socket_, wanted, 0}, pollfd{errors_, POLLIN, 0}};
    if (::poll(files.data(), files.size(), kPollMilliseconds) < 0 && errno != EINTR) {
      core::throw_device_failed("cannot wait for the SimGrid simulator: " + system_words());
    }
    read_errors();
    bool open = true;
    if ((files[0].revents & POLLOUT) != 0) open = send_some(request);
    if ((files[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) open = receive_some() && open;
    if (!open) core::throw_device_failed("the SimGrid simulator " + last_words());
  }
}

/// False when the other side is gone.
bool HelperProcess::send_some(std::string_view& request) {
  // Not write(): that would raise SIGPIPE in our process when the helper has died.
  const ssize_t sent = ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return interrupted_or_empty();
  request.remove_prefix(static_cast<std::size_t>(sent));
  return true;
}

/// False when the other side is gone.
bool HelperProcess::receive_some() {
  std::array<char, 1 << 16> bytes{};
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return interrupted_or_empty();
  reader_.append({bytes.data(), static_cast<std::size_t>(got)});
  return got > 0;
}

void HelperProcess::read_errors() {
  std::array<char, kLongestErrors> bytes{};
  ssize_t got = 0;
  while (errors_ >= 0 && (got = ::read(errors_, bytes.data(), bytes.size())) > 0) {
    error_text_.append(bytes.data(), static_cast<std::size_t>(got));
    // The end says what stopped it.
    if (error_text_.size() > kLongestErrors) error_text_.erase(0, error_text_.size() - kLongestErrors);
  }
  if (got == 0) close_if_open(errors_);
}

std::string HelperProcess::take_errors() {
  read_errors();
  return std::exchange(error_text_, {});
}

bool HelperProcess::alive() {
  return !ended_ && !wait_until(Clock::now());
}

/// True once the process has ended and its status is known.
bool HelperProcess::wait_until(Clock::time_point limit) {
  while (!ended_) {
    const pid_t got = ::waitpid(pid_, &status_, WNOHANG);
    // Anything else than "still running": it has ended, or somebody else has waited for it.
    ended_ = got == pid_ || (got < 0 && errno != EINTR);
    if (ended_ || Clock::now() >= limit) break;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return ended_;
}

/// How it ended and what it said; it has closed its socket.
std::string HelperProcess::last_words() {
  if (!wait_until(Clock::now() + seconds(2))) return "stopped answering";
  read_errors();
  std::string words = WIFSIGNALED(status_) ? "was ended by signal " + std::to_string(WTERMSIG(status_))
                                           : "ended with exit code " + std::to_string(WEXITSTATUS(status_));
  const std::string_view said = core::trim(error_text_);
  if (!said.empty()) words += ": " + std::string(said);
  return words;
}

void HelperProcess::end() {
  close_if_open(socket_);
  if (!ended_) {
    // At rest it ends by itself when its input does; at work it is not worth waiting for. Its simulations are in its
    // process group.
    if (!wait_until(Clock::now() + milliseconds(200))) {
      ::kill(-pid_, SIGKILL);
      wait_until(Clock::now() + seconds(5));
    }
  }
  close_if_open(errors_);
}

}  // namespace forelap::sim::simgrid
