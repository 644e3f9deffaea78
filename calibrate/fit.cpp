#include "calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit_parts.hpp"
#include "core/error.hpp"

namespace forelap::calibrate {
namespace {

core::Parameter submit_parameter(const core::Parameter& run_overhead) {
  core::Parameter submit;
  submit.samples = run_overhead.samples;
  submit.how = "not visible in a run: commands are handed over before the release; what is left is in the fixed parts";
  return submit;
}

}  // namespace

Equation equation_of(const Point& point, const core::Parameter& run_overhead) {
  const double count = point.what.count;
  const double seconds = point.median();
  const double noise = point.median_noise(kNoiseFloor);
  Equation e;
  e.x = {count, count * point.what.bytes, 0};
  e.y = seconds - run_overhead.value;
  e.sigma = std::hypot(noise * seconds, run_overhead.spread);
  return e;
}

double relative_spread(const LinearFit& fit, std::span<const Point> points) {
  constexpr double kOfOneSample = 0.1;
  if (count_samples(points) < 2) return kOfOneSample;
  return std::sqrt(fit.uncertainty * fit.uncertainty + fit.misfit * fit.misfit + std::pow(round_deviation(points), 2));
}

std::uint32_t count_samples(std::span<const Point> points) {
  std::size_t n = 0;
  for (const Point& p : points) n += p.seconds.size();
  return static_cast<std::uint32_t>(n);
}

core::DeviceModel fit_samples(std::span<const Sample> samples, const FitOptions& options,
                              std::vector<std::string>& warnings) {
  if (samples.empty()) core::throw_bad_input("no samples: there is nothing to fit");
  const std::vector<Sample> cleaned = clean(samples, warnings);
  core::DeviceModel device;
  device.name = options.name;
  device.identity = options.identity;
  device.memory_bytes = options.memory_bytes;
  device.largest_allocation = options.largest_allocation;
  const Latencies latencies = fit_latencies(cleaned, options.how, warnings);
  device.run_overhead = latencies.run_overhead;
  device.hop = latencies.hop;
  device.submit = submit_parameter(device.run_overhead);
  device.transfers = fit_transfers(cleaned, device.run_overhead, options.how, warnings);
  device.kernels = fit_kernels(cleaned, device.run_overhead, options.identity.compute_units, options.how, warnings);
  const auto engines = fit_copy_engines(cleaned, device.run_overhead, options.how, warnings);
  if (engines) {
    device.copy_engines = *engines;
  } else {
    device.copy_engines = {1, 0, 0, true, "not measured: taken as one, the careful choice"};
  }
  device.interference = fit_interference(cleaned, device, options.how, warnings);
  if (device.copy_engines.value < 2) {
    // Opposite transfers never meet on one engine.
    std::erase_if(device.interference, [](const core::InterferenceRow& row) {
      return (row.active & core::bit(core::ActivityClass::htod)) != 0 &&
             (row.active & core::bit(core::ActivityClass::dtoh)) != 0;
    });
  }
  return device;
}

}  // namespace forelap::calibrate
