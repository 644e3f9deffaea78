#include "scenarios/machine_file.hpp"

#include <set>

#include "core/atomic_file.hpp"
#include "scenarios/override.hpp"
#include "scenarios/read.hpp"

namespace forelap::scenarios {
namespace {

using core::DeviceModel;
using core::Dimension;
using core::HostModel;
using core::InterferenceRow;
using core::Machine;
using core::Parameter;

Codec<Parameter> time_parameter() {
  const auto time = quantity_codec(Dimension::time, 0, 1e6);
  return parameter_codec(time, time);
}

Codec<core::ActivityClass> activity_codec() {
  std::vector<std::pair<std::string, core::ActivityClass>> choices;
  for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
    choices.emplace_back(core::kActivityNames[i], static_cast<core::ActivityClass>(i));
  }
  return choice_codec<core::ActivityClass>(choices);
}

Codec<core::ActivitySet> active_codec() {
  const auto list = list_codec(activity_codec(), 2);
  Codec<core::ActivitySet> codec;
  codec.expected = list.expected;
  codec.read = [list](const Cursor& cursor) {
    core::ActivitySet set = 0;
    for (const core::ActivityClass c : list.read(cursor)) {
      if ((set & core::bit(c)) != 0) cursor.fail("found " + std::string(core::name_of(c)) + " twice");
      set = static_cast<core::ActivitySet>(set | core::bit(c));
    }
    return set;
  };
  codec.write = [list](const core::ActivitySet& set) {
    std::vector<core::ActivityClass> classes;
    for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
      const auto c = static_cast<core::ActivityClass>(i);
      if ((set & core::bit(c)) != 0) classes.push_back(c);
    }
    return list.write(classes);
  };
  codec.schema = list.schema;
  return codec;
}

/// Rates may come a little above 1 from a fit; the model clamps them.
Table<InterferenceRow> interference_table() {
  const auto rate =
      parameter_codec(quantity_codec(Dimension::fraction, 1e-6, 2), quantity_codec(Dimension::fraction, 0, 2));
  using Rates = std::map<core::ActivityClass, Parameter>;
  Table<Rates> rates("rates by class");
  for (std::size_t i = 0; i < core::kActivityClasses; ++i) {
    const auto c = static_cast<core::ActivityClass>(i);
    rates.add_mapped<Parameter>(
        Need::optional, std::string(core::name_of(c)), "share of its solo rate", rate,
        [c](Rates& map, Parameter p) { map[c] = std::move(p); },
        [c](const Rates& map) -> std::optional<Parameter> {
          const auto at = map.find(c);
          if (at == map.end()) return {};
          return at->second;
        });
  }
  Table<InterferenceRow> table("a row of interference");
  table.add(Need::required, "active", "the classes that are active together, at least two", active_codec(),
            &InterferenceRow::active);
  table.add(Need::required, "rates", "each one's share of its solo rate; left out: 1", table_codec(std::move(rates)),
            &InterferenceRow::rates);
  table.add(Need::optional, "kernel", "of a host: the kernel of CPU groups that the row speaks of", text_codec(),
            &InterferenceRow::kernel);
  table.rule([](const Cursor& cursor, const InterferenceRow& row) {
    for (const auto& [c, rate_of_class] : row.rates) {
      if ((row.active & core::bit(c)) != 0) continue;
      cursor.at("rates").at(std::string(core::name_of(c))).fail("found a class that is not among `active`");
    }
  });
  return table;
}

void check_rows(const Cursor& cursor, const std::vector<InterferenceRow>& rows) {
  std::set<std::pair<core::ActivitySet, std::string>> sets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!sets.emplace(rows[i].active, rows[i].kernel).second)
      cursor.at("interference").at(i).fail("found a second row for this set");
  }
}

