#pragma once
// Results as a table for spreadsheets and scripts: one line a row of the set, a header line, decimal points, seconds.

#include <span>
#include <string>

#include "validate/results.hpp"

namespace forelap::validate {

/// Columns: scenario, case, order, engine, machine, device, predicted_s, predicted_low_s, predicted_high_s, median_s,
/// p10_s, p90_s, samples, cold_s, error_pct, spread_pct, extrapolated, partial, samples_s (all samples, separated by
/// spaces). Where a row is of a partition there follow weights, shares and chunks, each a number a device, separated by
/// spaces. An empty field is a figure that is not there. Quoting after RFC 4180. Where a row is of an online scenario,
/// `order` is its policy, and there follow mean_latency_s, p95_latency_s, tasks_per_second and groups, each with
/// `predicted_` and then with `measured_` before it.
std::string to_csv(const RunSet& set);
/// Several sets below one header.
std::string to_csv(std::span<const RunSet> sets);

}  // namespace forelap::validate
