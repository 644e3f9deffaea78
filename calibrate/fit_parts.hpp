#pragma once
// The fits of the single parts, which fit_samples puts together. Internal to calibrate/. All take cleaned samples.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/clean.hpp"
#include "calibrate/pieces.hpp"
#include "calibrate/samples.hpp"
#include "core/machine.hpp"

namespace forelap::calibrate {

/// Below this relative noise a point is not trusted more: what models leave out is of that order.
inline constexpr double kNoiseFloor = 0.004;

struct Latencies {
  core::Parameter run_overhead;
  core::Parameter hop;
};

Latencies fit_latencies(std::span<const Sample> samples, const std::string& how, Warnings& warnings);

std::vector<core::TransferModel> fit_transfers(std::span<const Sample> samples, const core::Parameter& run_overhead,
                                               const std::string& how, Warnings& warnings);

/// `compute_units` of the device tell how much a last, partly filled wave of work-groups matters: launches of few waves
/// weigh less. 0 where not known.
std::vector<core::KernelModel> fit_kernels(std::span<const Sample> samples, const core::Parameter& run_overhead,
                                           std::uint32_t compute_units, const std::string& how, Warnings& warnings);

/// 2 where opposite transfers overlap by more than half of the shorter one, else 1. Nothing where not measured.
std::optional<core::Parameter> fit_copy_engines(std::span<const Sample> samples, const core::Parameter& run_overhead,
                                                const std::string& how, Warnings& warnings);

/// Rows of the interference table; `device` has its transfers and kernels, whose fixed parts are taken off.
std::vector<core::InterferenceRow> fit_interference(std::span<const Sample> samples, const core::DeviceModel& device,
                                                    const std::string& how, Warnings& warnings);

// ---- shared by them ----

/// The equation of a point: y = median - overhead.
Equation equation_of(const Point& point, const core::Parameter& run_overhead);

/// What a user of a line meets, relative: its standard error, the deviation between the rounds of `points`, and its
/// misfit.
double relative_spread(const LinearFit& fit, std::span<const Point> points);

/// Number of samples behind `points`.
std::uint32_t count_samples(std::span<const Point> points);

}  // namespace forelap::calibrate
