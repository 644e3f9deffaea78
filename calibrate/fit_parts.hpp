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

struct Transfers {
  std::vector<core::TransferModel> models;
  /// Seconds that the first transfer to the device takes beside its model: what a run's makespan holds where it begins
  /// with one. Nothing where no size was measured with several counts.
  std::optional<core::Parameter> start;
};

Transfers fit_transfers(std::span<const Sample> samples, const core::Parameter& run_overhead, const std::string& how,
                        Warnings& warnings);

/// What part of the device launches occupy.
struct Occupied {
  core::Parameter fill;        ///< of the largest launches measured
  core::Parameter full_items;  ///< 0 where smaller launches leave no more room than those
};

/// From equal launches side by side on 2, 4, ... lanes against one alone: n of N items each take
/// models::side_by_side_stretch(fill * min(1, N / full_items), n) times as long. `overhead` in seconds is taken off
/// each time. Kernels in passes are rows of launches whose starts overlap the work of other lanes: n rows take
/// max(start + work, n fill work) a launch. They tell of launches that are long against their start only, and where
/// none is, fill is taken as 1 and a warning says so.
Occupied fit_fill(std::span<const Sample> samples, const std::string& kernel, double overhead, const std::string& how,
                  Warnings& warnings);

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

/// The relative spread of each of the fit's parameters: its standard error, the misfit of those equations that it
/// dominates (a rate is not made uncertain by small sizes, which latency rules, nor a latency by large ones), and the
/// deviation between rounds, added as squares. Equations and points are those of the stretch.
std::array<double, kMostParameters> relative_spreads(const LinearFit& fit, std::span<const Equation> equations,
                                                     std::span<const Point> points);

/// Number of samples behind `points`.
std::uint32_t count_samples(std::span<const Point> points);

}  // namespace forelap::calibrate
