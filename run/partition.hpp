#pragma once
// One kernel divided over several devices: the runs that a scenario asks for, and a run's plan and bindings.

#include <string>
#include <vector>

#include "calibrate/campaign.hpp"
#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/plan.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"
#include "validate/results.hpp"

namespace forelap::run {

/// The cost profile of an irregular kernel on each device of `machine`, from some hundred sampled rows (some tenths of
/// a second): on a GPU, neighbours wait for the longest of 32, on cores they do not. Empty where the scenario's kernel
/// is not irregular or the scenario gives its profile.
std::vector<scenarios::CostProfile> sample_profiles(const scenarios::Scenario& scenario, const core::Machine& machine);

/// Likewise of one device, with the kernel's sizes as `partition` has them, from so many sampled rows; empty where all
/// rows of the kernel cost the same.
scenarios::CostProfile sample_profile(const scenarios::Partition& partition, std::uint64_t sampled, bool by_items);
/// Whether the device works on one point after the other, as cores do, and OpenCL devices that are cores.
bool works_by_items(const core::DeviceIdentity& device);

/// The case of the scenario and a row a setting of weights and chunks; what is left open is chosen by the models.
/// `machine` comes from select_devices. Throws core::Error (bad_input) where weights do not fit the devices, or memory
/// does not suffice.
void add_partition_rows(validate::RunSet& set, const scenarios::Scenario& scenario, const core::Machine& machine);

/// The tuning of a row of a partition, and what a row keeps of one.
scenarios::PartitionTuning tuning_of(const validate::CaseRecord& record, const validate::DivisionOfRow& division);
validate::DivisionOfRow division_of(const scenarios::PartitionTuning& tuning);

/// Throws core::Error (bad_input), naming `file`, where the rows of a set do not divide the scenario's.
void check_divisions(const validate::RunSet& set, const scenarios::Scenario& scenario, const std::string& file);

/// Sources of the user's kernel for each device, whose backends are `backends`, and the input of its tiles. Throws
/// core::Error (bad_input) where a device has no source.
core::Bindings partition_bindings(const scenarios::Scenario& scenario, const std::vector<std::string>& backends);

/// The scenario's kernel for a calibration: launches over parts of so many bytes of divided tiles, with the scenario's
/// other sizes; of an irregular kernel over the middle of its rows, with a 64th of its iterations a repetition, and
/// never over all of them. `by_items`: the device works on one point after the other. Its source for `backend` is set
/// where the kernel is the user's.
calibrate::KernelProbe partition_probe(const scenarios::Scenario& scenario, const std::string& backend, bool by_items);

}  // namespace forelap::run
