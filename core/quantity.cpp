#include "core/quantity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::core {
namespace {

struct Unit {
  std::string_view name;
  double factor;
  bool shown = true;  ///< used when values are written; the others are only read
};

// Ascending within what is shown, so that a value is written in the largest unit that keeps it at 1 or above.
constexpr std::array<Unit, 8> kTime = {{{"fs", 1e-15},
                                        {"ps", 1e-12},
                                        {"ns", 1e-9},
                                        {"us", 1e-6},
                                        {"ms", 1e-3},
                                        {"s", 1},
                                        {"min", 60, false},
                                        {"h", 3600, false}}};
constexpr double kKi = 1024;
constexpr std::array<Unit, 9> kBytes = {{{"B", 1},
                                         {"kB", 1e3, false},
                                         {"MB", 1e6, false},
                                         {"GB", 1e9, false},
                                         {"TB", 1e12, false},
                                         {"KiB", kKi},
                                         {"MiB", kKi* kKi},
                                         {"GiB", kKi* kKi* kKi},
                                         {"TiB", kKi* kKi* kKi* kKi}}};
constexpr std::array<Unit, 14> kRate = {{{"B/s", 1},
                                         {"kB/s", 1e3},
                                         {"MB/s", 1e6},
                                         {"GB/s", 1e9},
                                         {"TB/s", 1e12},
                                         {"KiB/s", kKi, false},
                                         {"MiB/s", kKi* kKi, false},
                                         {"GiB/s", kKi* kKi* kKi, false},
                                         {"TiB/s", kKi* kKi* kKi* kKi, false},
                                         {"bit/s", 1. / 8, false},
                                         {"kbit/s", 1e3 / 8, false},
                                         {"Mbit/s", 1e6 / 8, false},
                                         {"Gbit/s", 1e9 / 8, false},
                                         {"Tbit/s", 1e12 / 8, false}}};
constexpr std::array<Unit, 1> kFraction = {{{"%", 0.01, false}}};

std::span<const Unit> units(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return kTime;
    case Dimension::bytes:
      return kBytes;
    case Dimension::rate:
      return kRate;
    case Dimension::fraction:
      return kFraction;
    case Dimension::pure:
      break;
  }
  return {};
}

[[noreturn]] void refuse(std::string_view text, Dimension dimension, const std::string& why) {
  constexpr std::size_t kShown = 60;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown) shown += "...";
  throw_bad_input("found \"" + shown + "\", expected " + std::string(example_of(dimension)) + ": " + why);
}

/// "did you mean" for a unit in another case or spelling; lists the units otherwise.
std::string about_unit(std::string_view unit, Dimension dimension) {
  const auto lower = [](std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
  };
  std::vector<std::string> alike;
  for (const Unit& known : units(dimension)) {
    if (lower(known.name) == lower(unit)) alike.emplace_back(known.name);
  }
  const std::string what = "unknown unit \"" + std::string(unit.substr(0, 20)) + "\"";
  if (!alike.empty()) return what + "; did you mean " + join_names(alike) + "?";
  return what + "; the units are " + units_of(dimension);
}

double number_part(std::string_view text, std::string_view number, Dimension dimension) {
  const auto value = parse_number(number);
  if (!value) {
    const bool underscore = number.find('_') != std::string_view::npos;
    const bool comma = number.find(',') != std::string_view::npos;
    refuse(text, dimension,
           underscore ? "write the number without underscores"
           : comma    ? "the decimal sign is a point, and thousands are not grouped"
                      : "\"" + std::string(number.substr(0, 30)) + "\" is not a finite number");
  }
  if (*value < 0 && dimension != Dimension::pure) refuse(text, dimension, "it must not be negative");
  return *value;
}

/// Where the number ends: at the first character that no number has, "1e6" and "1 e" kept apart.
std::size_t end_of_number(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool sign = (c == '+' || c == '-') && (i == 0 || text[i - 1] == 'e' || text[i - 1] == 'E');
    const bool exponent =
        (c == 'e' || c == 'E') && i != 0 && i + 1 < text.size() &&
        (std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0 || text[i + 1] == '-' || text[i + 1] == '+');
    if (!digit && !sign && !exponent && c != '.' && c != '_' && c != ',') break;
    ++i;
  }
  return i;
}

