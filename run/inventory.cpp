#include "run/inventory.hpp"

#include <nlohmann/json.hpp>

#include "validate/results.hpp"

namespace forelap::run {
namespace {

using Json = nlohmann::ordered_json;

Json device_json(const hw::DeviceInfo& device) {
  return Json{{"name", device.identity.name},
              {"driver", device.identity.driver},
              {"platform", device.identity.platform},
              {"compute_units", device.identity.compute_units},
              {"memory_bytes", device.memory_bytes},
              {"largest_allocation_bytes", device.largest_allocation},
              {"claimed_copy_engines", device.claimed_copy_engines},
              {"gpu", device.is_gpu},
              {"shares_host_cores", device.shares_host_cores},
              {"pci_address", device.pci_address},
              {"link", device.link}};
}

}  // namespace

std::string state_name(hw::BackendState state) {
  switch (state) {
    case hw::BackendState::not_built:
      return "not built";
    case hw::BackendState::library_missing:
      return "library missing";
    case hw::BackendState::no_device:
      return "no usable device";
    case hw::BackendState::ready:
      break;
  }
  return "ready";
}

std::string devices_json(const std::vector<hw::BackendStatus>& backends, std::uint32_t host_cores) {
  Json list = Json::array();
  for (const auto& backend : backends) {
    Json devices = Json::array();
    for (const auto& device : backend.devices) devices.push_back(device_json(device));
    list.push_back(Json{{"backend", backend.backend},
                        {"state", state_name(backend.state)},
                        {"reason", backend.reason},
                        {"devices", std::move(devices)}});
  }
  const Json document{{"schema", "forelap.devices/1"},
                      {"forelap", validate::forelap_version()},
                      {"host_cores", host_cores},
                      {"backends", std::move(list)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forelap::run
