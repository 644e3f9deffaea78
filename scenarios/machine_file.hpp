#pragma once
// The table of machine files.

#include "core/machine.hpp"
#include "scenarios/table.hpp"

namespace forelap::scenarios {

Table<core::Machine> machine_table();

/// A parameter: a plain quantity, or a map of value, spread, samples, assumed and how.
Codec<core::Parameter> parameter_codec(const Codec<double>& value, const Codec<double>& spread);
/// Seconds a byte, as a rate.
Codec<core::Parameter> rate_parameter_codec();

/// Models of a device's transfers and kernels: one stretch in the map itself, or several under `pieces`.
Codec<core::TransferModel> transfer_model_codec();
Codec<core::KernelModel> kernel_model_codec();

}  // namespace forelap::scenarios