/// YAML's and C's words for what is no finite number: .nan, -.inf, NaN, infinity.
bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  std::string word(text.substr(0, 3));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "nan" || word == "inf";
}

}  // namespace

std::string_view example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "a time such as \"12.5 us\"";
    case Dimension::bytes:
      return "a size such as \"64 MiB\"";
    case Dimension::rate:
      return "a rate such as \"24.5 GB/s\"";
    case Dimension::fraction:
      return "a fraction such as 0.9 or \"90 %\"";
    case Dimension::pure:
      break;
  }
  return "a number such as 1.5";
}

std::string units_of(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : units(dimension)) names.emplace_back(unit.name);
  return join_names(names);
}

double parse_quantity(std::string_view raw, Dimension dimension) {
  const std::string_view text = trim(raw);
  const std::size_t at = end_of_number(text);
  const std::string_view number = text.substr(0, at);
  const std::string_view unit = trim(text.substr(at));
  if (is_not_finite(text)) refuse(text, dimension, "it must be finite");
  if (number.empty()) refuse(text, dimension, "it does not start with a number");
  const double value = number_part(text, number, dimension);
  if (unit.empty()) {
    if (dimension == Dimension::pure || dimension == Dimension::fraction) return value;
    // Zero is zero in every unit, but a bare number is refused all the same: it is the next edit that goes wrong.
    refuse(text, dimension, "the unit is missing; the units are " + units_of(dimension));
  }
  for (const Unit& known : units(dimension)) {
    if (known.name != unit) continue;
    // Below 1 the exact inverse is divided by, so that "3 ns" is 3 / 1e9 and reads back from what was written.
    const double result = known.factor < 1 ? value / std::round(1 / known.factor) : value * known.factor;
    const double limit = dimension == Dimension::time ? 1e6 : 1e18;
    if (result > limit) refuse(text, dimension, "it is too large; the most is " + display_quantity(limit, dimension));
    if (dimension == Dimension::bytes && result != std::floor(result)) {
      refuse(text, dimension, "it is not a whole number of bytes");
    }
    return result;
  }
  refuse(text, dimension, dimension == Dimension::pure ? "a unit does not belong here" : about_unit(unit, dimension));
}

namespace {

/// The unit to write `value` in.
const Unit* unit_for(double value, Dimension dimension, bool exact) {
  const Unit* best = nullptr;
  for (const Unit& unit : units(dimension)) {
    if (!unit.shown) continue;
    // Sizes that are no multiple of a binary unit are exact only in bytes.
    const bool whole = value / unit.factor == std::floor(value / unit.factor);
    if (best == nullptr || (value >= unit.factor && (dimension != Dimension::bytes || !exact || whole))) best = &unit;
  }
  return best;
}

}  // namespace

std::string format_quantity(double value, Dimension dimension) {
  const Unit* unit = unit_for(value, dimension, true);
  if (unit == nullptr) return shortest(value);
  const double in_unit = unit->factor < 1 ? value * std::round(1 / unit->factor) : value / unit->factor;
  // The neighbouring doubles are tried, because scaling rounds and the text must read back to the same value.
  for (const double candidate : {in_unit, std::nextafter(in_unit, 0.0), std::nextafter(in_unit, HUGE_VAL)}) {
    const double back = unit->factor < 1 ? candidate / std::round(1 / unit->factor) : candidate * unit->factor;
    if (back == value) return shortest(candidate) + " " + std::string(unit->name);
  }
  // No number of this unit gives the value; the base unit always does.
  constexpr auto base = [](const Unit& u) { return u.factor == 1; };
  const auto all = units(dimension);
  return shortest(value) + " " + std::string(std::find_if(all.begin(), all.end(), base)->name);
}

std::string display_quantity(double value, Dimension dimension, int digits) {
  if (dimension == Dimension::fraction) return significant(value * 100, digits) + " %";
  const Unit* unit = unit_for(std::abs(value), dimension, false);
  if (unit == nullptr) return significant(value, digits);
  const double in_unit = value / unit->factor;
  // significant() would write 1234 with three digits as 1.23e+03.
  const double size = std::abs(in_unit);
  const int before = size >= 1000 ? 4 : size >= 100 ? 3 : size >= 10 ? 2 : 1;
  return fixed(in_unit, std::max(0, digits - before)) + " " + std::string(unit->name);
}

}  // namespace forelap::core
