#pragma once
// Errors that a user can act on. Thrown by every folder; `app/` turns the kind into an exit code.

#include <stdexcept>
#include <string>

namespace forelap::core {

/// What went wrong, in the words of the command line's exit codes.
enum class ErrorKind {
  bad_input,      ///< exit 2: the user's file, option or value is wrong
  unavailable,    ///< exit 3: something that this machine or build lacks
  device_failed,  ///< exit 4: a device or the system failed while working
};

/// An error with a message that says what was found, what was expected and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

[[noreturn]] inline void throw_bad_input(const std::string& message) {
  throw Error(ErrorKind::bad_input, message);
}
[[noreturn]] inline void throw_unavailable(const std::string& message) {
  throw Error(ErrorKind::unavailable, message);
}
[[noreturn]] inline void throw_device_failed(const std::string& message) {
  throw Error(ErrorKind::device_failed, message);
}

}  // namespace forelap::core
