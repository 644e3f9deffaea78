#include "app/table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "core/text.hpp"

namespace forelap::app {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestColumn = 8;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The first `columns` code points, the last two as dots where something is cut.
std::string cut(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  std::string kept;
  std::size_t width = 0;
  for (const char c : text) {
    if (!continues(c) && ++width > columns - 2) break;
    kept += c;
  }
  return kept + "..";
}

std::string padded(const std::string& text, std::size_t columns, Align align) {
  const std::string space(columns - std::min(columns, display_width(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  if (row.size() != columns_.size()) throw std::invalid_argument("a table's row does not fit its columns");
  for (auto& cell : row) cell = core::printable(cell);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::column_widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].title);
    for (const auto& row : rows_) widest = std::max(widest, display_width(row[c]));
    widths.push_back(widest);
  }
  const auto total = [&widths] {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + kGap * (widths.size() - 1);
  };
  // The widest shrinking column gives way first, a column at a time.
  while (total() > width) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].shrinks || widths[c] <= kNarrowestColumn) continue;
      if (widest == columns_.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::render(std::size_t width, bool colours) const {
  const auto widths = column_widths(width);
  std::vector<std::string> titles;
  for (const auto& column : columns_) titles.push_back(column.title);
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c != 0) text.append(kGap, ' ');
      text += padded(cut(row[c], widths[c]), widths[c], columns_[c].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string text = colours ? "\033[1m" + line(titles) + "\033[0m\n" : line(titles) + "\n";
  for (const auto& row : rows_) text += line(row) + "\n";
  return text;
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  for (const auto& word : core::split(core::printable(text, true), ' ')) {
    const std::size_t length = display_width(word);
    if (column != 0 && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  return out;
}

}  // namespace forelap::app
