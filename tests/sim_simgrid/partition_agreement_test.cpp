// Divisions of a kernel over devices that meet on the host: SimGrid and sim/fast give the same timelines.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/statistics.hpp"
#include "models/cost.hpp"
#include "scenarios/lower.hpp"
#include "sim/fast/executor.hpp"
#include "sim/simgrid/executor.hpp"
#include "tests/sim_simgrid/require_simgrid.hpp"

namespace forelap::tests {
namespace {

using core::ActivityClass;

core::Parameter value(double v) {
  core::Parameter p;
  p.value = v;
  return p;
}

core::TransferModel link(core::Direction direction, double fixed, double per_byte) {
  core::TransferModel model;
  model.direction = direction;
  core::TransferPiece piece;
  piece.to_bytes = 1e15;
  piece.fixed = value(fixed);
  piece.per_byte = value(per_byte);
  model.pieces = {piece};
  return model;
}

core::InterferenceRow row(core::Random& random, std::initializer_list<ActivityClass> classes) {
  core::InterferenceRow r;
  for (const ActivityClass c : classes) {
    r.active = static_cast<core::ActivitySet>(r.active | core::bit(c));
    r.rates[c] = value(0.3 + 0.7 * random.uniform());
  }
  return r;
}

/// Two devices behind links and two groups of cores, with every kind of slowing between them.
core::Machine random_machine(core::Random& random) {
  core::Machine machine;
  machine.name = "random";
  machine.host.cores = 8;
  for (std::size_t d = 0; d < 4; ++d) {
    core::DeviceModel device;
    device.name = "d" + std::to_string(d);
    device.identity.backend = d < 2 ? "cuda" : "cpu";
    device.copy_engines = value(1 + static_cast<double>(random.below(2)));
    device.hop = value(1e-6 * random.uniform());
    core::KernelModel kernel;
    kernel.kernel = "matrix_add";
    kernel.fill = value(1);
    core::KernelPiece piece;
    piece.to_items = 1e15;
    piece.launch = value(5e-6 * random.uniform());
    piece.per_work = value(1e-9 * (1 + random.uniform()));
    kernel.pieces = {piece};
    device.kernels = {kernel};
    device.transfers = {link(core::Direction::host_to_device, 1e-6 * random.uniform(), 1e-10 * (1 + random.uniform())),
                        link(core::Direction::device_to_host, 1e-6 * random.uniform(), 1e-10 * (1 + random.uniform()))};
    device.interference = {row(random, {ActivityClass::htod, ActivityClass::dtoh})};
    machine.devices.push_back(device);
  }
  for (const auto c : {ActivityClass::htod, ActivityClass::dtoh, ActivityClass::kernel}) {
    machine.host.capacity.push_back({c, value(0.5 + 1.5 * random.uniform()), {}});
  }
  machine.host.interference = {row(random, {ActivityClass::htod, ActivityClass::kernel}),
                               row(random, {ActivityClass::htod, ActivityClass::dtoh, ActivityClass::kernel})};
  machine.host.interference[0].kernel = random.below(2) == 0 ? "matrix_add" : "other";
  return machine;
}

scenarios::PartitionTuning random_tuning(core::Random& random, const core::Machine& machine, std::uint64_t rows) {
  scenarios::PartitionTuning tuning;
  std::vector<double> weights;
  for (const auto& model : machine.devices) {
    scenarios::DevicePart part;
    part.name = model.name;
    part.in_place = model.identity.backend == "cpu";
    part.engines = static_cast<std::uint32_t>(model.copy_engines.value);
    part.chunks = part.in_place ? 1 : 1 + static_cast<std::uint32_t>(random.below(6));
    tuning.devices.push_back(part);
    weights.push_back(random.below(4) == 0 ? 0 : random.uniform());
  }
  weights[0] += 0.1;
  const auto shares = scenarios::divide(rows, weights);
  for (std::size_t d = 0; d < shares.size(); ++d) tuning.devices[d].rows = shares[d];
  if (random.below(3) == 0) tuning.transfers = scenarios::TransferMode::serial;
  return tuning;
}

class PartitionAgreement : public NeedsSimGrid {};

TEST_F(PartitionAgreement, BothSimulatorsGiveTheSameTimelinesOfRandomDivisions) {
  const auto helper = sim::simgrid::start_helper();
  core::Random random(5);
  scenarios::Scenario scenario;
  scenarios::Partition partition;
  partition.kernel = *scenarios::find_partition_kernel("matrix_add");
  partition.sizes = {{"rows", 5000}, {"columns", 40}};
  scenario.body = partition;
  for (int trial = 0; trial < 200; ++trial) {
    const auto machine = random_machine(random);
    const auto plan = scenarios::lower(scenario, random_tuning(random, machine, 5000));
    for (const auto mode : {models::InterferenceMode::partial, models::InterferenceMode::none}) {
      const auto ours =
          sim::simgrid::make_executor(std::make_shared<core::Machine>(machine), mode, helper)->run(plan, {}, {});
      const auto fast = sim::fast::simulate(plan, models::CostModel(machine, plan, mode));
      ASSERT_EQ(ours.intervals.size(), fast.intervals.size());
      for (std::size_t i = 0; i < fast.intervals.size(); ++i) {
        ASSERT_LE(std::abs(ours.intervals[i].begin - fast.intervals[i].begin), 2) << "trial " << trial << " step " << i;
        ASSERT_LE(std::abs(ours.intervals[i].end - fast.intervals[i].end), 2) << "trial " << trial << " step " << i;
      }
    }
  }
}

}  // namespace
}  // namespace forelap::tests
