#include "hw/cuda/system_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace forelap::hw::cuda {
namespace {

/// A folder that looks like /sys/bus/pci/devices with one device.
class SystemFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "forelap_cuda_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ + "/" + address_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ + "/" + address_ + "/" + file) << text;
  }

  std::string folder_;
  std::string address_ = "0000:c1:00.0";
};

TEST_F(SystemFiles, TheMemoryNodeOfADeviceIsRead) {
  write("numa_node", "1\n");
  EXPECT_EQ(memory_node(address_, folder_), 1U);
}

TEST_F(SystemFiles, ANodeOfMinusOneOrNoFileOrNoAddressMeansNotKnown) {
  EXPECT_EQ(memory_node(address_, folder_), std::nullopt);
  write("numa_node", "-1\n");
  EXPECT_EQ(memory_node(address_, folder_), std::nullopt);
  EXPECT_EQ(memory_node("", folder_), std::nullopt);
}

TEST_F(SystemFiles, TheFirstLineComesWithoutItsEnd) {
  write("version", " 580.65.06 \nmore\n");
  EXPECT_EQ(first_line(folder_ + "/" + address_ + "/version"), "580.65.06");
  EXPECT_EQ(first_line(folder_ + "/none"), std::nullopt);
}

}  // namespace
}  // namespace forelap::hw::cuda
