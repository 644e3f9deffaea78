#include "evolve/gp/cases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::evolve::gp {
namespace {

/// Where a column's values go.
struct Place {
  std::uint32_t slot = 0;
  Type type = Type::int32;
  bool expected = false;
};

std::vector<std::string> column_names(const Scope& scope) {
  std::vector<std::string> names = {"expected"};
  for (const Variable& variable : scope.variables) names.push_back(variable.name);
  return names;
}

Place place_of(const std::string& column, const Scope& scope, Type result) {
  if (column == "expected") return {0, result, true};
  const std::size_t bracket = column.find('[');
  const Variable* variable = scope.find(column.substr(0, bracket));
  if (variable != nullptr && variable->length == 0 && bracket == std::string::npos) {
    return {variable->slot, variable->type, false};
  }
  if (variable != nullptr && bracket != std::string::npos && column.back() == ']') {
    const auto index = core::parse_whole(std::string_view(column).substr(bracket + 1, column.size() - bracket - 2));
    if (index && *index < variable->length) {
      return {variable->slot + static_cast<std::uint32_t>(*index), variable->type, false};
    }
  }
  const std::vector<std::string> names = column_names(scope);
  core::throw_bad_input("column '" + core::printable(column) + "' of the cases is no input; expected " +
                        core::join_names(names) + ", elements of arrays as NAME[0], NAME[1] ...");
}

std::vector<Place> places_of(const CaseTable& table, const Scope& scope, Type result) {
  std::vector<Place> places;
  for (const std::string& column : table.columns) {
    if (std::count(table.columns.begin(), table.columns.end(), column) > 1) {
      core::throw_bad_input("column '" + core::printable(column) + "' of the cases stands twice");
    }
    places.push_back(place_of(column, scope, result));
  }
  std::vector<std::string> needed = {"expected"};
  for (const Variable& variable : scope.variables) {
    if (variable.length == 0) needed.push_back(variable.name);
  }
  for (const std::string& name : needed) {
    if (std::find(table.columns.begin(), table.columns.end(), name) == table.columns.end()) {
      core::throw_bad_input("the cases have no column '" + name + "'");
    }
  }
  return places;
}

}  // namespace

std::uint32_t word_of(double value, Type type, const std::string& what) {
  if (type == Type::float32) {
    if (std::isfinite(value) && std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max())) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
  } else if (value == std::floor(value) && value >= -2147483648.0 && value <= 4294967295.0) {
    // Either kind of whole number may be written in either way: -1 is the word 0xffffffff.
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
  core::throw_bad_input(what + " is " + (std::isnan(value) ? "not a number" : core::shortest(value)) + ", which no " +
                        std::string(type_name(type)) + " holds");
}

double number_of(std::uint32_t word, Type type) {
  if (type == Type::float32) return static_cast<double>(std::bit_cast<float>(word));
  return type == Type::int32 ? static_cast<double>(std::bit_cast<std::int32_t>(word)) : static_cast<double>(word);
}

Cases cases_of(const CaseTable& table, const Scope& scope, Type result) {
  const std::vector<Place> places = places_of(table, scope, result);
  if (table.rows.empty()) core::throw_bad_input("the table of cases has no rows");
  Cases cases;
  cases.row_words = scope.input_words;
  if (table.rows.size() > kMaxCaseWords / std::max(scope.input_words, 1U)) core::throw_bad_input("too many cases");
  cases.inputs.assign(table.rows.size() * cases.row_words, 0);
  cases.expected.assign(table.rows.size(), 0);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<double>& row = table.rows[r];
    if (row.size() != places.size()) {
      core::throw_bad_input("case " + std::to_string(r + 1) + " has " + std::to_string(row.size()) +
                            " values; expected " + std::to_string(places.size()) + ", one a column");
    }
    for (std::size_t c = 0; c < places.size(); ++c) {
      const std::string what = "'" + table.columns[c] + "' of case " + std::to_string(r + 1);
      const std::uint32_t word = word_of(row[c], places[c].type, what);
      (places[c].expected ? cases.expected[r] : cases.inputs[r * cases.row_words + places[c].slot]) = word;
    }
  }
  return cases;
}

}  // namespace forelap::evolve::gp
