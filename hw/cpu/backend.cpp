#include "hw/cpu/backend.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/cpu/kernel.hpp"
#include "hw/cpu/queue.hpp"

namespace forelap::hw::cpu {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = core::trim(std::string_view(line).substr(0, colon));
    if (key == "model name" || key == "Model") return std::string(core::trim(std::string_view(line).substr(colon + 1)));
  }
  return "CPU";
}

std::string system_name() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release;
}

/// Memory that the process may use: the machine's or its control group's.
std::uint64_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  const std::uint64_t machine =
      pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) : UINT64_MAX;
  return std::min(machine, cgroup_memory("/").value_or(UINT64_MAX));
}

DeviceInfo describe(const std::vector<unsigned>& cores) {
  DeviceInfo info;
  info.identity.backend = "cpu";
  info.identity.name = processor_name();
  info.identity.driver = system_name();
  info.identity.compute_units = static_cast<std::uint32_t>(cores.size());
  info.memory_bytes = usable_memory();
  info.largest_allocation = info.memory_bytes;
  info.claimed_copy_engines = 0;
  info.shares_host_cores = true;
  info.host_cores = cores;
  return info;
}

std::vector<unsigned> usable_cores() {
  const CoreBudget budget = core_budget();
  return {budget.cores.begin(), budget.cores.begin() + budget.usable};
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(const std::vector<unsigned>& cores)
      : cores_(cores), info_(describe(cores)), pool_(std::make_shared<Pool>(cores)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) override {
    return std::make_unique<CpuHostMemory>(take_memory(bytes, "host"), kind);
  }

  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    return std::make_unique<CpuDeviceMemory>(take_memory(bytes, "device"));
  }

  std::unique_ptr<DeviceMemory> map(HostMemory& host, std::uint64_t offset, std::uint64_t bytes) override {
    const std::span<std::byte> all = host.bytes();
    if (offset > all.size() || bytes > all.size() - offset) {
      core::throw_bad_input("bytes [" + std::to_string(offset) + ", +" + std::to_string(bytes) +
                            ") reach beyond host memory of " + std::to_string(all.size()) + " bytes");
    }
    return std::make_unique<CpuMappedMemory>(
        all.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
  }

  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) override {
    if (!source.text.empty()) {
      core::throw_bad_input("kernel " + name + " (" + source.origin +
                            "): the pool of CPU threads runs the built-in kernels only; an OpenCL CPU device "
                            "(Debian: pocl-opencl-icd) runs kernels from a file");
    }
    const std::optional<kernels::CpuForm> form = kernels::cpu_form(name);
    if (!form) {
      core::throw_bad_input("there is no built-in kernel \"" + name + "\"; there are " +
                            core::join_names(kernels::kernel_names()));
    }
    return std::make_unique<CpuKernel>(*form);
  }

  std::unique_ptr<Queue> make_queue(core::LaneKind, core::Direction) override {
    return std::make_unique<CpuQueue>(pool_, cores_);
  }

  std::unique_ptr<Gate> make_gate() override { return std::make_unique<CpuGate>(); }

 private:
  [[nodiscard]] std::span<std::byte> take_memory(std::uint64_t bytes, const std::string& side) const {
    constexpr std::uint64_t kPage = 4096;
    void* memory = nullptr;
    if (bytes <= info_.largest_allocation) {
      memory = std::aligned_alloc(kPage, std::max<std::uint64_t>((bytes + kPage - 1) / kPage, 1) * kPage);
    }
    if (memory == nullptr) {
      core::throw_device_failed("no " + side + " memory for a buffer of " + std::to_string(bytes) +
                                " bytes; this process may use " + std::to_string(info_.memory_bytes) + " in all");
    }
    return {static_cast<std::byte*>(memory), static_cast<std::size_t>(bytes)};
  }

  std::vector<unsigned> cores_;
  DeviceInfo info_;
  std::shared_ptr<Pool> pool_;
};

class CpuBackend : public Backend {
 public:
  BackendStatus status() override {
    return {"cpu", BackendState::ready, core_budget().limit, {describe(usable_cores())}};
  }

  std::shared_ptr<Device> open(std::size_t i) override {
    if (i != 0) core::throw_bad_input("cpu:" + std::to_string(i) + " does not exist; there is one CPU device");
    return open_cores("");
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<CpuBackend>();
}

std::shared_ptr<Device> open_cores(const std::string& text) {
  return std::make_shared<CpuDevice>(text.empty() ? usable_cores() : parse_cores(text, core_budget().cores));
}

}  // namespace forelap::hw::cpu
