#include "app/show_machine.hpp"

#include <cmath>

#include "app/table.hpp"
#include "core/number_text.hpp"
#include "core/quantity.hpp"

namespace forelap::app {
namespace {

std::string time_text(double seconds) {
  return seconds > 0 ? core::display_quantity(seconds, core::Dimension::time, 3) : "0 s";
}

/// The spread relative to the value, "0.4 %"; "-" where there is nothing to relate it to.
std::string spread_text(const core::Parameter& parameter) {
  if (!(parameter.value > 0)) return "-";
  return core::fixed(100 * parameter.spread / parameter.value, 2) + " %";
}

std::string rate_text(const core::Parameter& per_byte) {
  return per_byte.value > 0 ? core::display_quantity(1 / per_byte.value, core::Dimension::rate, 4) : "unlimited";
}

std::string set_text(core::ActivitySet set) {
  std::string text;
  for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
    if ((set >> i & 1U) != 0) text += (text.empty() ? "" : " + ") + std::string(core::kActivityNames[i]);
  }
  return text;
}

void add_time(Table& table, const std::string& what, const core::Parameter& parameter) {
  table.add({what, time_text(parameter.value), spread_text(parameter), std::to_string(parameter.samples)});
}

void add_transfers(Table& table, const core::DeviceModel& device) {
  for (const auto& transfer : device.transfers) {
    const std::string direction = transfer.direction == core::Direction::host_to_device ? "htod" : "dtoh";
    const std::string memory = transfer.memory == core::MemoryKind::pinned ? " pinned" : " pageable";
    for (const auto& piece : transfer.pieces) {
      const std::string range = transfer.pieces.size() == 1
                                    ? ""
                                    : " from " + core::display_quantity(piece.from_bytes, core::Dimension::bytes, 3);
      add_time(table, direction + memory + range + ", latency", piece.fixed);
      table.add({direction + memory + range + ", rate", rate_text(piece.per_byte), spread_text(piece.per_byte),
                 std::to_string(piece.per_byte.samples)});
    }
  }
}

/// One unit of work takes too little to read.
core::Parameter million(core::Parameter parameter) {
  parameter.value *= 1e6;
  parameter.spread *= 1e6;
  return parameter;
}

void add_kernels(Table& table, const core::DeviceModel& device) {
  for (const auto& kernel : device.kernels) {
    if (kernel.full_items.value > 0) {
      table.add({kernel.kernel + ", items that fill the device", core::significant(kernel.full_items.value, 3),
                 spread_text(kernel.full_items), std::to_string(kernel.full_items.samples)});
    }
    for (const auto& piece : kernel.pieces) {
      const std::string range =
          kernel.pieces.size() == 1 ? "" : " from " + core::significant(piece.from_items, 3) + " items";
      add_time(table, kernel.kernel + range + ", launch", piece.launch);
      add_time(table, kernel.kernel + range + ", a million work", million(piece.per_work));
    }
  }
}

void add_interference(Table& table, const core::DeviceModel& device) {
  for (const auto& row : device.interference) {
    for (const auto& [activity, rate] : row.rates) {
      table.add({"rate of " + std::string(core::name_of(activity)) + " in " + set_text(row.active),
                 core::fixed(rate.value, 3), spread_text(rate), std::to_string(rate.samples)});
    }
  }
}

}  // namespace

std::string machine_text(const core::Machine& machine, const Output& output) {
  std::string text = "machine " + machine.name + " (" + machine.when + ")\n";
  for (const auto& device : machine.devices) {
    Table table({{device.name, Align::left, true}, {"value"}, {"spread"}, {"samples"}});
    table.add({"copy engines", core::significant(device.copy_engines.value, 2), "-",
               std::to_string(device.copy_engines.samples)});
    add_time(table, "run overhead", device.run_overhead);
    add_time(table, "hop between lanes", device.hop);
    add_time(table, "submission of a step", device.submit);
    add_transfers(table, device);
    add_kernels(table, device);
    add_interference(table, device);
    text += table.render(output.width(), output.colours());
  }
  return text;
}

std::string drift_text(const calibrate::DriftReport& report, const Output& output) {
  Table table({{"what", Align::left, true}, {"profile"}, {"now"}, {"deviation"}, {"", Align::left}});
  for (const auto& row : report.rows) {
    const auto value = [&row](double v) {
      return row.part == calibrate::Part::interference ? core::fixed(v, 3) : time_text(v);
    };
    table.add({row.what, value(row.expected), value(row.measured),
               (row.deviation < 0 ? "-" : "+") + core::fixed(100 * std::abs(row.deviation), 2) + " %",
               row.drifted ? "drifted" : "holds"});
  }
  return table.render(output.width(), output.colours());
}

}  // namespace forelap::app
