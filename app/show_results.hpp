#pragma once
// Results as text: the best, median and worst order of each case, and the figures of the comparison.

#include <string>

#include "app/terminal.hpp"
#include "validate/compare.hpp"
#include "validate/results.hpp"

namespace forelap::app {

/// Heading, table, figures and notes of one set. `all` shows every row, not only the landmarks.
std::string results_text(const validate::RunSet& set, bool all, const Output& output);

/// "0.31 %" or "-" where the figure is not there.
std::string percent(const std::optional<double>& value);

}  // namespace forelap::app