Codec<core::DeviceIdentity> identity_codec() {
  using core::DeviceIdentity;
  Table<DeviceIdentity> table("an identity");
  table
      .add(Need::optional, "backend", "cuda, opencl, cpu, or model where no hardware stands behind it",
           choice_codec<std::string>({{"cuda", "cuda"}, {"opencl", "opencl"}, {"cpu", "cpu"}, {"model", "model"}}),
           &DeviceIdentity::backend)
      .add(Need::optional, "name", "the driver's name of the device", text_codec(), &DeviceIdentity::name)
      .add(Need::optional, "driver", "the driver's version", text_codec(), &DeviceIdentity::driver)
      .add(Need::optional, "platform", "the OpenCL platform", text_codec(), &DeviceIdentity::platform)
      .add(Need::optional, "compute_units", "compute units or multiprocessors", whole32_codec(0, UINT32_MAX),
           &DeviceIdentity::compute_units);
  return table_codec(std::move(table));
}

void check_device(const Cursor& cursor, const DeviceModel& device) {
  check_rows(cursor, device.interference);
  std::set<std::pair<core::Direction, core::MemoryKind>> transfers;
  for (std::size_t i = 0; i < device.transfers.size(); ++i) {
    if (!transfers.emplace(device.transfers[i].direction, device.transfers[i].memory).second) {
      cursor.at("transfers").at(i).fail("found a second model of this direction and memory");
    }
  }
  std::set<std::string> kernels;
  for (std::size_t i = 0; i < device.kernels.size(); ++i) {
    if (!kernels.insert(device.kernels[i].kernel).second) {
      cursor.at("kernels").at(i).at("kernel").fail("found a second model of this kernel");
    }
  }
}

Table<DeviceModel> device_table() {
  const auto bytes = quantity_codec(Dimension::bytes);
  const auto engines = parameter_codec(choice_codec<double>({{"1", 1}, {"2", 2}}), quantity_codec(Dimension::pure, 0));
  Table<DeviceModel> table("a device");
  table.add(Need::required, "name", "how scenarios name it", text_codec(), &DeviceModel::name)
      .add(Need::optional, "identity", "what tells it from other devices", identity_codec(), &DeviceModel::identity)
      .add(Need::optional, "cores", "of a group of CPU cores: which, such as \"0-3\"; else all", text_codec(),
           &DeviceModel::cores)
      .add(Need::optional, "memory", "its memory", bytes, &DeviceModel::memory_bytes)
      .add(Need::optional, "largest_allocation", "the largest buffer it gives", bytes, &DeviceModel::largest_allocation)
      .add(Need::required, "copy_engines", "1 or 2: opposite transfers that work side by side", engines,
           &DeviceModel::copy_engines)
      .add(Need::optional, "run_overhead", "what a run's makespan holds beside its steps", time_parameter(),
           &DeviceModel::run_overhead)
      .add(Need::optional, "hop", "from the end of a step to one on another lane that waits for it", time_parameter(),
           &DeviceModel::hop)
      .add(Need::optional, "submit", "what the submitting thread of a lane needs for a step", time_parameter(),
           &DeviceModel::submit)
      .add(Need::optional, "transfers", "transfer models; none: only given durations can be predicted",
           list_codec(transfer_model_codec()), &DeviceModel::transfers)
      .add(Need::optional, "kernels", "kernel models", list_codec(kernel_model_codec()), &DeviceModel::kernels)
      .add(Need::optional, "interference", "measured rates of classes that are active together",
           list_codec(table_codec(interference_table())), &DeviceModel::interference)
      .rule(check_device);
  return table;
}

Codec<std::vector<core::HostCapacity>> capacity_codec() {
  using core::HostCapacity;
  const auto number = quantity_codec(Dimension::pure, 1e-3, 1e6);
  Table<HostCapacity> table("a capacity");
  table.add(Need::required, "class", "the class of work", activity_codec(), &HostCapacity::activity)
      .add(Need::required, "capacity", "steps of it, each on its own device, that run at full rate together",
           parameter_codec(number, quantity_codec(Dimension::pure, 0, 1e6)), &HostCapacity::capacity)
      .add(Need::optional, "kernel", "of class kernel: which", text_codec(), &HostCapacity::kernel);
  return list_codec(table_codec(std::move(table)));
}

