#pragma once
// The helper program as a child process: found, started, spoken to and ended.
//
// It has a socket as its input and output and a pipe as its error output; both are read while something is written, so
// that neither side waits for the other however big the plan. Not thread-safe: one process, one caller at a time.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/stop_token.hpp"
#include "sim/simgrid/protocol.hpp"

namespace forelap::sim::simgrid {

/// Where the helper is: in the directory that FORELAP_LIBEXEC names where that is set, else beside the running program
/// or in its libexec directory. Throws core::Error (unavailable) with the places and the option that builds it.
std::filesystem::path find_helper();

class HelperProcess {
 public:
  /// Starts it and waits for its greeting. Throws core::Error (unavailable) with the loader's words where it cannot run
  /// here, or where it is of another build.
  explicit HelperProcess(const std::filesystem::path& program);
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;
  ~HelperProcess();

  /// Sends `request` and returns the next frame. Throws core::Error (device_failed) with what it said on its error
  /// output when it ends instead; throws Stopped on the token's wish. Either way it is of no more use afterwards.
  Frame exchange(std::string_view request, const core::StopToken& stop);

  /// What it wrote to its error output since it was last asked.
  [[nodiscard]] std::string take_errors();
  /// False once it has ended.
  [[nodiscard]] bool alive();
  /// "SimGrid 3.32", from its greeting.
  [[nodiscard]] const std::string& version() const { return version_; }

  /// What exchange() throws when it was asked to stop.
  struct Stopped {};

 private:
  using Clock = std::chrono::steady_clock;

  void start(const std::filesystem::path& program);
  void read_greeting(const std::filesystem::path& program);
  std::optional<Frame> wait_for_frame(std::string_view request, const core::StopToken& stop, Clock::time_point limit);
  bool send_some(std::string_view& request);
  bool receive_some();
  void read_errors();
  bool wait_until(Clock::time_point limit);
  void end();
  std::string last_words();

  pid_t pid_ = -1;
  int socket_ = -1;
  int errors_ = -1;
  bool ended_ = false;
  int status_ = 0;  ///< of waitpid, once ended_
  FrameReader reader_;
  std::string error_text_;
  std::string version_;
};

}  // namespace forelap::sim::simgrid
