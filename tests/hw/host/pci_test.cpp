#include "hw/host/pci.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace forelap::hw::host {
namespace {

namespace fs = std::filesystem;

TEST(Pci, AddressesAreWrittenAsTheSystemWritesThem) {
  EXPECT_EQ(pci_address(0, 0x65, 0, 0), "0000:65:00.0");
  EXPECT_EQ(pci_address(1, 0xAB, 0x1f, 7), "0001:ab:1f.7");
}

TEST(Pci, LinkAndNearCoresComeFromTheSystemsFiles) {
  const fs::path root = fs::temp_directory_path() / ("forelap_pci_" + std::to_string(getpid()));
  const fs::path device = root / "sys/bus/pci/devices/0000:ab:00.0";
  fs::create_directories(device);
  std::ofstream(device / "max_link_speed") << "32.0 GT/s PCIe\n";
  std::ofstream(device / "max_link_width") << "16\n";
  std::ofstream(device / "local_cpulist") << "0-15,32-47\n";
  EXPECT_EQ(pci_link(root, "0000:AB:00.0"), "PCIe 5 x16");
  EXPECT_EQ(pci_near_cores(root, "0000:ab:00.0"), "0-15,32-47");
  std::ofstream(device / "max_link_speed") << "Unknown\n";
  EXPECT_EQ(pci_link(root, "0000:ab:00.0"), "");
  EXPECT_EQ(pci_link(root, "0000:cd:00.0"), "");
  EXPECT_EQ(pci_link(root, ""), "");
  EXPECT_EQ(pci_near_cores(root, ""), "");
  fs::remove_all(root);
}

}  // namespace
}  // namespace forelap::hw::host
