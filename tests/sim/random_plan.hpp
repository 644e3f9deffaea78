#pragma once
// Random plans and machines for the tests of both simulators: every step kind, zero sizes, ties, one and two copy
// engines, asymmetric interference, several devices, kernels that fill part of a device, lengths from microseconds to
// seconds. The same seed gives the same case on every platform.

#include <cstddef>
#include <cstdint>

#include "core/machine.hpp"
#include "core/plan.hpp"

namespace forelap::tests {

struct RandomCase {
  core::Machine machine;
  core::Plan plan;
};

/// A valid plan of exactly `steps` steps and a machine with a model for each of them.
RandomCase random_case(std::uint64_t seed, std::size_t steps);

}  // namespace forelap::tests
