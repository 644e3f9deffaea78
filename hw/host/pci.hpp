#pragma once
// What the system knows of a device's place on the PCI bus.

#include <filesystem>
#include <string>

namespace forelap::hw::host {

/// "0000:65:00.0" from its numbers.
std::string pci_address(unsigned domain, unsigned bus, unsigned device, unsigned function);

/// The link that a device could use, such as "PCIe 5 x16", read below `root`/sys (root "/" on a real machine); empty
/// where it is not known. The present link may be lower while the device idles, so the highest is told.
std::string pci_link(const std::filesystem::path& root, const std::string& address);

/// The list of the cores near the device ("0-15,32-47"), or empty.
std::string pci_near_cores(const std::filesystem::path& root, const std::string& address);

}  // namespace forelap::hw::host
