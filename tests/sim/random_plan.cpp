#include "tests/sim/random_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/activity.hpp"
#include "core/statistics.hpp"

namespace forelap::tests {
namespace {

using core::ActivityClass;
using core::Random;

constexpr std::array<const char*, 3> kKernels = {"short", "long", "wide"};
constexpr std::array<const char*, 2> kWorks = {"compile", "round"};
constexpr std::array<double, 7> kDecades = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

bool chance(Random& random, double probability) {
  return random.uniform() < probability;
}

core::Parameter parameter(double value) {
  core::Parameter p;
  p.value = value;
  return p;
}

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

/// Rates of every class of every set in `sets`; no two alike, so that the directions differ, and some left at 1.
std::vector<core::InterferenceRow> random_rows(Random& random, std::vector<core::ActivitySet> sets) {
  std::vector<core::InterferenceRow> rows;
  for (const core::ActivitySet set : sets) {
    if (chance(random, 0.3)) continue;
    core::InterferenceRow row;
    row.active = set;
    for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
      const auto c = static_cast<ActivityClass>(i);
      if ((set & core::bit(c)) == 0 || chance(random, 0.2)) continue;
      row.rates[c] = parameter(between(random, 0.3, 1.05));
    }
    rows.push_back(row);
  }
  return rows;
}

core::ActivitySet set_of(std::initializer_list<ActivityClass> classes) {
  unsigned bits = 0;
  for (const ActivityClass c : classes) bits |= core::bit(c);
  return static_cast<core::ActivitySet>(bits);
}

core::TransferModel random_transfer(Random& random, core::Direction direction, core::MemoryKind memory) {
  constexpr double kSplit = 64.0 * 1024;
  core::TransferModel model;
  model.direction = direction;
  model.memory = memory;
  const double per_byte = 1 / between(random, 4e9, 60e9);
  const double fixed = chance(random, 0.2) ? 0 : between(random, 1e-6, 2e-5);
  model.pieces.push_back({0, kSplit, parameter(fixed), parameter(per_byte * 1.5)});
  model.pieces.push_back({kSplit, std::numeric_limits<double>::max(), parameter(fixed * 1.1), parameter(per_byte)});
  return model;
}

/// Whole devices, parts that add up to one or to more exactly, and any part.
double random_fill(Random& random) {
  const double kind = random.uniform();
  if (kind < 0.3) return 1;
  if (kind < 0.55) return 1.0 / static_cast<double>(2 + random.below(3));
  return between(random, 0.05, 0.95);
}

core::KernelModel random_kernel(Random& random, const char* name) {
  core::KernelModel model;
  model.kernel = name;
  model.fill = parameter(random_fill(random));
  core::KernelPiece piece;
  piece.to_items = std::numeric_limits<double>::max();
  piece.launch = parameter(chance(random, 0.2) ? 0 : between(random, 2e-6, 1e-5));
  piece.per_work = parameter(between(random, 1e-9, 1e-8));
  piece.per_item = parameter(chance(random, 0.5) ? 0 : between(random, 1e-12, 1e-10));
  model.pieces.push_back(piece);
  return model;
}

core::DeviceModel random_device(Random& random, std::size_t number, bool two_engines) {
  using enum ActivityClass;
  core::DeviceModel device;
  device.name = "device" + std::to_string(number);
  device.identity.backend = "model";
  device.identity.name = device.name;
  device.copy_engines = parameter(two_engines ? 2 : 1);
  device.run_overhead = parameter(chance(random, 0.5) ? 0 : between(random, 1e-6, 2e-5));
  device.hop = parameter(chance(random, 0.5) ? 0 : between(random, 1e-7, 2e-5));
  device.submit = parameter(chance(random, 0.5) ? 0 : between(random, 1e-7, 5e-6));
  for (const auto direction : {core::Direction::host_to_device, core::Direction::device_to_host}) {
    for (const auto memory : {core::MemoryKind::pinned, core::MemoryKind::pageable}) {
      device.transfers.push_back(random_transfer(random, direction, memory));
    }
  }
  for (const char* kernel : kKernels) device.kernels.push_back(random_kernel(random, kernel));
  device.interference = random_rows(
      random, {set_of({htod, dtoh}), set_of({htod, kernel}), set_of({dtoh, kernel}), set_of({htod, dtoh, kernel})});
  return device;
}

core::Machine random_machine(Random& random, const std::vector<bool>& two_engines) {
  using enum ActivityClass;
  core::Machine machine;
  machine.name = "random";
  machine.host.cores = static_cast<std::uint32_t>(1 + random.below(8));
  for (const char* work : kWorks) {
    machine.host.work.push_back({work, parameter(chance(random, 0.3) ? 0 : between(random, 1e-6, 1e-3)),
                                 parameter(between(random, 1e-6, 1e-4))});
  }
  machine.host.interference =
      random_rows(random, {set_of({htod, dtoh}), set_of({htod, host_work}), set_of({dtoh, host_work}),
                           set_of({host_work, message}), set_of({htod, dtoh, host_work})});
  for (std::size_t i = 0; i < two_engines.size(); ++i) {
    machine.devices.push_back(random_device(random, i, two_engines[i]));
  }
  machine.network.send_overhead = parameter(between(random, 1e-7, 2e-6));
  machine.network.receive_overhead = parameter(between(random, 1e-6, 1e-5));
  machine.network.per_byte = parameter(1 / between(random, 1e9, 2e10));
  return machine;
}

struct DeviceLanes {
  core::LaneId htod{}, dtoh{};
  std::vector<core::LaneId> kernels;
};

struct RankLanes {
  core::LaneId host{}, network{};
};

/// Writes the steps of one random plan.
class PlanWriter {
 public:
  PlanWriter(Random& random, const std::vector<bool>& two_engines, std::size_t steps)
      : random_(random), steps_(steps), scale_(random.below(kDecades.size())) {
    for (std::size_t d = 0; d < two_engines.size(); ++d) add_device_lanes(d, two_engines[d]);
    const std::size_t ranks = 1 + random.below(3);
    for (std::size_t r = 0; r < ranks; ++r) add_rank_lanes(r);
    builder_.reserve(steps);
  }

