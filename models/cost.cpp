#include "models/cost.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"

namespace forelap::models {
namespace {

using core::kTicksPerSecond;

double ticks(const core::Parameter& seconds) {
  return seconds.value * kTicksPerSecond;
}

std::string device_name(const core::Machine& machine, std::size_t device) {
  return "device \"" + machine.devices[device].name + "\" of machine \"" + machine.name + "\"";
}

/// The only kernel of the plan, by which rows of the host are chosen; empty where there are none or several.
std::string only_kernel(const core::Plan& plan) {
  return plan.kernels.size() == 1 ? plan.kernels.front() : std::string();
}

/// Rows that speak of `kernel` hold in the place of general ones of the same set.
std::vector<core::InterferenceRow> rows_for(const std::vector<core::InterferenceRow>& rows, const std::string& kernel) {
  std::vector<core::InterferenceRow> chosen;
  for (const core::InterferenceRow& row : rows) {
    if (!row.kernel.empty() && row.kernel != kernel) continue;
    const bool special = std::any_of(rows.begin(), rows.end(), [&](const core::InterferenceRow& other) {
      return row.kernel.empty() && !other.kernel.empty() && other.kernel == kernel && other.active == row.active;
    });
    if (!special) chosen.push_back(row);
  }
  return chosen;
}

RateTable host_table(const core::HostModel& host, const std::string& kernel) {
  RateTable table(rows_for(host.interference, kernel));
  for (const core::HostCapacity& c : host.capacity) {
    if (c.kernel.empty()) table.set_capacity(c.activity, c.capacity.value);
  }
  for (const core::HostCapacity& c : host.capacity) {
    if (!c.kernel.empty() && c.kernel == kernel) table.set_capacity(c.activity, c.capacity.value);
  }
  return table;
}

}  // namespace

/// What decides which piece of a model holds: a launch's work-items, else the amount.
double CostModel::size_of(const core::Step& step) {
  return step.kind == core::StepKind::kernel ? step.items : step.amount;
}

/// The piece whose range holds `size`, else the nearest; `list` is not empty.
const CostModel::Piece& CostModel::piece_at(const PieceList& list, double size) {
  const Piece* piece = list.pieces.data();
  const Piece* const last = piece + list.pieces.size() - 1;
  while (piece != last && size >= piece->to) ++piece;
  return *piece;
}

CostModel::CostModel(const core::Machine& machine, const core::Plan& plan, InterferenceMode mode) : mode_(mode) {
  if (plan.device_count > machine.devices.size()) {
    core::throw_bad_input("the plan needs " + std::to_string(plan.device_count) + " devices, but machine \"" +
                          machine.name + "\" has " + std::to_string(machine.devices.size()) +
                          "; name another machine with -m, or fewer devices in the scenario");
  }
  build_domains(machine, plan);
  build_lanes(machine, plan);
  build_pieces(machine, plan);
  check_steps(machine, plan);
}

void CostModel::build_domains(const core::Machine& machine, const core::Plan& plan) {
  const bool measured = mode_ != InterferenceMode::none;
  for (std::size_t d = 0; d < plan.device_count; ++d) {
    RateTable table = measured ? RateTable(machine.devices[d].interference) : RateTable();
    table.set_capacity(core::ActivityClass::htod, 1);
    table.set_capacity(core::ActivityClass::dtoh, 1);
    table.set_capacity(core::ActivityClass::kernel, 1);
    domains_.push_back(table);
  }
  std::size_t ranks = 1;
  for (const core::Lane& lane : plan.lanes) ranks = std::max(ranks, index(lane.rank) + 1);
  device_domains_ = domains_.size();
  in_place_.resize(device_domains_);
  for (const core::Buffer& buffer : plan.buffers) {
    if (buffer.in_place) in_place_[index(buffer.device)] = true;
  }
  RateTable host = measured ? host_table(machine.host, only_kernel(plan)) : RateTable();
  if (machine.host.cores > 0) host.set_capacity(core::ActivityClass::host_work, machine.host.cores);
  domains_.insert(domains_.end(), ranks, host);
  network_domain_ = static_cast<std::uint32_t>(domains_.size());
  domains_.emplace_back();
}

void CostModel::build_lanes(const core::Machine& machine, const core::Plan& plan) {
  std::vector<std::uint32_t> kernel_lanes(plan.device_count);
  for (const core::Lane& lane : plan.lanes) {
    if (lane.kind == core::LaneKind::kernel && index(lane.device) < kernel_lanes.size()) {
      ++kernel_lanes[index(lane.device)];
    }
  }
  for (const core::Lane& lane : plan.lanes) {
    LaneCost cost;
    const std::size_t host = plan.device_count + index(lane.rank);
    // A domain that slows nothing is left out, which saves both engines the re-estimates.
    if (!domains_[host].is_trivial()) cost.host_domain = static_cast<std::uint32_t>(host);
    if (lane.device != core::none<core::DeviceId>()) {
      const core::DeviceModel& device = machine.devices[index(lane.device)];
      cost.hop = ticks(device.hop);
      cost.submit = ticks(device.submit);
      cost.launches_apart = lane.kind == core::LaneKind::kernel && kernel_lanes[index(lane.device)] > 1;
    }
    lanes_.push_back(cost);
  }
}

void CostModel::build_pieces(const core::Machine& machine, const core::Plan& plan) {
  kernel_count_ = plan.kernels.size();
  copies_.resize(std::size_t{plan.device_count} * 4);
  kernels_.resize(plan.device_count * kernel_count_);
  for (std::size_t d = 0; d < plan.device_count; ++d) {
    for (const core::TransferModel& model : machine.devices[d].transfers) {
      PieceList& list =
          copies_[d * 4 + static_cast<std::size_t>(model.direction) * 2 + static_cast<std::size_t>(model.memory)];
      for (const core::TransferPiece& p : model.pieces) {
        list.pieces.push_back(
            {p.from_bytes, p.to_bytes, ticks(p.fixed), ticks(p.per_byte), 0, p.from_bytes, p.to_bytes});
      }
    }
    for (std::size_t k = 0; k < kernel_count_; ++k) {
      const core::KernelModel* model = core::find_kernel(machine.devices[d], plan.kernels[k]);
      if (model == nullptr) continue;
      PieceList& list = kernels_[d * kernel_count_ + k];
      list.fill = model->fill.value;
      list.full_items = model->full_items.value;
      for (const core::KernelPiece& p : model->pieces) {
        list.pieces.push_back({p.from_items, p.to_items, ticks(p.launch), ticks(p.per_work), ticks(p.per_item),
                               p.least_work, p.most_work});
      }
    }
  }
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  works_.resize(plan.host_work_names.size());
  for (std::size_t w = 0; w < works_.size(); ++w) {
    for (const core::HostWorkModel& model : machine.host.work) {
      if (model.work == plan.host_work_names[w]) {
        works_[w].pieces.push_back({0, unlimited, ticks(model.fixed), ticks(model.per_unit), 0, 0, unlimited});
      }
    }
  }
  send_.pieces.push_back(
      {0, unlimited, ticks(machine.network.send_overhead), ticks(machine.network.per_byte), 0, 0, unlimited});
  receive_.pieces.push_back({0, unlimited, ticks(machine.network.receive_overhead), 0, 0, 0, unlimited});
  kernel_of_call_.reserve(plan.calls.size());
  for (const core::KernelCall& call : plan.calls) kernel_of_call_.push_back(call.kernel);
}

const CostModel::PieceList& CostModel::pieces_of(const core::Step& step) const {
  switch (step.kind) {
    case core::StepKind::copy:
      return copies_[copy_index(step)];
    case core::StepKind::kernel:
      return kernels_[index(step.device) * kernel_count_ + index(kernel_of_call_[step.subject])];
    case core::StepKind::host_work:
      return works_[step.subject];
    case core::StepKind::send:
      return send_;
    case core::StepKind::receive:
      break;
  }
  return receive_;
}

void CostModel::check_steps(const core::Machine& machine, const core::Plan& plan) {
  std::vector<bool> used(plan.device_count);
  for (const core::Step& step : plan.steps) {
    if (step.kind == core::StepKind::copy || step.kind == core::StepKind::kernel) used[index(step.device)] = true;
    if (step.duration != core::kModelled) continue;
    const PieceList& list = pieces_of(step);
    if (!list.pieces.empty()) {
      const Piece& piece = piece_at(list, size_of(step));
      const bool inside = size_of(step) >= list.pieces.front().from && size_of(step) <= list.pieces.back().to &&
                          step.amount >= piece.least && step.amount <= piece.most;
      if (!inside) ++extrapolated_;
      continue;
    }
    if (step.kind == core::StepKind::copy) {
      core::throw_bad_input(device_name(machine, index(step.device)) + " has no model of " +
                            (step.memory == core::MemoryKind::pinned ? "pinned" : "pageable") + " transfers " +
                            (step.direction == core::Direction::host_to_device ? "to" : "from") +
                            " the device; calibrate it with `forelap calibrate`, or give durations");
    }
    if (step.kind == core::StepKind::kernel) {
      core::throw_bad_input(device_name(machine, index(step.device)) + " has no model of kernel \"" +
                            plan.kernels[index(plan.call_of(step).kernel)] +
                            "\"; calibrate it with `forelap calibrate --scenario FILE`, or give durations");
    }
    core::throw_bad_input("machine \"" + machine.name + "\" has no model of host work \"" +
                          plan.host_work_names[step.subject] + "\"");
  }
  for (std::size_t d = 0; d < used.size(); ++d) {
    if (used[d]) run_overhead_ = std::max(run_overhead_, ticks(machine.devices[d].run_overhead));
  }
}

StepCost CostModel::cost(const core::Step& step) const {
  const StepCost cost = cost_by_launch(step);
  return lanes_[index(step.lane)].launches_apart ? cost : cost.folded();
}

StepCost CostModel::cost_by_launch(const core::Step& step) const {
  StepCost cost;
  const LaneCost& lane = lanes_[index(step.lane)];
  switch (step.kind) {
    case core::StepKind::copy:
      cost.activity =
          step.direction == core::Direction::host_to_device ? core::ActivityClass::htod : core::ActivityClass::dtoh;
      cost.domains = {static_cast<std::uint32_t>(index(step.device)), lane.host_domain};
      break;
    case core::StepKind::kernel:
      cost.activity = core::ActivityClass::kernel;
      cost.domains[0] = static_cast<std::uint32_t>(index(step.device));
      if (in_place_[index(step.device)]) cost.domains[1] = lane.host_domain;
      break;
    case core::StepKind::host_work:
      cost.domains[0] = lane.host_domain;
      break;
    case core::StepKind::send:
    case core::StepKind::receive:
      cost.activity = core::ActivityClass::message;
      if (!domains_[network_domain_].is_trivial()) cost.domains[0] = network_domain_;
      break;
  }
  cost.launches = step.kind == core::StepKind::kernel ? std::max(1U, step.count) : 1;
  const double count = step.count / static_cast<double>(cost.launches);
  const PieceList& list = pieces_of(step);
  const double part = step.items > 0 && step.items < list.full_items ? step.items / list.full_items : 1;
  cost.fill = list.fill * part;
  if (step.duration != core::kModelled) {
    cost.work = static_cast<double>(step.duration) * count;
    return cost;
  }
  const Piece& piece = piece_at(list, size_of(step));
  cost.fixed = piece.fixed * count;
  cost.work = (piece.slope * step.amount + piece.slope_items * step.items) / part * count;
  return cost;
}

}  // namespace forelap::models
