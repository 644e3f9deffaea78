#include "validate/published.hpp"

#include <cmath>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "validate/json_reader.hpp"

namespace forelap::validate {
namespace {

std::string digits_of(const JsonView& row, const std::string& key) {
  if (!row.has(key)) return "";
  const auto view = row.at(key);
  auto text = view.text();
  if (!core::parse_number(text)) view.fail("expected a number in quotes, such as \"2.477\"");
  return text;
}

PublishedRow read_row(const JsonView& view, const PublishedRow& table) {
  view.only({"scenario", "best", "geometric_mean", "worst"});
  PublishedRow row = table;
  row.scenario = view.at("scenario").text();
  row.best = digits_of(view, "best");
  row.geometric_mean = digits_of(view, "geometric_mean");
  row.worst = digits_of(view, "worst");
  return row;
}

}  // namespace

std::vector<PublishedRow> load_published(const std::filesystem::path& file) {
  const JsonDocument document(core::read_file(file, std::size_t{1} << 20), file.string());
  const JsonView view = document.root();
  view.only({"source", "unit_s", "tables"});
  std::vector<PublishedRow> rows;
  for (const auto& table_view : view.at("tables").items()) {
    table_view.only({"machine", "set", "rows"});
    PublishedRow table;
    table.source = view.at("source").text();
    table.unit = view.at("unit_s").seconds();
    table.machine = table_view.at("machine").text();
    if (table_view.has("set")) {
      for (const auto& item : table_view.at("set").items()) {
        item.only({"path", "value"});
        table.overrides.emplace_back(item.at("path").text(), item.at("value").text());
      }
    }
    for (const auto& item : table_view.at("rows").items()) rows.push_back(read_row(item, table));
  }
  return rows;
}

bool equal_to_digits(double value, const std::string& published, double unit) {
  const auto number = core::parse_number(published);
  if (!number || !(unit > 0)) return false;
  const auto point = published.find('.');
  const auto decimals = point == std::string::npos ? 0 : published.size() - point - 1;
  double half = 0.5;
  for (std::size_t i = 0; i < decimals; ++i) half /= 10;
  return std::abs(value - *number * unit) <= half * unit + 1e-12;
}

}  // namespace forelap::validate
