#pragma once
// What a study found, as a table.

#include <string>

#include "app/terminal.hpp"
#include "validate/results.hpp"

namespace forelap::app {

/// One line a case and the mean shares of the gain; empty where the set is no study or no case is complete.
std::string study_text(const validate::RunSet& set, const Output& output);

}  // namespace forelap::app
