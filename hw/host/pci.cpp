#include "hw/host/pci.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "core/number_text.hpp"
#include "core/text.hpp"

namespace forelap::hw::host {
namespace fs = std::filesystem;
namespace {

std::string hexadecimal(unsigned value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value /= 16) text[i] = "0123456789abcdef"[value % 16];
  return text;
}

std::string read_line(const fs::path& root, std::string address, const char* name) {
  std::transform(address.begin(), address.end(), address.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::ifstream file(root / "sys/bus/pci/devices" / address / name);
  std::string line;
  std::getline(file, line);
  return std::string(core::trim(line));
}

}  // namespace

std::string pci_address(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  return hexadecimal(domain, 4) + ":" + hexadecimal(bus, 2) + ":" + hexadecimal(device, 2) + "." +
         hexadecimal(function, 1);
}

std::string pci_link(const fs::path& root, const std::string& address) {
  if (address.empty()) return {};
  // "32.0 GT/s PCIe": transfers a second double from one generation to the next, but for the step from 1 to 2 to 3.
  const std::string speed = read_line(root, address, "max_link_speed");
  const std::string width = read_line(root, address, "max_link_width");
  static constexpr std::array<double, 7> rates = {2.5, 5, 8, 16, 32, 64, 128};
  const auto rate = core::parse_number(speed.substr(0, speed.find(' ')));
  const auto lanes = core::parse_whole(width);
  if (!rate || !lanes || *lanes == 0 || *lanes > 64) return {};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (*rate == rates[i]) return "PCIe " + std::to_string(i + 1) + " x" + std::to_string(*lanes);
  }
  return {};
}

std::string pci_near_cores(const fs::path& root, const std::string& address) {
  return address.empty() ? std::string() : read_line(root, address, "local_cpulist");
}

}  // namespace forelap::hw::host
