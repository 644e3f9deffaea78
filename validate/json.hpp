#pragma once
// Result files: a RunSet as JSON. Carries `schema`, `forelap` (version), `machine` and `seed`; a set with measurements
// and predictions carries `summary`. No NaN or infinity: a figure that is not there is null. Locale plays no part.

#include <span>
#include <string>
#include <string_view>

#include "validate/compare.hpp"
#include "validate/results.hpp"

namespace forelap::validate {

/// The format's name and version, the value of `schema`.
inline constexpr std::string_view kResultSchema = "forelap.result/1";
inline constexpr std::string_view kResultListSchema = "forelap.results/1";

/// The set, its summary and each row's figures.
std::string to_json(const RunSet& set);

/// Several sets as one document (schema forelap.results/1): `sets`, and a summary over all rows.
std::string to_json(std::span<const RunSet> sets);

/// Strict: unknown or duplicate keys, wrong types, numbers out of range and another schema version are core::Error
/// (bad_input) naming the file and the key's path. `summary` and the figures of rows are not read: they follow from the
/// samples.
RunSet from_json(std::string_view text, const std::string& file);

}  // namespace forelap::validate
