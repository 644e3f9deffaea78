#include "models/perturb.hpp"

#include <algorithm>
#include <limits>

namespace forelap::models {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

class Drawer {
 public:
  explicit Drawer(core::Random& random) : random_(random) {}

  void draw(core::Parameter& p, double low = 0, double high = kUnbounded) {
    if (p.spread > 0) p.value = std::clamp(p.value + p.spread * random_.normal(), low, high);
  }
  void draw(std::vector<core::InterferenceRow>& rows) {
    constexpr double kSlowest = 1e-3;
    for (core::InterferenceRow& row : rows) {
      for (auto& [activity, rate] : row.rates) draw(rate, kSlowest, 1);
    }
  }
  void draw(core::DeviceModel& device) {
    draw(device.run_overhead);
    draw(device.hop);
    draw(device.submit);
    for (core::TransferModel& transfer : device.transfers) draw(transfer);
    for (core::KernelModel& kernel : device.kernels) draw(kernel);
    draw(device.interference);
  }

 private:
  // What moves the slope of one piece (a clock, a link) moves the others too: one draw serves all pieces of a model.
  void draw(core::TransferModel& transfer) {
    const double z_fixed = random_.normal();
    const double z_slope = random_.normal();
    for (core::TransferPiece& piece : transfer.pieces) {
      shift(piece.fixed, z_fixed);
      shift(piece.per_byte, z_slope);
    }
  }
  void draw(core::KernelModel& kernel) {
    const double z_launch = random_.normal();
    const double z_work = random_.normal();
    const double z_item = random_.normal();
    for (core::KernelPiece& piece : kernel.pieces) {
      shift(piece.launch, z_launch);
      shift(piece.per_work, z_work);
      shift(piece.per_item, z_item);
    }
  }
  static void shift(core::Parameter& p, double z) { p.value = std::max(0.0, p.value + p.spread * z); }

  core::Random& random_;
};

bool exact(const core::Parameter& parameter) {
  return parameter.spread == 0;
}

bool exact(const std::vector<core::InterferenceRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const core::InterferenceRow& row) {
    return std::all_of(row.rates.begin(), row.rates.end(), [](const auto& rate) { return exact(rate.second); });
  });
}

bool exact(const core::DeviceModel& device) {
  if (!exact(device.run_overhead) || !exact(device.hop) || !exact(device.submit)) return false;
  for (const auto& transfer : device.transfers) {
    for (const auto& piece : transfer.pieces) {
      if (!exact(piece.fixed) || !exact(piece.per_byte)) return false;
    }
  }
  for (const auto& kernel : device.kernels) {
    for (const auto& piece : kernel.pieces) {
      if (!exact(piece.launch) || !exact(piece.per_work) || !exact(piece.per_item)) return false;
    }
  }
  return exact(device.interference);
}

}  // namespace

core::Machine perturb(const core::Machine& machine, core::Random& random) {
  core::Machine drawn = machine;
  Drawer drawer(random);
  for (core::DeviceModel& device : drawn.devices) drawer.draw(device);
  drawer.draw(drawn.host.interference);
  constexpr double kLeastCapacity = 1e-3;
  for (core::HostCapacity& capacity : drawn.host.capacity) drawer.draw(capacity.capacity, kLeastCapacity);
  for (core::HostWorkModel& work : drawn.host.work) {
    drawer.draw(work.fixed);
    drawer.draw(work.per_unit);
  }
  drawer.draw(drawn.network.send_overhead);
  drawer.draw(drawn.network.receive_overhead);
  drawer.draw(drawn.network.per_byte);
  return drawn;
}

bool is_exact(const core::Machine& machine) {
  for (const auto& device : machine.devices) {
    if (!exact(device)) return false;
  }
  for (const auto& capacity : machine.host.capacity) {
    if (!exact(capacity.capacity)) return false;
  }
  for (const auto& work : machine.host.work) {
    if (!exact(work.fixed) || !exact(work.per_unit)) return false;
  }
  const auto& network = machine.network;
  return exact(machine.host.interference) && exact(network.send_overhead) && exact(network.receive_overhead) &&
         exact(network.per_byte);
}

}  // namespace forelap::models
