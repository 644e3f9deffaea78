#pragma once
// Profiles and their drift as text.

#include <string>

#include "app/terminal.hpp"
#include "calibrate/calibrate.hpp"
#include "core/machine.hpp"

namespace forelap::app {

/// The main parameters of every device with their spreads.
std::string machine_text(const core::Machine& machine, const Output& output);

/// One line a fresh measurement, against what the profile says.
std::string drift_text(const calibrate::DriftReport& report, const Output& output);

}  // namespace forelap::app
