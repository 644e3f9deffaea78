#include "app/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/outputs.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace forelap::app {
namespace {

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kUsual = 80;
/// Where text goes to a file or a pipe, nothing has to fit.
constexpr std::size_t kUnlimited = 1000;

/// Errno of the failure, or 0.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_stream(int fd, std::string_view content) {
  if (const int error = write_all(fd, content); error != 0) {
    core::throw_device_failed(std::string(fd == 1 ? "standard output" : "standard error") +
                              " cannot be written: " + std::strerror(error));
  }
}

}  // namespace

void Output::text(std::string_view text) const {
  if (!quiet_) write_stream(text_fd_, text);
}

std::size_t Output::width() const {
  return is_terminal(text_fd_) ? terminal_columns(text_fd_) : kUnlimited;
}

bool Output::colours() const {
  const char* off = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return is_terminal(text_fd_) && !dumb && (off == nullptr || *off == '\0');
}

void write_data(const std::string& name, std::string_view content) {
  if (name.empty()) return;
  if (is_standard_output(name)) {
    write_stream(1, content);
  } else {
    core::write_file(name, content);
  }
}

void complain(std::string_view message) {
  // There is nowhere left to say that even standard error fails.
  write_all(2, "forelap: " + core::printable(message, true) + "\n");
}

bool is_terminal(int fd) {
  return ::isatty(fd) == 1;
}

std::size_t terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col < kNarrowest ? kNarrowest : size.ws_col;
}

}  // namespace forelap::app
