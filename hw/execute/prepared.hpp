#pragma once
// A plan made ready to run on devices.

#include <memory>

#include "core/executor.hpp"
#include "hw/execute/program.hpp"

namespace forelap::hw::execute {

/// Plans of one executor share queues, memory and threads: one run at a time.
std::unique_ptr<core::PreparedPlan> prepare(const core::Plan& plan, const core::Bindings& bindings,
                                            std::shared_ptr<Resources> resources);

}  // namespace forelap::hw::execute
