#pragma once
// The devices that a scenario is measured on, and whether a profile belongs to them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/executor.hpp"
#include "core/machine.hpp"
#include "hw/backends.hpp"
#include "hw/device.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::run {

struct Hardware {
  std::vector<hw::ChosenDevice> devices;  ///< device i of a plan
  std::unique_ptr<core::Executor> executor;
};

/// Opens the devices that `machine` (from select_devices) describes: those that `specs` names (one for each device of
/// the machine), where empty those whose identity is the profile's. Throws core::Error: bad_input where the number
/// of specifications is wrong or a profile is an ideal one, unavailable where a device is not here.
Hardware open_hardware(const core::Machine& machine, const std::vector<std::string>& specs);

/// Cores that this process may use (see hw/cpu/cores.hpp).
std::uint32_t usable_cores();
/// The processor's name, or "unknown".
std::string cpu_name();

/// Throws core::Error (bad_input) with the reason and what to do where a profile does not belong to the hardware.
void require_profile(const core::Machine& machine, const Hardware& hardware);

/// Whether a kernel comes from a user's file rather than from hw/kernels.
bool is_of_user(const scenarios::KernelDefinition& kernel);
/// The source of a user's kernel for `backend`. Throws core::Error (bad_input) where there is no file for it.
core::KernelSource kernel_source(const scenarios::KernelDefinition& kernel, const scenarios::Scenario& scenario,
                                 const std::string& backend);

/// The source of a user's kernel over several devices: its own file for `backend`, or the one for all devices with the
/// words that it is written in before it. Throws core::Error (bad_input) where there is no file for the backend.
core::KernelSource kernel_source(const scenarios::PartitionKernel& kernel, const scenarios::Scenario& scenario,
                                 const std::string& backend);
/// Floats from 1 to 2, drawn by `seed`: the input of kernels that do not say what they want.
void fill_floats(std::span<std::byte> memory, std::uint64_t seed);

/// Kernel sources of the scenario's own kernels for `backend`, and the fill of each buffer (buffer i is task i's) where
/// some task's first kernel is not a built-in one. For the plans of one case that are prepared before the first of them
/// runs: memory that was filled once is not filled again.
/// Throws core::Error (bad_input) where a kernel has no file for this backend.
core::Bindings make_bindings(const scenarios::Scenario& scenario, std::size_t case_index, const std::string& backend);

}  // namespace forelap::run
