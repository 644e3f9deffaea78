#pragma once
// Runs plans on real devices: builds kernels and allocates memory before the clock starts, submits each lane from a
// thread of its own behind a closed gate, releases all lanes together, and measures.

#include <memory>
#include <vector>

#include "core/executor.hpp"
#include "hw/device.hpp"

namespace forelap::hw {

/// An executor over open devices: device i of a plan is devices[i]. Memory is kept between plans and used again where
/// a buffer of the same id has the same kind and is large enough, so that plans that differ in order only share it.
/// Host memory that buffers share is kept likewise by the owner's id (owners first in the table, so that their ids are
/// the same in all plans of a sweep) and filled again only where a run wrote into an input; the device memory of such
/// buffers serves all plans in turn. Throws core::Error (bad_input) for groups of cores that overlap.
std::unique_ptr<core::Executor> make_plan_executor(std::vector<std::shared_ptr<Device>> devices);

}  // namespace forelap::hw