Codec<HostModel> host_codec() {
  using core::HostWorkModel;
  Table<HostWorkModel> work("a model of host work");
  work.add(Need::required, "work", "its name", text_codec(), &HostWorkModel::work)
      .add(Need::optional, "fixed", "the fixed part", time_parameter(), &HostWorkModel::fixed)
      .add(Need::optional, "per_unit", "time a unit of work", time_parameter(), &HostWorkModel::per_unit);
  Table<HostModel> table("a host");
  table.add(Need::optional, "cpu", "the processor", text_codec(), &HostModel::cpu)
      .add(Need::optional, "cores", "cores that the process may use", whole32_codec(0, 1'000'000), &HostModel::cores)
      .add(Need::optional, "work", "models of host work", list_codec(table_codec(std::move(work))), &HostModel::work)
      .add(Need::optional, "interference", "rates between transfers of all devices and host work",
           list_codec(table_codec(interference_table())), &HostModel::interference)
      .add(Need::optional, "capacity", "how much of a class the host serves at full rate; left out: no limit",
           capacity_codec(), &HostModel::capacity)
      .rule([](const Cursor& cursor, const HostModel& host) { check_rows(cursor, host.interference); });
  return table_codec(std::move(table));
}

Codec<core::NetworkModel> network_codec() {
  using core::NetworkModel;
  Table<NetworkModel> table("a network");
  table
      .add(Need::optional, "send_overhead", "what the sender is busy with", time_parameter(),
           &NetworkModel::send_overhead)
      .add(Need::optional, "receive_overhead", "latency and what the receiver is busy with", time_parameter(),
           &NetworkModel::receive_overhead)
      .add(Need::optional, "per_byte", "time a byte", time_parameter(), &NetworkModel::per_byte);
  return table_codec(std::move(table));
}

void check_machine(const Cursor& cursor, const Machine& machine) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (!names.insert(machine.devices[i].name).second) {
      cursor.at("devices").at(i).at("name").fail("a second device is called \"" + machine.devices[i].name + "\"");
    }
  }
}

}  // namespace

Table<Machine> machine_table() {
  Table<Machine> table("a machine");
  table.add_mapped<std::uint64_t>(
      Need::required, "forelap_machine", "the version of the file format, 1", whole_codec(1, 1),
      [](Machine&, std::uint64_t) {}, [](const Machine&) { return std::optional<std::uint64_t>(1); });
  table.add(Need::required, "name", "the machine's name", text_codec(), &Machine::name)
      .add(Need::optional, "when", "date of the measurements or of the source", text_codec(), &Machine::when)
      .add(Need::optional, "how", "what made the profile", text_codec(), &Machine::how)
      .add(Need::optional, "host", "the host", host_codec(), &Machine::host)
      .add(Need::required, "devices", "the devices", list_codec(table_codec(device_table()), 1), &Machine::devices)
      .add(Need::optional, "network", "the network between ranks", network_codec(), &Machine::network)
      .rule(check_machine);
  return table;
}

Machine parse_machine(std::string_view text, const std::string& file, const std::vector<Override>& overrides) {
  Document document = load_document(text, file);
  apply_overrides(document, overrides);
  const Cursor root(document);
  if (root.is(Node::Kind::map) && root.node().find("forelap_machine") == nullptr) {
    if (root.node().find("kind") != nullptr) root.at("kind").fail("this is a scenario, not a machine");
    root.fail("the key \"forelap_machine\" is missing, expected a machine that starts with `forelap_machine: 1`");
  }
  return machine_table().read(root);
}

Machine read_machine(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  return parse_machine(core::read_file(file, kLargestFile), file.string(), overrides);
}

std::string write_machine(const Machine& machine) {
  return to_yaml(machine_table().write(machine));
}

std::string machine_schema() {
  return schema_document("forelap machine", machine_table().schema());
}

DocumentKind document_kind(const std::filesystem::path& file) {
  const Document document = load_document(core::read_file(file, kLargestFile), file.string());
  const Cursor root(document);
  if (root.node().find("forelap_machine") != nullptr) return DocumentKind::machine;
  if (root.node().find("forelap") != nullptr || root.node().find("kind") != nullptr) return DocumentKind::scenario;
  root.fail(
      "found neither a scenario nor a machine, expected `forelap: 1` and `kind: task_group`, or "
      "`forelap_machine: 1` in the first lines");
}

}  // namespace forelap::scenarios
