#pragma once
// The parts of a quantity's text, where a reader must look at them before it knows what it reads.

#include <optional>
#include <string_view>

namespace forelap::scenarios {

struct NumberAndUnit {
  double number = 0;
  std::string_view number_text;
  std::string_view unit;  ///< may be empty
};

/// "0.5 ms" as 0.5 and "ms"; nothing where the text does not start with a finite number. Locale plays no part.
std::optional<NumberAndUnit> split_number(std::string_view text);

}  // namespace forelap::scenarios
