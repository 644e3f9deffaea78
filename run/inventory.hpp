#pragma once
// What is here, as data for scripts: the backends and their devices, and what is shipped.

#include <string>
#include <vector>

#include "hw/device.hpp"

namespace forelap::run {

/// "ready", "not built", "library missing" or "no usable device".
std::string state_name(hw::BackendState state);

/// Backends with state, reason and devices as JSON (schema forelap.devices/1).
std::string devices_json(const std::vector<hw::BackendStatus>& backends, std::uint32_t host_cores);

}  // namespace forelap::run
