#include "calibrate/fit.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit_parts.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"

namespace forelap::calibrate {
namespace {

core::Parameter submit_parameter(const core::Parameter& run_overhead) {
  core::Parameter submit;
  submit.samples = run_overhead.samples;
  submit.how = "not visible in a run: commands are handed over before the release; what is left is in the fixed parts";
  return submit;
}

/// One sentence over all where the rates that matter most scatter so much that predictions will.
void warn_of_unrest(const core::DeviceModel& device, std::vector<std::string>& warnings) {
  constexpr double kUnrest = 0.15;
  double worst = 0;
  const auto look = [&worst](const core::Parameter& p) {
    if (p.value > 0) worst = std::max(worst, p.spread / p.value);
  };
  for (const core::TransferModel& model : device.transfers) {
    if (model.memory == core::MemoryKind::pinned) look(model.pieces.back().per_byte);
  }
  for (const core::KernelModel& model : device.kernels) look(model.pieces.back().per_work);
  if (worst <= kUnrest) return;
  warnings.push_back("rates scatter by up to " + core::significant(100 * worst, 2) +
                     " %: predictions from this profile will be off by about as much. Something else used the device "
                     "or the cores; calibrate again when they are idle");
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

std::array<double, kMostParameters> relative_spreads(const LinearFit& fit, std::span<const Equation> equations,
                                                     std::span<const Point> points) {
  constexpr double kOfOneSample = 0.1;
  // A share of 0.95 of an equation's time counts about half, one of 0.8 next to nothing.
  constexpr int kSteepness = 14;
  std::array<double, kMostParameters> spreads{};
  if (count_samples(points) < 2) {
    spreads.fill(kOfOneSample);
    return spreads;
  }
  const double drift = round_deviation(points);
  for (std::size_t k = 0; k < kMostParameters; ++k) {
    double dominated = 0, weights = 0, squares = 0;
    for (const Equation& e : equations) {
      double predicted = 0;
      for (std::size_t i = 0; i < kMostParameters; ++i) predicted += e.x[i] * fit.value[i];
      const double own = e.x[k] * fit.value[k];
      if (own <= 0 || predicted <= 0) continue;
      const double share = std::pow(own / predicted, kSteepness);
      const double weight = share * std::pow(e.y / e.sigma, 2);
      dominated += share;
      weights += weight;
      squares += weight * std::pow((predicted - e.y) / own, 2);
    }
    // What no equation shows by itself is as uncertain as the whole line, and by its own standard error.
    const double error = fit.value[k] > 0 ? std::min(1.0, fit.error[k] / fit.value[k]) : 0;
    const double misfit = dominated >= 1 ? std::sqrt(squares / weights) : std::hypot(fit.misfit, error);
    spreads[k] = std::sqrt(misfit * misfit + error * error + drift * drift);
  }
  return spreads;
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
  Transfers transfers = fit_transfers(cleaned, latencies.run_overhead, options.how, warnings);
  device.transfers = std::move(transfers.models);
  // Most runs begin with a transfer, whose engine takes longer to start than a kernel.
  if (transfers.start) device.run_overhead = *transfers.start;
  device.kernels = fit_kernels(cleaned, latencies.run_overhead, options.identity.compute_units, options.how, warnings);
  const auto engines = fit_copy_engines(cleaned, device.run_overhead, options.how, warnings);
  if (engines) {
    device.copy_engines = *engines;
  } else {
    device.copy_engines = {1, 0, 0, true, "not measured: taken as one, the careful choice"};
  }
  device.interference = fit_interference(cleaned, device, options.how, warnings);
  if (engines && engines->value < 2) {
    // Opposite transfers never meet on one engine.
    std::erase_if(device.interference, [](const core::InterferenceRow& row) {
      return (row.active & core::bit(core::ActivityClass::htod)) != 0 &&
             (row.active & core::bit(core::ActivityClass::dtoh)) != 0;
    });
  }
  warn_of_unrest(device, warnings);
  return device;
}

}  // namespace forelap::calibrate
