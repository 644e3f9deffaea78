#pragma once
// Numbers to text and back, the same in every locale.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace forelap::core {

/// The whole of `text` as a finite decimal number ("1e6", "-0.5"); nothing for anything else (spaces, a decimal comma,
/// NaN, infinity, a trailing unit).
std::optional<double> parse_number(std::string_view text);
/// The whole of `text` as an unsigned whole number ("64", "1_000_000" and "1e6" are not).
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The shortest text that reads back to the same double.
std::string shortest(double value);
/// With `decimals` digits after the point.
std::string fixed(double value, int decimals);
/// For people: with `digits` significant digits, no trailing zeros; an exponent only from 1e15 on and below 1e-9.
std::string significant(double value, int digits);

}  // namespace forelap::core
