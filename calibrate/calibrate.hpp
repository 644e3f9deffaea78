#pragma once
// Calibration as its users see it: measure and fit, fit recorded samples, ask whether a profile still holds.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibrate/campaign.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/samples.hpp"
#include "core/executor.hpp"
#include "core/machine.hpp"
#include "hw/device.hpp"

namespace forelap::calibrate {

struct Options {
  CampaignOptions campaign;
  std::string device_name = "gpu0";  ///< how scenarios name the device
};

struct Report {
  std::vector<Sample> samples;
  std::vector<std::string> warnings;  ///< of the fit and of the campaign
  std::uint32_t rounds = 0;
  double seconds = 0;
  bool complete = true;
};

/// Measures the device behind `executor` and fits its model. Parts that options leave out stay empty (keep_missing
/// takes them from an older profile). Throws core::Error.
core::DeviceModel calibrate_device(core::Executor& executor, const hw::DeviceInfo& info,
                                   std::span<const KernelProbe> probes, const Options& options, Report& report);

/// `fresh` with what it lacks (parts that were not measured) taken from `base`.
core::DeviceModel keep_missing(core::DeviceModel fresh, const core::DeviceModel& base);

/// Empty where `profile`, made on `profile_cores` usable cores, describes the device `here` on `cores_here`; else why
/// it does not, in words for the user.
std::string mismatch(const core::DeviceModel& profile, std::uint32_t profile_cores, const hw::DeviceInfo& here,
                     std::uint32_t cores_here);

/// One fresh measurement against the profile.
struct DriftRow {
  Part part = Part::transfer;
  std::string what;      ///< "transfer htod pinned 48 MB"
  double expected = 0;   ///< seconds; for interference the rate
  double measured = 0;   ///< the same, median
  double spread = 0;     ///< of the expectation, relative
  double deviation = 0;  ///< measured / expected - 1
  bool drifted = false;  ///< beyond 3 spreads and beyond 2 %
};

struct DriftReport {
  std::vector<DriftRow> rows;
  [[nodiscard]] bool drifted() const;
};

/// A few fresh measurements of each part of `profile` that can be measured here (kernels: those of `probes`), compared
/// with it: a few seconds on a GPU. Throws core::Error.
DriftReport check(core::Executor& executor, const core::DeviceModel& profile, std::span<const KernelProbe> probes,
                  const CampaignOptions& options);

}  // namespace forelap::calibrate
