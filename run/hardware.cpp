#include "run/hardware.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "calibrate/calibrate.hpp"
#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/kernels/library.hpp"
#include "hw/plan_executor.hpp"

namespace forelap::run {
namespace {

constexpr std::size_t kLargestSource = std::size_t{4} << 20;

/// "opencl:1" of the device whose identity the profile has; the n-th of several equal ones for the n-th that asks.
std::string spec_of(const core::DeviceModel& device, std::map<std::string, std::size_t>& taken) {
  const auto& wanted = device.identity;
  if (wanted.backend == "cpu") return device.cores.empty() ? "cpu" : "cpu:" + device.cores;
  for (const auto& status : hw::all_backends()) {
    if (status.backend != wanted.backend) continue;
    if (status.state != hw::BackendState::ready) {
      core::throw_unavailable("device '" + device.name + "' needs " + wanted.backend + ": " + status.reason);
    }
    std::size_t skip = taken[wanted.backend + wanted.name]++;
    for (std::size_t i = 0; i < status.devices.size(); ++i) {
      if (status.devices[i].identity.name == wanted.name && skip-- == 0) {
        return wanted.backend + ":" + std::to_string(i);
      }
    }
    core::throw_bad_input("the profile is of " + wanted.backend + " device '" + wanted.name +
                          "', which is not here (`forelap devices` shows what is); calibrate what is here, or name " +
                          "the device to use with --device");
  }
  core::throw_unavailable("device '" + device.name + "' needs the backend '" + wanted.backend +
                          "', which this program does not know");
}

std::string first_value(const std::string& text, const std::string& key) {
  for (const auto& line : core::split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && core::trim(std::string_view(line).substr(0, colon)) == key) {
      return std::string(core::trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return "";
}

std::string system_text(const char* path) {
  try {
    return core::read_file(path, std::size_t{1} << 24);
  } catch (const core::Error&) {
    return "";  // not there on this system: the caller has an answer without it
  }
}

/// Without a kernel that says what it wants: a pattern that is not all zeros, which links and memories may compress.
void fill_pattern(std::span<std::byte> memory, std::uint64_t seed) {
  core::Random random(seed);
  std::size_t at = 0;
  for (; at + 8 <= memory.size(); at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(memory.data() + at, &word, 8);
  }
  for (; at < memory.size(); ++at) memory[at] = static_cast<std::byte>(at & 0xffU);
}

/// The text of a kernel's file with what compilers must know.
template <class Kernel>
core::KernelSource source_from(const std::string& file, const Kernel& kernel, const scenarios::Scenario& scenario) {
  std::filesystem::path path = file;
  // What the scenario means lies beside it, whatever else the current folder holds.
  if (const auto beside = std::filesystem::path(scenario.path).parent_path() / path;
      path.is_relative() && std::filesystem::exists(beside)) {
    path = beside;
  }
  core::KernelSource source;
  source.text = core::read_file(path, kLargestSource);
  if (core::trim(source.text).empty()) {
    core::throw_bad_input(path.string() + ": the file is empty, expected the source of kernel '" + kernel.name + "'");
  }
  source.entry = kernel.entry.empty() ? kernel.name : kernel.entry;
  source.origin = path.string();
  source.options = kernel.options;
  return source;
}

}  // namespace

void fill_floats(std::span<std::byte> memory, std::uint64_t seed) {
  core::Random random(seed);
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= memory.size(); at += sizeof(std::uint32_t)) {
    const std::uint32_t word = 0x3F800000U | static_cast<std::uint32_t>(random.next() >> 41);
    std::memcpy(memory.data() + at, &word, sizeof word);
  }
}

Hardware open_hardware(const core::Machine& machine, const std::vector<std::string>& specs) {
  if (!specs.empty() && specs.size() != machine.devices.size()) {
    core::throw_bad_input("--device names " + std::to_string(specs.size()) + " devices, the scenario uses " +
                          std::to_string(machine.devices.size()));
  }
  Hardware hardware;
  std::vector<std::shared_ptr<hw::Device>> open;
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const auto& device = machine.devices[i];
    if (core::is_ideal(device) || device.identity.backend == "model") {
      core::throw_bad_input("machine '" + machine.name + "' describes no device that is here: '" + device.name +
                            "' is a model only; `forelap calibrate -o machine.yaml` makes the profile of a device");
    }
    hardware.devices.push_back(hw::open_device(specs.empty() ? spec_of(device, taken) : specs[i]));
    open.push_back(hardware.devices.back().device);
  }
  hardware.executor = hw::make_plan_executor(std::move(open));
  return hardware;
}

std::uint32_t usable_cores() {
  return hw::cpu::core_budget().usable;
}

std::string cpu_name() {
  auto name = first_value(system_text("/proc/cpuinfo"), "model name");
  return name.empty() ? "unknown" : name;
}

void require_profile(const core::Machine& machine, const Hardware& hardware) {
  const auto cores = usable_cores();
  for (std::size_t i = 0; i < hardware.devices.size(); ++i) {
    const auto reason =
        calibrate::mismatch(machine.devices.at(i), machine.host.cores, hardware.devices[i].device->info(), cores);
    if (reason.empty()) continue;
    core::throw_bad_input("profile '" + machine.name + "' is not of this hardware: " + reason +
                          " (`forelap calibrate --device " + hardware.devices[i].spec +
                          " -o machine.yaml`, then -m machine.yaml)");
  }
}

bool is_of_user(const scenarios::KernelDefinition& kernel) {
  return !kernel.opencl_file.empty() || !kernel.cuda_file.empty();
}

core::KernelSource kernel_source(const scenarios::KernelDefinition& kernel, const scenarios::Scenario& scenario,
                                 const std::string& backend) {
  const auto& file = backend == "cuda" ? kernel.cuda_file : kernel.opencl_file;
  if (file.empty() || backend == "cpu") {
    core::throw_bad_input("kernel '" + kernel.name + "' has no source for " + backend +
                          (backend == "cpu" ? ": the CPU pool runs built-in kernels only"
                                            : "; give it a `" + backend + "` file in the scenario"));
  }
  return source_from(file, kernel, scenario);
}

core::KernelSource kernel_source(const scenarios::PartitionKernel& kernel, const scenarios::Scenario& scenario,
                                 const std::string& backend) {
  const std::string& file = scenarios::source_file(kernel, backend);
  if (file.empty()) {
    core::throw_bad_input("kernel '" + kernel.name + "' has no source for " + backend + "; give it a `" + backend +
                          "` file in the scenario, or a `source` for all devices");
  }
  auto source = source_from(file, kernel, scenario);
  if (file == kernel.source_file && backend == "cuda") source.text = hw::kernels::cuda_words() + source.text;
  if (file == kernel.source_file && backend == "opencl") source.text = hw::kernels::opencl_words() + source.text;
  return source;
}

core::Bindings make_bindings(const scenarios::Scenario& scenario, std::size_t case_index, const std::string& backend) {
  const auto& tasks = scenarios::task_group_of(scenario).cases.at(case_index).tasks;
  core::Bindings bindings;
  std::vector<std::string> first_kernels;
  for (const auto& task : tasks) {
    first_kernels.push_back(task.kernels.empty() ? "" : task.kernels.front().kernel);
    for (const auto& spec : task.kernels) {
      const auto* definition = scenarios::find_definition(scenario, spec.kernel);
      if (definition == nullptr || bindings.kernels.count(spec.kernel) != 0) continue;
      if (is_of_user(*definition)) bindings.kernels[spec.kernel] = kernel_source(*definition, scenario, backend);
    }
  }
  const auto is_builtin = [](const std::string& kernel) { return hw::kernels::find_builtin(kernel) != nullptr; };
  // Executors fill the buffers of built-in kernels themselves, once for all orders.
  if (std::all_of(first_kernels.begin(), first_kernels.end(), is_builtin)) return bindings;
  bindings.fill = [first_kernels, seed = scenario.seed, filled = std::map<core::BufferId, std::byte*>()](
                      core::BufferId buffer, std::span<std::byte> memory) mutable {
    // The plans of all orders are prepared before the first runs and share their memory.
    if (std::exchange(filled[buffer], memory.data()) == memory.data()) return;
    const auto* kernel =
        index(buffer) < first_kernels.size() ? hw::kernels::find_builtin(first_kernels[index(buffer)]) : nullptr;
    if (kernel != nullptr) {
      kernel->fill(memory, seed + index(buffer));
    } else {
      fill_pattern(memory, seed + index(buffer));
    }
  };
  return bindings;
}

}  // namespace forelap::run
