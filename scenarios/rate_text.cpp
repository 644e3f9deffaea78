#include "scenarios/rate_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"
#include "core/text.hpp"
#include "scenarios/number_and_unit.hpp"

namespace forelap::scenarios {
namespace {

/// A rate in extended precision, bytes a second; core::parse_quantity judges the text.
long double wide_rate(std::string_view text) {
  const double value = core::parse_quantity(text, core::Dimension::rate);
  const auto parts = split_number(text);
  long double number = 0;
  const std::string_view digits = parts->number_text.substr(parts->number_text.front() == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{}) return value;
  return number * core::parse_quantity("1 " + std::string(parts->unit), core::Dimension::rate);
}

std::string_view unit_for(long double rate) {
  return rate >= 1e9L ? "GB/s" : rate >= 1e6L ? "MB/s" : "B/s";
}

/// The shortest text near `rate` for which `reads_back` holds, or empty.
template <class Test>
std::string search(long double rate, Test&& reads_back) {
  constexpr int kDoubleDigits = 17;
  constexpr int kWideDigits = 24;
  const std::string unit = " " + std::string(unit_for(rate));
  const long double scaled = rate / core::parse_quantity("1" + unit, core::Dimension::rate);
  for (int digits = 1; digits <= kWideDigits; ++digits) {
    std::string text;
    if (digits <= kDoubleDigits) {
      // Rounded first, then written in the shortest way: 900, not 9e+02.
      const auto rounded = core::parse_number(core::significant(static_cast<double>(scaled), digits));
      text = core::shortest(rounded.value_or(0));
    } else {
      std::array<char, 64> buffer{};
      const auto [end, error] =
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), scaled, std::chars_format::general, digits);
      text.assign(buffer.data(), end);
    }
    if (reads_back(text + unit)) return text + unit;
  }
  return {};
}

}  // namespace

double seconds_per_byte(std::string_view rate) {
  const long double value = wide_rate(rate);
  if (!(value > 0)) core::throw_bad_input("found \"" + std::string(rate) + "\", expected a rate above zero");
  return static_cast<double>(1 / value);
}

double spread_of_seconds(std::string_view spread, std::string_view rate) {
  const long double value = wide_rate(rate);
  return static_cast<double>(wide_rate(spread) / value / value);
}

std::string rate_text(double seconds) {
  constexpr long double kFastest = 1e18L;
  if (!(seconds > 0) || 1 / static_cast<long double>(seconds) > kFastest) return {};
  return search(1 / static_cast<long double>(seconds),
                [seconds](const std::string& text) { return seconds_per_byte(text) == seconds; });
}

std::string rate_spread_text(double spread, std::string_view rate) {
  const long double value = wide_rate(rate);
  const long double guess = static_cast<long double>(spread) * value * value;
  return search(guess, [&](const std::string& text) { return spread_of_seconds(text, rate) == spread; });
}

}  // namespace forelap::scenarios
