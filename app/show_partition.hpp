#pragma once
// The tuning of a partition as text.

#include <string>

#include "app/terminal.hpp"
#include "run/partition_tuning.hpp"

namespace forelap::app {

/// The chosen shares by device, what they gain, what else was weighed, and what was measured.
std::string division_text(const run::TunedPartition& tuned, const Output& output);

}  // namespace forelap::app
