#pragma once
// Where text, data and progress go.

#include <cstddef>
#include <string>
#include <string_view>

namespace forelap::app {

/// Text for people and data for programs. Text goes to standard output, or to standard error where data takes standard
/// output ("-"); quiet drops it.
class Output {
 public:
  Output(bool quiet, bool data_on_stdout) : quiet_(quiet), text_fd_(data_on_stdout ? 2 : 1) {}

  /// Throws core::Error (device_failed) where the text cannot be written, such as on a full disk.
  void text(std::string_view text) const;
  /// Columns that a table may take: the terminal's, or a fixed number where the text does not go to one.
  [[nodiscard]] std::size_t width() const;
  /// Whether text may carry colours: a terminal, and NO_COLOR is not set.
  [[nodiscard]] bool colours() const;

 private:
  bool quiet_;
  int text_fd_;
};

/// Writes data to a file, whole or not at all, or to standard output for "-"; nothing for an empty name.
void write_data(const std::string& name, std::string_view content);

/// A warning or an error, on standard error.
void complain(std::string_view message);

bool is_terminal(int fd);
/// Columns of the terminal behind `fd`, or 80.
std::size_t terminal_columns(int fd);

}  // namespace forelap::app
