#pragma once
// Quantities with units, as scenario and machine files write them: "24.5 GB/s", "12 us", "64 MiB".
//
// Decimal prefixes (k, M, G, T) are powers of 1000, binary ones (Ki, Mi, Gi, Ti) powers of 1024; B is bytes, bit is
// bits. A bare number is refused where a unit belongs.

#include <string>
#include <string_view>

namespace forelap::core {

enum class Dimension {
  time,      ///< seconds: fs, ps, ns, us, ms, s, min, h
  bytes,     ///< bytes: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB (fractions that give whole bytes are fine)
  rate,      ///< bytes a second: any of bytes, or bit, kbit, Mbit, Gbit, Tbit, each with "/s"
  pure,      ///< a plain number without a unit
  fraction,  ///< a plain number or a percentage "90 %"
};

/// The value of `text` in the base unit. Throws core::Error (bad_input) saying what was found, what is expected and an
/// example; a unit in another case or spelling is named ("did you mean"). Negative, NaN and infinite values are refused
/// except negative ones of `pure`.
double parse_quantity(std::string_view text, Dimension dimension);

/// Text that reads back to the same value: `time` in the largest unit that keeps it at 1 or above, and so on. "12.5
/// us".
std::string format_quantity(double value, Dimension dimension);
/// The same for people: `digits` significant digits.
std::string display_quantity(double value, Dimension dimension, int digits = 4);

/// A value of `dimension` in words, for messages and the schema: "a time such as \"12.5 us\"".
std::string_view example_of(Dimension dimension);

/// Units that `dimension` knows, for messages and the schema: "fs, ps, ns, us, ms, s, min and h".
std::string units_of(Dimension dimension);

}  // namespace forelap::core
