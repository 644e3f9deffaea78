#pragma once
// The CPU as a device: a pool of threads over a range of cores for kernels, a thread for each queue, copies by memcpy
// between two sides of a buffer, as on a GPU. Runs the built-in kernels only.

#include <memory>
#include <string>

#include "hw/device.hpp"

namespace forelap::hw::cpu {

/// One device: all the cores that the process may use.
std::unique_ptr<Backend> make_backend();

/// The device over the cores that `text` lists ("0-3", "0-3,6"; empty: all usable ones). Throws core::Error (bad_input)
/// naming the cores there are.
std::shared_ptr<Device> open_cores(const std::string& text);

}  // namespace forelap::hw::cpu
