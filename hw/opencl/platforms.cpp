#include "hw/opencl/platforms.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "hw/host/pci.hpp"
#include "hw/opencl/error.hpp"

namespace forelap::hw::opencl {
namespace {

// Of cl_nv_device_attribute_query and cl_khr_pci_bus_info; older headers lack them.
constexpr cl_device_info kCopyEnginesNv = 0x4007;
constexpr cl_device_info kPciBusNv = 0x4008;
constexpr cl_device_info kPciSlotNv = 0x4009;
constexpr cl_device_info kPciDomainNv = 0x400A;
constexpr cl_device_info kPciBusInfoKhr = 0x410F;

struct PciBusInfo {
  cl_uint domain;
  cl_uint bus;
  cl_uint device;
  cl_uint function;
};

template <class T>
bool ask(cl_device_id device, cl_device_info what, T& value) {
  return clGetDeviceInfo(device, what, sizeof(T), &value, nullptr) == CL_SUCCESS;
}

template <class T>
T value_of(cl_device_id device, cl_device_info what) {
  T value{};
  return ask(device, what, value) ? value : T{};
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return std::string(core::trim(std::string_view(text.c_str())));
}

std::string platform_name(cl_platform_id platform) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "unnamed";
  std::string text(size, '\0');
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, text.data(), nullptr);
  return text.c_str();
}

std::string pci_address_of(cl_device_id device) {
  const std::string extensions = text_of(device, CL_DEVICE_EXTENSIONS);
  PciBusInfo khr{};
  if (extensions.find("cl_khr_pci_bus_info") != std::string::npos && ask(device, kPciBusInfoKhr, khr)) {
    return host::pci_address(khr.domain, khr.bus, khr.device, khr.function);
  }
  cl_uint bus = 0;
  cl_uint slot = 0;
  if (extensions.find("cl_nv_device_attribute_query") == std::string::npos || !ask(device, kPciBusNv, bus) ||
      !ask(device, kPciSlotNv, slot)) {
    return {};
  }
  // The slot holds the device's number in its upper five bits and the function's in the lower three.
  return host::pci_address(value_of<cl_uint>(device, kPciDomainNv), bus, slot >> 3U, slot & 7U);
}

DeviceInfo describe(cl_device_id device, const std::string& platform) {
  DeviceInfo info;
  info.identity.backend = "opencl";
  info.identity.name = text_of(device, CL_DEVICE_NAME);
  info.identity.driver = text_of(device, CL_DRIVER_VERSION);
  info.identity.platform = platform;
  info.identity.compute_units = value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.memory_bytes = value_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.largest_allocation = value_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const auto type = value_of<cl_device_type>(device, CL_DEVICE_TYPE);
  info.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.shares_host_cores = (type & CL_DEVICE_TYPE_CPU) != 0;
  info.keeps_call_order = info.is_gpu && platform.find("NVIDIA") != std::string::npos;
  if (info.is_gpu) info.claimed_copy_engines = value_of<cl_uint>(device, kCopyEnginesNv);
  info.pci_address = pci_address_of(device);
  info.link = host::pci_link("/", info.pci_address);
  return info;
}

std::vector<cl_platform_id> platforms(std::string& reason) {
  cl_uint count = 0;
  const cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    reason = "no OpenCL platform" + (code == CL_SUCCESS ? std::string() : " (" + error_name(code) + ")") +
             ": install a driver's OpenCL part, or pocl-opencl-icd for a CPU device";
    return {};
  }
  std::vector<cl_platform_id> ids(count);
  clGetPlatformIDs(count, ids.data(), nullptr);
  return ids;
}

}  // namespace

FoundDevices find_devices() {
  FoundDevices found;
  std::vector<std::string> empty;
  for (const cl_platform_id platform : platforms(found.reason)) {
    const std::string name = platform_name(platform);
    cl_uint count = 0;
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (code != CL_SUCCESS || count == 0) {
      empty.push_back(name + " (" + error_name(code == CL_SUCCESS ? CL_DEVICE_NOT_FOUND : code) + ")");
      continue;
    }
    std::vector<cl_device_id> ids(count);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    for (const cl_device_id id : ids) {
      if (value_of<cl_bool>(id, CL_DEVICE_AVAILABLE) != CL_FALSE) found.devices.push_back({id, describe(id, name)});
    }
  }
  // GPUs first: "opencl:0" is the one that a user means, whatever the order of the platforms' files.
  std::stable_partition(found.devices.begin(), found.devices.end(),
                        [](const FoundDevice& device) { return device.info.is_gpu; });
  if (found.devices.empty() && found.reason.empty()) {
    found.reason = "no usable device on the OpenCL platforms" + (empty.empty() ? "" : " " + core::join_names(empty));
  }
  return found;
}

}  // namespace forelap::hw::opencl
