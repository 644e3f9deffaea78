#pragma once
// Steps in words, for error messages.

#include <exception>
#include <string>

#include "core/error.hpp"
#include "core/plan.hpp"

namespace forelap::hw::execute {

/// "step 5 (copy host to device on lane gpu0 htod)"; `lanes` are those of the plan or of the session's frame.
std::string describe_step(const core::Plan& plan, std::size_t i);

/// The exception being handled as a core::Error whose message begins with `where`; keeps the kind.
core::Error named_error(const std::string& where);

}  // namespace forelap::hw::execute
