#pragma once
// Making a profile: of a device that is here, or from recorded samples; and asking whether a profile still holds.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/calibrate.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "core/stop_token.hpp"

namespace forelap::run {

struct CalibrationOptions {
  std::vector<std::string> devices = {"auto"};  ///< specifications, one device of the profile each
  std::string name;                             ///< of the profile; empty = the first device's
  /// Built-in kernels to calibrate beside `synthetic`, by which latencies and interference are measured; empty = the
  /// usual ones. Those that `scenarios` use come on top.
  std::vector<std::string> kernels;
  std::vector<std::string> scenarios;  ///< whose kernels are calibrated too
  std::vector<std::string> parts;      ///< names of calibrate::Part; empty = all
  /// With `parts`: where the rest comes from. Of recorded samples: a profile of the one device that they are of.
  std::optional<core::Machine> base;
  std::optional<double> budget_seconds;
  std::uint64_t seed = 1;
  core::Progress progress;
  core::StopToken stop;
};

struct Calibration {
  core::Machine machine;
  std::vector<calibrate::Sample> samples;
  std::vector<std::string> warnings;
  std::vector<std::string> chosen;  ///< "opencl:0 (pocl-...): why", one a device
  double seconds = 0;
  bool complete = true;
};

/// Names of the built-in kernels that a calibration measures, `synthetic` first. Throws core::Error (bad_input) for a
/// name that no kernel has.
std::vector<std::string> kernels_to_calibrate(const CalibrationOptions& options);

/// Opens, measures and fits each device. Throws core::Error.
Calibration calibrate_here(const CalibrationOptions& options);

/// Fits recorded samples of any machine (see calibrate/import.hpp). Devices, scenarios and stop play no part.
Calibration calibrate_from(const std::filesystem::path& file, const CalibrationOptions& options);

/// Measures again what the profile says, on its devices or those of `specs`. A profile of other hardware is refused.
struct Drift {
  std::vector<calibrate::DriftReport> reports;  ///< by device of the profile
  [[nodiscard]] bool drifted() const;
};
Drift check_drift(const core::Machine& profile, const std::vector<std::string>& specs,
                  const CalibrationOptions& options);

}  // namespace forelap::run
