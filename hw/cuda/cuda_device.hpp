#pragma once
// An open CUDA device.

#include <memory>

#include "hw/device.hpp"

namespace forelap::hw::cuda {

/// What the driver says of device `ordinal`. Throws core::Error (device_failed).
DeviceInfo describe(int ordinal);

/// Opens device `ordinal`: its context, events and the gate's kernel. Throws core::Error.
/// `multiprocessors` above 0: a part of it, see Backend::open_part.
std::shared_ptr<Device> open_device(int ordinal, unsigned multiprocessors = 0);

}  // namespace forelap::hw::cuda
