#include "calibrate/table.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::calibrate {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kMostLines = 2'000'000;

char separator_of(std::string_view line) {
  for (const char candidate : {',', ';', '\t'}) {
    if (line.find(candidate) != std::string_view::npos) return candidate;
  }
  return ' ';
}

Cell make_cell(std::string_view line, std::size_t begin, std::size_t end) {
  while (begin < end && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
  while (end > begin && (line[end - 1] == ' ' || line[end - 1] == '\t')) --end;
  return {line.substr(begin, end - begin), begin + 1};
}

std::vector<Cell> split_blanks(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    cells.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  return cells;
}

std::vector<Cell> split_line(std::string_view line, char separator) {
  if (separator == ' ' || separator == '\t') return split_blanks(line);
  std::vector<Cell> cells;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    cells.push_back(make_cell(line, begin, end));
    if (end == line.size()) return cells;
    begin = end + 1;
  }
}

void add_line(Table& table, std::string_view line, std::size_t number, char& separator) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return;
  if (line[first] == '#') {
    const std::string_view rest = line.substr(first + 1);
    std::vector<Cell> cells = split_line(rest, separator_of(core::trim(rest)));
    for (Cell& cell : cells) cell.column += first + 1;
    table.comments.push_back({number, std::move(cells)});
    return;
  }
  if (separator == '\0') separator = separator_of(line);
  table.rows.push_back({number, split_line(line, separator)});
}

}  // namespace

Table read_table(std::string_view text, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find('\0') != std::string_view::npos) {
    core::throw_bad_input(file + ": this is binary data; expected lines of text with numbers");
  }
  Table table{file, {}, {}};
  char separator = '\0';
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number;
    if (line.size() > kLongestLine || number > kMostLines) {
      core::throw_bad_input(file + ":" + std::to_string(number) +
                            ": the file is too large; expected at most 2000000 lines of at most 65536 characters");
    }
    add_line(table, line, number, separator);
  }
  return table;
}

void fail_at(const Table& table, const Row& row, const Cell& cell, const std::string& message) {
  core::throw_bad_input(table.file + ":" + std::to_string(row.line) + ":" + std::to_string(cell.column) + ": " +
                        message);
}

double number_of(const Table& table, const Row& row, const Cell& cell, const std::string& what) {
  const std::optional<double> value = core::parse_number(cell.text);
  if (!value) {
    std::string hint;
    if (cell.text.find(',') != std::string_view::npos) hint = "; write a decimal point, not a comma";
    fail_at(table, row, cell,
            "\"" + std::string(cell.text.substr(0, 40)) + "\" is no finite number (" + what + ")" + hint);
  }
  if (*value < 0) fail_at(table, row, cell, what + " is negative: " + std::string(cell.text.substr(0, 40)));
  return *value;
}

}  // namespace forelap::calibrate
