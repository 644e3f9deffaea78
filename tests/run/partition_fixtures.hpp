#pragma once
// Partitions at small sizes, and machines for them: models only, or the devices that are here.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hw/backends.hpp"
#include "hw/cpu/cores.hpp"
#include "hw/plan_executor.hpp"
#include "scenarios/read.hpp"
#include "tests/run/fixtures.hpp"

namespace forelap::run::testing {

/// The five case studies at sizes for a test.
inline std::vector<std::string> small_cases() {
  return {"kernel: matrix_add\nsizes: {rows: 37, columns: 50}\n",
          "kernel: black_scholes_options\nsizes: {options: 1013}\n",
          "kernel: black_scholes_options\nsizes: {options: 1013}\nlaunches: 5\n",
          "kernel: matrix_multiply_rows\nsizes: {rows: 41, inner: 30, columns: 35}\n",
          "kernel: mandelbrot\nsizes: {width: 64, height: 48, iterations: 60}\n"};
}

inline scenarios::Scenario partition(const std::string& text) {
  return scenarios::parse_scenario("forelap: 1\nkind: partition\nrepetitions: 2\n" + text, "p.yaml");
}

/// A device with models of all kernels that can be divided: 1 us a launch, `per_work` seconds a unit.
inline core::DeviceModel divided_device(const std::string& name, const std::string& backend, double per_work) {
  core::DeviceModel device = modelled_machine(0).devices[0];
  device.name = name;
  device.identity.backend = backend;
  device.kernels.clear();
  for (const auto& kernel : scenarios::builtin_partition_kernels()) {
    core::KernelModel model;
    model.kernel = kernel.name;
    model.fill = exactly(1);
    core::KernelPiece piece;
    piece.to_items = 1e12;
    piece.launch = exactly(1e-6);
    piece.per_work = exactly(per_work);
    model.pieces = {piece};
    device.kernels.push_back(model);
  }
  return device;
}

inline core::Machine two_devices() {
  core::Machine machine = ideal_machine();
  machine.name = "pair";
  machine.devices = {divided_device("gpu0", "cuda", 1e-9), divided_device("cpu0", "cpu", 2e-9)};
  return machine;
}

/// What is here: a group of one core, another where there are two, and an OpenCL device where there is one.
struct DevicesHere {
  DevicesHere() {
    const auto cores = hw::cpu::core_budget().cores;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, cores.size()); ++i) {
      add("cpu:" + std::to_string(cores[i]));
    }
    for (const auto& status : hw::all_backends()) {
      if (status.backend == "opencl" && status.state == hw::BackendState::ready) add("opencl:0");
    }
    machine.name = "here";
    executor = hw::make_plan_executor(open);
  }
  void add(const std::string& spec) {
    open.push_back(hw::open_device(spec).device);
    machine.devices.push_back(divided_device(spec, open.back()->info().identity.backend, 1e-9));
  }
  core::Machine machine = ideal_machine_without_devices();
  std::vector<std::shared_ptr<hw::Device>> open;
  std::unique_ptr<core::Executor> executor;

 private:
  static core::Machine ideal_machine_without_devices() {
    core::Machine machine = ideal_machine();
    machine.devices.clear();
    return machine;
  }
};

}  // namespace forelap::run::testing
