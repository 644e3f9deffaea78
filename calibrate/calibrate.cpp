#include "calibrate/calibrate.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace forelap::calibrate {
namespace {

bool was_measured(const core::Parameter& p) {
  return p.samples > 0;
}

template <class T, class Same>
void take_missing(std::vector<T>& fresh, const std::vector<T>& base, Same same) {
  for (const T& old : base) {
    const bool there = std::any_of(fresh.begin(), fresh.end(), [&](const T& item) { return same(item, old); });
    if (!there) fresh.push_back(old);
  }
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

}  // namespace

core::DeviceModel calibrate_device(core::Executor& executor, const hw::DeviceInfo& info,
                                   std::span<const KernelProbe> probes, const Options& options, Report& report) {
  CampaignResult result = run_campaign(executor, info, probes, options.campaign);
  report.samples = std::move(result.samples);
  report.rounds = result.rounds;
  report.seconds = result.seconds;
  report.complete = result.complete;
  report.warnings = std::move(result.notes);
  if (report.samples.empty()) core::throw_device_failed("the calibration was stopped before its first measurement");
  FitOptions fit;
  fit.name = options.device_name;
  fit.identity = info.identity;
  fit.memory_bytes = static_cast<double>(info.memory_bytes);
  fit.largest_allocation = static_cast<double>(info.largest_allocation);
  return fit_samples(report.samples, fit, report.warnings);
}

core::DeviceModel keep_missing(core::DeviceModel fresh, const core::DeviceModel& base) {
  if (!was_measured(fresh.copy_engines)) fresh.copy_engines = base.copy_engines;
  if (!was_measured(fresh.run_overhead)) fresh.run_overhead = base.run_overhead;
  if (!was_measured(fresh.hop)) fresh.hop = base.hop;
  if (!was_measured(fresh.submit)) fresh.submit = base.submit;
  take_missing(fresh.transfers, base.transfers,
               [](const auto& a, const auto& b) { return a.direction == b.direction && a.memory == b.memory; });
  take_missing(fresh.kernels, base.kernels, [](const auto& a, const auto& b) { return a.kernel == b.kernel; });
  if (fresh.interference.empty()) fresh.interference = base.interference;
  return fresh;
}

std::string mismatch(const core::DeviceModel& profile, std::uint32_t profile_cores, const hw::DeviceInfo& here,
                     std::uint32_t cores_here) {
  const core::DeviceIdentity& was = profile.identity;
  const core::DeviceIdentity& is = here.identity;
  const std::string again = "; calibrate here, or give the profile of this machine";
  if (was.backend != is.backend) {
    return "the profile is of backend " + quoted(was.backend) + ", this device is of " + quoted(is.backend) + again;
  }
  if (was.name != is.name) {
    return "the profile is of device " + quoted(was.name) + ", this device is " + quoted(is.name) + again;
  }
  if (was.platform != is.platform) {
    return "the profile is of platform " + quoted(was.platform) + ", this device is on " + quoted(is.platform) + again;
  }
  if (was.driver != is.driver) {
    return "the profile was made with driver " + quoted(was.driver) + ", this device has " + quoted(is.driver) + again;
  }
  if (was.compute_units != is.compute_units) {
    return "the profile is of a device with " + std::to_string(was.compute_units) + " compute units, this one has " +
           std::to_string(is.compute_units) + again;
  }
  if (profile_cores != cores_here) {
    return "the profile was made with " + std::to_string(profile_cores) + " usable cores, this process may use " +
           std::to_string(cores_here) + again;
  }
  return {};
}

}  // namespace forelap::calibrate
