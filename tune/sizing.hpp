#pragma once
// Sizes that meet wished durations: bytes of transfers and repeats of kernels, asked of the calibrated models.

#include <cstdint>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::tune {

/// The choices of one case before its order: sizes, engines, devices. `devices[i]` is the machine's device for entry i
/// of the scenario's device list. On an ideal device durations pass through; elsewhere they become sizes: transfers in
/// whole multiples of 4 bytes, kernels in whole repeats, each the nearest by the model; a kernel whose nearest repeat
/// misses by more than 2 % works on a front part of its buffer, so that the duration is met. A buffer whose size is not
/// given holds what is sent to it at its front and what is fetched from it at the place of its last kernel's result.
/// The order is left as given. Throws core::Error (bad_input): bytes on an ideal device, a buffer beyond what the
/// device gives at once, a duration that no size meets (below the fixed part), a kernel without a model (says how to
/// calibrate it).
scenarios::TaskGroupTuning size_case(const scenarios::Scenario& scenario, std::size_t case_index,
                                     const core::Machine& machine);

/// The same for a what-if: the sizes are those that meet the durations on `sized_for`, the engines those of `machine`.
/// A link that is twice as fast is asked to move the same bytes, not twice as many in the same time.
scenarios::TaskGroupTuning size_case(const scenarios::Scenario& scenario, std::size_t case_index,
                                     const core::Machine& machine, const core::Machine& sized_for);

/// Bytes that each kernel of the task works on, as far as the scenario says it itself: from its transfers' sizes or its
/// buffer's. Empty where only durations are given, which a machine's models turn into sizes. A kernel of given duration
/// counts as one that works on its whole buffer, though a part may turn out to meet it better.
std::vector<std::uint64_t> known_kernel_bytes(const scenarios::Scenario& scenario, const scenarios::TaskSpec& task);

}  // namespace forelap::tune
