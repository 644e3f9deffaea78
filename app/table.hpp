#pragma once
// Text tables that fit a width.

#include <cstddef>
#include <string>
#include <vector>

namespace forelap::app {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::right;
  bool shrinks = false;  ///< its texts may be cut ("T0 T1..") where the table is too wide
};

/// Rows of UTF-8 texts below titles, columns two spaces apart.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// A row of as many texts as there are columns.
  void add(std::vector<std::string> row);
  /// The table, at most `width` columns wide where shrinking columns (to no less than 8) make that possible. Titles are
  /// bold with `colours`.
  [[nodiscard]] std::string render(std::size_t width, bool colours) const;

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t width) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns that a UTF-8 text takes, one a code point.
std::size_t display_width(const std::string& text);
/// `text` broken at spaces into lines of at most `width` columns, each after the first behind `indent` spaces.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace forelap::app
