#pragma once
// From samples to a device model: weighted least squares on relative errors, over the medians of each point.
//
// The equations are those that predictions use (models/cost.hpp):
//   makespan of `count` equal commands on one lane = start + count (fixed + size per_byte); run_overhead is the start
//   of page-locked transfers to the device, with which most runs begin a chain over lanes adds `hop` at each crossing
//   rate of a class in a set = solo work time / work time while the set is active, both without the fixed part
//
// A parameter's spread is what a user of the model meets: the fit's standard error, the deviation between rounds
// (drift) and the misfit of the line, added as squares.
//
// Pure functions; any thread.

#include <span>
#include <string>
#include <vector>

#include "calibrate/samples.hpp"
#include "core/machine.hpp"

namespace forelap::calibrate {

/// What samples do not say.
struct FitOptions {
  std::string name = "gpu0";
  core::DeviceIdentity identity;
  double memory_bytes = 0;
  double largest_allocation = 0;
  std::string how = "measured";  ///< provenance of every parameter
};

/// The model of the device that `samples` were taken on. Parts without samples stay empty; their parameters say so.
/// What was left out, clamped or could not be told is added to `warnings`, one sentence each. Throws core::Error
/// (bad_input) where nothing usable is left.
core::DeviceModel fit_samples(std::span<const Sample> samples, const FitOptions& options,
                              std::vector<std::string>& warnings);

}  // namespace forelap::calibrate