  core::Plan write() {
    while (ids_.size() < steps_) {
      switch (random_.below(9)) {
        case 0:
        case 1:
          add_copy(core::Direction::host_to_device);
          break;
        case 2:
          add_copy(core::Direction::device_to_host);
          break;
        case 3:
        case 4:
        case 5:
        case 6:
          add_kernel();
          break;
        case 7:
          add_host_work();
          break;
        default:
          add_message();
          break;
      }
    }
    core::Plan plan = builder_.build();
    plan.device_count = static_cast<std::uint32_t>(devices_.size());
    return plan;
  }

 private:
  void add_device_lanes(std::size_t d, bool two_engines) {
    const auto device = core::make_id<core::DeviceId>(d);
    const std::string name = "device" + std::to_string(d);
    DeviceLanes lanes;
    lanes.htod = builder_.add_lane({core::LaneKind::copy, device, {}, name + (two_engines ? " htod" : " copy")});
    lanes.dtoh = two_engines ? builder_.add_lane({core::LaneKind::copy, device, {}, name + " dtoh"}) : lanes.htod;
    const std::size_t kernels = chance(random_, 0.25) ? 1 : 2 + random_.below(4);
    for (std::size_t k = 0; k < kernels; ++k) {
      lanes.kernels.push_back(
          builder_.add_lane({core::LaneKind::kernel, device, {}, name + " kernel" + std::to_string(k)}));
    }
    devices_.push_back(lanes);
  }

  void add_rank_lanes(std::size_t r) {
    const auto rank = core::make_id<core::RankId>(r);
    const std::string name = "rank" + std::to_string(r);
    RankLanes lanes;
    lanes.host = builder_.add_lane({core::LaneKind::host, core::none<core::DeviceId>(), rank, name + " host"});
    lanes.network = builder_.add_lane({core::LaneKind::network, core::none<core::DeviceId>(), rank, name + " network"});
    ranks_.push_back(lanes);
  }

  /// A length in seconds near the case's decade, or zero, or one of few equal values.
  double seconds() {
    const double kind = random_.uniform();
    if (kind < 0.08) return 0;
    const double decade = kDecades[kind < 0.8 ? scale_ : random_.below(kDecades.size())];
    if (kind < 0.35) return decade * static_cast<double>(1 + random_.below(4));
    return decade * between(random_, 0.5, 9.5);
  }

