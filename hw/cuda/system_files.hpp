#pragma once
// What Linux tells in small files. Needs no driver.

#include <optional>
#include <string>

namespace forelap::hw::cuda {

/// Where Linux describes PCI devices; tests give another folder.
inline constexpr const char* kPciFolder = "/sys/bus/pci/devices";

/// The first line of a file, without white space at its ends; nothing where it cannot be read.
std::optional<std::string> first_line(const std::string& path);

/// The memory node next to the device at a PCI address ("0000:c1:00.0"), or nothing where the machine has one node or
/// does not say.
std::optional<unsigned> memory_node(const std::string& address, const std::string& folder = kPciFolder);

}  // namespace forelap::hw::cuda
