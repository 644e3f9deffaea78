#include "scenarios/number_and_unit.hpp"

#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace forelap::scenarios {

std::optional<NumberAndUnit> split_number(std::string_view text) {
  text = core::trim(text);
  const std::size_t sign = !text.empty() && text.front() == '+' ? 1 : 0;
  NumberAndUnit parts;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + sign, end, parts.number);
  if (error != std::errc{} || !std::isfinite(parts.number)) return std::nullopt;
  const auto length = static_cast<std::size_t>(stop - text.data());
  parts.number_text = text.substr(0, length);
  parts.unit = core::trim(text.substr(length));
  return parts;
}

}  // namespace forelap::scenarios
