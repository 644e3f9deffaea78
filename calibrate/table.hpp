#pragma once
// Lines of cells, as CSV and column files have them, with the place of each cell for messages. Internal to calibrate/.

#include <string>
#include <string_view>
#include <vector>

namespace forelap::calibrate {

struct Cell {
  std::string_view text;   ///< trimmed; points into the text that was read
  std::size_t column = 1;  ///< of its first character, from 1
};

struct Row {
  std::size_t line = 1;  ///< from 1
  std::vector<Cell> cells;
};

struct Table {
  std::string file;
  std::vector<Row> rows;      ///< without comments and blank lines
  std::vector<Row> comments;  ///< cells of the lines that start with '#', the sign left out
};

/// Splits `text` at commas, semicolons, tabs or spaces, whichever its first line of data has (in this order). Throws
/// core::Error (bad_input) for binary data, a line over 64 KiB, or more than 2,000,000 lines.
Table read_table(std::string_view text, const std::string& file);

/// Throws core::Error (bad_input): "file:line:column: message".
[[noreturn]] void fail_at(const Table& table, const Row& row, const Cell& cell, const std::string& message);

/// The cell as a finite number >= 0; `what` names it in messages.
double number_of(const Table& table, const Row& row, const Cell& cell, const std::string& what);

}  // namespace forelap::calibrate
