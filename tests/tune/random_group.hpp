#pragma once
// Small random groups on random machines, for tests that hold searches and bounds against all arrangements.

#include <string>

#include "core/machine.hpp"
#include "core/statistics.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/tuning.hpp"

namespace forelap::tune::testing {

struct RandomGroup {
  scenarios::Scenario scenario;
  scenarios::TaskGroupTuning tuning;
  core::Machine machine;
  [[nodiscard]] scenarios::TaskGroup& group() { return std::get<scenarios::TaskGroup>(scenario.body); }
};

struct RandomGroupOptions {
  std::size_t tasks = 4;
  std::uint32_t devices = 1;
  bool memory = false;  ///< a limit that some tasks must wait for
  bool after = false;   ///< random dependencies
  bool fills = false;   ///< kernels that fill part of a device
  bool host = false;    ///< transfers of all devices slow each other
  bool odd = true;      ///< tasks with missing stages and stages of two commands
  double spread = 0;    ///< of parameters, relative
};

inline core::Parameter parameter(double value, double spread = 0) {
  core::Parameter p;
  p.value = value;
  p.spread = value * spread;
  p.samples = 9;
  return p;
}

class RandomGroupMaker {
 public:
  RandomGroupMaker(core::Random& random, const RandomGroupOptions& options) : random_(random), options_(options) {}

  RandomGroup run() {
    RandomGroup made;
    made.machine.name = "random";
    made.machine.host.cores = 2;
    scenarios::TaskGroup group;
    for (std::uint32_t d = 0; d < options_.devices; ++d) {
      made.machine.devices.push_back(device(d));
      group.devices.push_back(made.machine.devices.back().name);
      made.tuning.engines.push_back(random_.below(3) == 0 ? 1 : 2);
    }
    if (options_.host) made.machine.host.interference = {row(0b011, false)};
    made.tuning.device_count = options_.devices;
    scenarios::TaskCase c;
    std::uint64_t largest = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < options_.tasks; ++i) {
      c.tasks.push_back(spec(i));
      made.tuning.tasks.push_back(task());
      made.tuning.order.push_back(static_cast<std::uint32_t>(i));
      made.tuning.device.push_back(static_cast<std::uint32_t>(random_.below(options_.devices)));
      c.tasks.back().device = made.tuning.device.back();
      largest = std::max(largest, made.tuning.tasks.back().buffer_bytes);
      sum += made.tuning.tasks.back().buffer_bytes;
    }
    if (options_.memory) group.device_memory = largest + random_.below(sum - largest + 1) / 2;
    group.cases = {c};
    made.scenario.name = "random";
    made.scenario.body = group;
    return made;
  }

 private:
  core::DeviceModel device(std::uint32_t number) {
    core::DeviceModel d;
    d.name = "gpu" + std::to_string(number);
    d.identity.backend = "model";
    d.copy_engines = parameter(2);
    d.run_overhead = some(1e-6);
    d.hop = some(5e-6);
    d.submit = random_.below(2) == 0 ? parameter(0) : some(2e-6);
    for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
      core::TransferModel model;
      model.direction = direction;
      model.pieces = {{0, 1e12, some(10e-6), some(1e-10)}};
      d.transfers.push_back(model);
    }
    for (const char* name : {"synthetic", "vector_add"}) {
      core::KernelModel kernel;
      kernel.kernel = name;
      kernel.fill = parameter(options_.fills ? 0.2 + 0.8 * random_.uniform() : 1);
      kernel.pieces.push_back({0, 1e12, 0, 1e18, some(5e-6), some(1e-9), parameter(0)});
      d.kernels.push_back(kernel);
    }
    if (random_.below(4) != 0) d.interference = {row(0b011, false), row(0b111, true)};
    return d;
  }

  core::Parameter some(double about) { return parameter(about * (0.5 + random_.uniform()), options_.spread); }

  /// Classes htod 1, dtoh 2, kernel 4.
  core::InterferenceRow row(core::ActivitySet active, bool kernel) {
    core::InterferenceRow r;
    r.active = active;
    r.rates[core::ActivityClass::htod] = parameter(0.5 + 0.5 * random_.uniform());
    r.rates[core::ActivityClass::dtoh] = parameter(0.5 + 0.5 * random_.uniform());
    if (kernel) r.rates[core::ActivityClass::kernel] = parameter(0.6 + 0.4 * random_.uniform());
    return r;
  }

  scenarios::TaskSpec spec(std::size_t position) {
    scenarios::TaskSpec s;
    s.name = "T" + std::to_string(position);
    for (std::uint32_t other = 0; options_.after && other < position; ++other) {
      if (random_.below(4) == 0) s.after.push_back(other);
    }
    return s;
  }

  std::vector<scenarios::SizedTransfer> transfers() {
    std::vector<scenarios::SizedTransfer> list;
    std::size_t count = 1;
    if (options_.odd) count = random_.below(8) == 0 ? 0 : random_.below(8) == 0 ? 2 : 1;
    for (std::size_t i = 0; i < count; ++i) list.push_back({4 * (1 + random_.below(1'000'000)), core::kModelled});
    return list;
  }

  scenarios::SizedTask task() {
    scenarios::SizedTask t;
    t.htod = transfers();
    t.dtoh = transfers();
    t.buffer_bytes = 8'000'000 + 4 * random_.below(4'000'000);
    const bool kernel = !options_.odd || t.htod.empty() || random_.below(8) != 0;
    if (kernel) {
      t.kernels.push_back(
          {random_.below(2) == 0 ? "synthetic" : "vector_add", 1 + random_.below(3), 0, core::kModelled});
      // Work by a given time where the built-in kernels' work would be far from the transfers'.
      t.kernels.back().duration = static_cast<core::Tick>(1 + random_.below(600)) * 1'000'000;
    }
    return t;
  }

  core::Random& random_;
  RandomGroupOptions options_;
};

inline RandomGroup random_group(core::Random& random, const RandomGroupOptions& options) {
  return RandomGroupMaker(random, options).run();
}

}  // namespace forelap::tune::testing
