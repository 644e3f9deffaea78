#pragma once
// Partition scenarios and machines of devices with affine times.

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/statistics.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::tune::testing {

inline core::Parameter exactly(double value) {
  core::Parameter parameter;
  parameter.value = value;
  return parameter;
}

/// matrix_add over `rows` rows of one float.
inline scenarios::Scenario add_rows(double rows) {
  scenarios::Scenario scenario;
  scenarios::Partition partition;
  partition.kernel = *scenarios::find_partition_kernel("matrix_add");
  partition.sizes = {{"rows", rows}, {"columns", 1}};
  scenario.body = partition;
  return scenario;
}

inline core::KernelModel kernel(const std::string& name, double launch, double per_work) {
  core::KernelModel model;
  model.kernel = name;
  model.fill = exactly(1);
  core::KernelPiece piece;
  piece.to_items = 1e15;
  piece.launch = exactly(launch);
  piece.per_work = exactly(per_work);
  model.pieces = {piece};
  return model;
}

inline core::TransferModel link(core::Direction direction, double fixed, double per_byte) {
  core::TransferModel model;
  model.direction = direction;
  core::TransferPiece piece;
  piece.to_bytes = 1e15;
  piece.fixed = exactly(fixed);
  piece.per_byte = exactly(per_byte);
  model.pieces = {piece};
  return model;
}

/// A group of cores: gamma + eta rows.
inline core::DeviceModel cores(const std::string& name, double gamma, double eta) {
  core::DeviceModel device;
  device.name = name;
  device.identity.backend = "cpu";
  device.copy_engines = exactly(2);
  device.kernels = {kernel("matrix_add", gamma, eta)};
  return device;
}

/// A device behind a link: seconds a row of 4 bytes each way, and of its kernel.
inline core::DeviceModel gpu(const std::string& name, double latency, double in, double work, double back) {
  core::DeviceModel device = cores(name, latency, work);
  device.identity.backend = "cuda";
  device.transfers = {link(core::Direction::host_to_device, latency, in / 4),
                      link(core::Direction::device_to_host, latency, back / 4)};
  return device;
}

inline core::Machine machine_of(std::vector<core::DeviceModel> devices) {
  core::Machine machine;
  machine.name = "test";
  machine.devices = std::move(devices);
  return machine;
}

}  // namespace forelap::tune::testing
