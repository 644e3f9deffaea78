#pragma once
// A tuning as text.

#include <string>

#include "app/terminal.hpp"
#include "run/tuning.hpp"

namespace forelap::app {

/// One block a case: the choice beside other orders, the bound, what the time hangs on, ties, what was measured.
std::string tuning_text(const run::Tuned& tuned, const Output& output);

}  // namespace forelap::app
