#include "run/inventory.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace forelap::run {
namespace {

TEST(Inventory, TheFourStatesAreToldApart) {
  EXPECT_EQ(state_name(hw::BackendState::not_built), "not built");
  EXPECT_EQ(state_name(hw::BackendState::library_missing), "library missing");
  EXPECT_EQ(state_name(hw::BackendState::no_device), "no usable device");
  EXPECT_EQ(state_name(hw::BackendState::ready), "ready");
}

TEST(Inventory, BackendsAndDevicesAreData) {
  hw::BackendStatus status;
  status.backend = "opencl";
  status.state = hw::BackendState::ready;
  status.devices.resize(1);
  status.devices[0].identity.name = "Device";
  status.devices[0].memory_bytes = 1024;
  const auto document = nlohmann::json::parse(devices_json({status}, 3));
  EXPECT_EQ(document["schema"], "forelap.devices/1");
  EXPECT_EQ(document["host_cores"], 3);
  EXPECT_EQ(document["backends"][0]["state"], "ready");
  EXPECT_EQ(document["backends"][0]["devices"][0]["name"], "Device");
}

}  // namespace
}  // namespace forelap::run
