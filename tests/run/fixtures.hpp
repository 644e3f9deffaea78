#pragma once
// A small scenario and machines for the tests of this folder.

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::run::testing {

inline core::Parameter exactly(double value) {
  core::Parameter parameter;
  parameter.value = value;
  parameter.samples = 10;
  parameter.how = "measured";
  return parameter;
}

inline core::Parameter about(double value, double relative) {
  auto parameter = exactly(value);
  parameter.spread = value * relative;
  return parameter;
}

/// A device that only prices given durations.
inline core::Machine ideal_machine() {
  core::Machine machine;
  machine.name = "ideal";
  machine.when = "2026-01-01";
  machine.host.cpu = "none";
  machine.host.cores = 1;
  core::DeviceModel device;
  device.name = "gpu0";
  device.identity = {"model", "ideal", "none", "", 1};
  device.copy_engines = exactly(2);
  machine.devices.push_back(device);
  return machine;
}

inline core::TransferModel transfer(core::Direction direction, double relative) {
  core::TransferModel model;
  model.direction = direction;
  core::TransferPiece piece;
  piece.from_bytes = 0;
  piece.to_bytes = 1e9;
  piece.fixed = about(10e-6, relative);
  piece.per_byte = about(1e-10, relative);
  model.pieces = {piece};
  return model;
}

/// A device with models: 10 GB/s both ways, 1 ns a unit of synthetic work; every parameter spread by `relative`.
inline core::Machine modelled_machine(double relative) {
  auto machine = ideal_machine();
  machine.name = "bench";
  auto& device = machine.devices[0];
  device.identity = {"opencl", "bench", "1.0", "platform", 4};
  device.hop = about(5e-6, relative);
  device.transfers = {transfer(core::Direction::host_to_device, relative),
                      transfer(core::Direction::device_to_host, relative)};
  core::KernelModel kernel;
  kernel.kernel = "synthetic";
  kernel.fill = exactly(1);
  core::KernelPiece piece;
  piece.from_items = 0;
  piece.to_items = 1e12;
  piece.launch = about(5e-6, relative);
  piece.per_work = about(1e-9, relative);
  kernel.pieces = {piece};
  device.kernels = {kernel};
  return machine;
}

inline scenarios::TaskSpec task(const std::string& name, double htod, double kernel, double dtoh) {
  scenarios::TaskSpec spec;
  spec.name = name;
  scenarios::TransferSpec in;
  in.seconds = htod;
  scenarios::KernelSpec work;
  work.seconds = kernel;
  scenarios::TransferSpec out;
  out.seconds = dtoh;
  spec.htod = {in};
  spec.kernels = {work};
  spec.dtoh = {out};
  return spec;
}

/// BK50 of the ordering paper: T0 T1 T4 T5, in all 24 orders; one unit is 10 ms.
inline scenarios::Scenario bk50() {
  scenarios::Scenario scenario;
  scenario.name = "BK50";
  scenario.seed = 3;
  scenarios::TaskGroup group;
  group.order = scenarios::OrderMode::all;
  scenarios::TaskCase c;
  c.tasks = {task("T0", 1e-3, 8e-3, 1e-3), task("T1", 2e-3, 7e-3, 1e-3), task("T4", 6e-3, 2e-3, 2e-3),
             task("T5", 2e-3, 2e-3, 6e-3)};
  group.cases = {c};
  scenario.body = group;
  return scenario;
}

/// BK50 whose tasks come as `online` says.
inline scenarios::Scenario online_bk50(const scenarios::Online& online) {
  auto scenario = bk50();
  auto& group = std::get<scenarios::TaskGroup>(scenario.body);
  group.order = scenarios::OrderMode::given;
  group.online = online;
  return scenario;
}

/// So many tasks in all, or of each worker; 0: those of the case.
inline scenarios::Online pattern(scenarios::Arrivals arrivals, std::uint32_t tasks = 0) {
  scenarios::Online online;
  online.arrivals = arrivals;
  online.tasks = tasks;
  return online;
}

}  // namespace forelap::run::testing