  core::Tick duration() {
    if (chance(random_, 0.55)) return core::kModelled;
    if (chance(random_, 0.05)) return static_cast<core::Tick>(random_.below(3));
    return core::ticks_from_seconds(seconds());
  }

  std::uint32_t count() { return chance(random_, 0.9) ? 1 : static_cast<std::uint32_t>(2 + random_.below(4)); }

  std::vector<core::StepId> after() {
    std::vector<core::StepId> ids;
    while (!ids_.empty() && chance(random_, 0.45)) {
      const std::size_t window = std::min<std::size_t>(ids_.size(), chance(random_, 0.8) ? 8 : ids_.size());
      ids.push_back(ids_[ids_.size() - 1 - random_.below(window)]);
    }
    return ids;
  }

  std::uint64_t bytes() { return static_cast<std::uint64_t>(std::min(seconds(), 10.0) * 8e9); }

  void add_copy(core::Direction direction) {
    const std::size_t d = random_.below(devices_.size());
    core::CopyStep step;
    step.lane = direction == core::Direction::host_to_device ? devices_[d].htod : devices_[d].dtoh;
    step.device = core::make_id<core::DeviceId>(d);
    step.direction = direction;
    step.memory = chance(random_, 0.7) ? core::MemoryKind::pinned : core::MemoryKind::pageable;
    step.bytes = bytes();
    step.count = count();
    step.duration = duration();
    ids_.push_back(builder_.add(step, after()));
  }

  void add_kernel() {
    const std::size_t d = random_.below(devices_.size());
    core::KernelStep step;
    step.lane = devices_[d].kernels[random_.below(devices_[d].kernels.size())];
    step.device = core::make_id<core::DeviceId>(d);
    step.call.kernel = builder_.kernel(kKernels[random_.below(kKernels.size())]);
    step.work = seconds() * 2e8;
    step.items = chance(random_, 0.5) ? 0 : static_cast<double>(random_.below(100000));
    step.count = count();
    step.duration = duration();
    ids_.push_back(builder_.add(step, {}, after()));
  }

  void add_host_work() {
    core::HostWorkStep step;
    step.lane = ranks_[random_.below(ranks_.size())].host;
    step.work = builder_.host_work(kWorks[random_.below(kWorks.size())]);
    step.amount = seconds() * 2e4;
    step.count = count();
    step.duration = duration();
    ids_.push_back(builder_.add(step, after()));
  }

  /// A send and its receive, which may be the same rank's; a lone send where only one step is left.
  void add_message() {
    const std::size_t from = random_.below(ranks_.size());
    const std::size_t to = random_.below(ranks_.size());
    core::SendStep send;
    send.lane = ranks_[from].network;
    send.peer = core::make_id<core::RankId>(to);
    send.bytes = bytes();
    send.count = count();
    send.duration = duration();
    ids_.push_back(builder_.add(send, after()));
    if (ids_.size() == steps_) return;
    core::ReceiveStep receive;
    receive.lane = ranks_[to].network;
    receive.peer = core::make_id<core::RankId>(from);
    receive.bytes = send.bytes;
    receive.count = send.count;
    receive.duration = duration();
    std::vector<core::StepId> dependencies = {ids_.back()};
    for (const core::StepId id : after()) dependencies.push_back(id);
    ids_.push_back(builder_.add(receive, dependencies));
  }

  Random& random_;
  std::size_t steps_;
  std::size_t scale_;
  core::PlanBuilder builder_;
  std::vector<DeviceLanes> devices_;
  std::vector<RankLanes> ranks_;
  std::vector<core::StepId> ids_;
};

}  // namespace

RandomCase random_case(std::uint64_t seed, std::size_t steps) {
  Random random(seed);
  std::vector<bool> two_engines(1 + random.below(4));
  for (std::size_t i = 0; i < two_engines.size(); ++i) two_engines[i] = chance(random, 0.6);
  RandomCase result;
  result.machine = random_machine(random, two_engines);
  result.plan = PlanWriter(random, two_engines, steps).write();
  return result;
}

}  // namespace forelap::tests
