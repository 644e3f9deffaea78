#pragma once
// Seconds a byte written as the rate that people know: "55.4 GB/s". Reading inverts, so the text is chosen such that
// it reads back to the very same double; where 17 digits cannot do that, a few more are written.

#include <string>
#include <string_view>

namespace forelap::scenarios {

/// Throws core::Error (bad_input) where the text is no positive rate.
double seconds_per_byte(std::string_view rate);
/// The spread of seconds a byte whose rate spreads by `spread` around `rate`: in the same proportion.
double spread_of_seconds(std::string_view spread, std::string_view rate);

/// Empty where no rate reads back to `seconds` (zero, or beyond the range of rates).
std::string rate_text(double seconds_per_byte);
std::string rate_spread_text(double spread_of_seconds, std::string_view rate);

}  // namespace forelap::scenarios
