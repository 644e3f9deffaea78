// forelap-simgrid: simulates the plans that arrive on its input with SimGrid, and writes when each step ran
// (sim/simgrid/protocol.hpp). Ends with 0 at the end of the input and with 2 at input that it does not understand.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "sim/simgrid/helper_simulation.hpp"
#include "sim/simgrid/protocol.hpp"

namespace {

using namespace forelap::sim::simgrid;

constexpr int kBadInput = 2;
constexpr int kFailed = 4;

/// False when the reader has gone.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void complain(const std::string& message) {
  write_all(STDERR_FILENO, "forelap-simgrid: " + message + "\n");
}

std::string greeting() {
  return "protocol " + std::to_string(kProtocolVersion) + " simgrid " + simgrid_version();
}

/// The child's whole life: it writes nothing before the simulation is over, so that an answer is whole or absent.
int answer(const CostedPlan& plan) {
  try {
    return write_all(STDOUT_FILENO, encode_frame("intervals", encode_intervals(simulate(plan)))) ? 0 : kFailed;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

/// A process a plan: SimGrid's clock cannot be set back, and what makes it abort must not take this program along.
bool run_plan(const CostedPlan& plan) {
  const pid_t child = ::fork();
  if (child < 0) {
    return write_all(STDOUT_FILENO,
                     encode_frame("error", std::string("cannot start a process: ") + std::strerror(errno)));
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(answer(plan));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  const std::string how = WIFSIGNALED(status) ? "by signal " + std::to_string(WTERMSIG(status))
                                              : "with exit code " + std::to_string(WEXITSTATUS(status));
  return write_all(STDOUT_FILENO, encode_frame("error", "the simulation ended " + how));
}

/// Answers every whole frame that has arrived; false when the reader has gone.
bool serve(FrameReader& reader) {
  while (const auto frame = reader.next()) {
    if (frame->name != "plan") forelap::core::throw_bad_input("expected a plan, found a frame \"" + frame->name + "\"");
    if (!run_plan(decode_plan(frame->payload))) return false;
  }
  return true;
}

int serve_input() {
  if (!write_all(STDOUT_FILENO, encode_frame("hello", greeting()))) return kFailed;
  FrameReader reader;
  std::array<char, 1 << 16> bytes{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) forelap::core::throw_bad_input(std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) break;
    reader.append({bytes.data(), static_cast<std::size_t>(got)});
    if (!serve(reader)) return kFailed;
  }
  if (!reader.empty()) forelap::core::throw_bad_input("the input ends in the middle of a plan");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return write_all(STDOUT_FILENO, "forelap-simgrid, " + greeting() + "\n") ? 0 : kFailed;
  }
  if (argc != 1) {
    complain("takes plans on its input, and no arguments but --version; it is started by forelap");
    return kBadInput;
  }
  try {
    return serve_input();
  } catch (const forelap::core::Error& error) {
    complain(error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}
