#include "core/number_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace forelap::core {

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string fixed(double value, int decimals) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  return {buffer.data(), end};
}

std::string significant(double value, int digits) {
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  const std::string text(buffer.data(), end);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  // People read 1556 and 0.00001556 more easily than 1.56e+03 and 1.556e-05; very long numbers they do not.
  constexpr double kLarge = 1e15;
  constexpr double kSmall = 1e-9;
  const double size = std::abs(value);
  if (size >= kLarge || size < kSmall) return text;
  if (size >= 1) return fixed(value, 0);
  const auto zeros = static_cast<int>(std::strtol(text.c_str() + exponent + 2, nullptr, 10));
  std::string small = fixed(value, zeros + digits - 1);
  small.erase(small.find_last_not_of('0') + 1);
  return small;
}

}  // namespace forelap::core
