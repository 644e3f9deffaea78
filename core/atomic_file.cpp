#include "core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace forelap::core {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void fail(ErrorKind kind, const std::filesystem::path& path, const char* what, int error) {
  throw Error(kind, path.string() + ": " + what + ": " + std::strerror(error));
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Devices and pipes cannot be renamed over; they are written to as they are.
bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::socket;
}

void write_special(const std::filesystem::path& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail(ErrorKind::bad_input, path, "cannot be opened for writing", errno);
  if (!write_all(file.get(), content)) fail(ErrorKind::device_failed, path, "cannot be written", errno);
}

/// The file behind symbolic links, so that a rename replaces that file and not a link to it.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  auto target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

void refuse_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw_bad_input(path.string() + ": this is a folder; expected the name of a file to write");
  }
}

}  // namespace

void require_writable(const std::filesystem::path& path) {
  refuse_folder(path);
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) != 0) fail(ErrorKind::bad_input, path, "cannot be written", errno);
    return;
  }
  // Only making a file tells of everything that may be in the way: names too long, read-only file systems.
  std::string aside = behind_links(path).string() + ".XXXXXX";
  const Descriptor file(::mkostemp(aside.data(), O_CLOEXEC));
  if (file.get() < 0) fail(ErrorKind::bad_input, path, "cannot be created", errno);
  ::unlink(aside.c_str());
}

void write_file(const std::filesystem::path& name, std::string_view content) {
  if (is_special(name)) return write_special(name, content);
  refuse_folder(name);
  const auto path = behind_links(name);
  std::string aside = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(aside.data(), O_CLOEXEC));
  if (file.get() < 0) fail(ErrorKind::bad_input, path, "cannot be created", errno);
  const auto give_up = [&](const char* what) {
    const int error = errno;
    ::unlink(aside.c_str());
    fail(ErrorKind::device_failed, path, what, error);
  };
  if (!write_all(file.get(), content)) give_up("cannot be written");
  // mkostemp makes files that only the owner reads; results are as readable as the user's umask lets other files be.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0) give_up("cannot be made readable");
  if (::fsync(file.get()) != 0 && errno != EINVAL) give_up("cannot be written");
  if (::close(file.release()) != 0) give_up("cannot be written");
  if (::rename(aside.c_str(), path.c_str()) != 0) give_up("cannot be put in place");
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(ErrorKind::bad_input, path, "cannot be opened", errno);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(ErrorKind::bad_input, path, "cannot be read", errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > limit) {
      throw_bad_input(path.string() + ": larger than the " + std::to_string(limit >> 20U) + " MiB that are read");
    }
  }
}

}  // namespace forelap::core
