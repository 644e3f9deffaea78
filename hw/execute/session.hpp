#pragma once
// Open work on the lanes of real devices.

#include <memory>

#include "core/executor.hpp"
#include "hw/execute/resources.hpp"

namespace forelap::hw::execute {

/// A session shares queues and memory with the executor's prepared plans: run none of them while it is open. Steps end
/// when the host sees it; a step begins when it is submitted, its lane is free and its dependencies were seen to end.
/// Closing waits for what devices have been given and drops what is not yet submitted.
std::unique_ptr<core::Session> open_session(const core::Plan& frame, const core::Bindings& bindings,
                                            std::shared_ptr<Resources> resources);

}  // namespace forelap::hw::execute
