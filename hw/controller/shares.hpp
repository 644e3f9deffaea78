#pragma once
// Weights and the shares that they give.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace forelap::hw::controller {

/// Throws core::Error (bad_input), naming what the weights are of, unless there is one for each of `devices` devices,
/// each finite and 0 or more, one above 0.
void check_weights(std::span<const double> weights, std::size_t devices, const std::string& what);

/// Splits `total` >= 0 by checked weights, so that the parts sum to it exactly: each gets the whole part of its share,
/// and what is left goes one by one to the largest remainders (of equal ones the first). A weight of 0 gets nothing.
std::vector<std::int64_t> split_by_weights(std::int64_t total, std::span<const double> weights);

}  // namespace forelap::hw::controller
