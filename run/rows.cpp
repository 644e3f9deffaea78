#include "run/rows.hpp"

#include <algorithm>
#include <ctime>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "run/partition.hpp"
#include "scenarios/lower.hpp"
#include "scenarios/submission.hpp"
#include "tune/sizing.hpp"

namespace forelap::run {
namespace {

const core::DeviceModel* device_named(const core::Machine& machine, const std::string& name) {
  for (const auto& device : machine.devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

/// "opencl:1" -> the second device of that backend in the profile; "cpu:0-3" -> the group of these cores, or the only
/// one there is; "auto" -> the first device.
const core::DeviceModel* device_specified(const core::Machine& machine, const std::string& spec) {
  if (spec == "auto") return machine.devices.data();
  const auto colon = spec.find(':');
  if (spec.substr(0, colon) == "cpu" && colon != std::string::npos) {
    const std::string cores = spec.substr(colon + 1);
    std::vector<const core::DeviceModel*> groups;
    for (const auto& device : machine.devices) {
      if (device.identity.backend != "cpu") continue;
      if (device.cores == cores) return &device;
      groups.push_back(&device);
    }
    return groups.size() == 1 && groups.front()->cores.empty() ? groups.front() : nullptr;
  }
  std::uint64_t skip = 0;
  if (colon != std::string::npos) skip = core::parse_whole(spec.substr(colon + 1)).value_or(0);
  for (const auto& device : machine.devices) {
    if (device.identity.backend == spec.substr(0, colon) && skip-- == 0) return &device;
  }
  return nullptr;
}

[[noreturn]] void refuse_device(const core::Machine& machine, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& device : machine.devices) names.push_back(device.name);
  core::throw_bad_input("the scenario asks for device '" + name + "', which machine '" + machine.name +
                        "' does not have; it has " + core::join_names(names));
}

const scenarios::TaskGroup& group_of(const scenarios::Scenario& scenario) {
  return scenarios::task_group_of(scenario);
}

void add_orders(const scenarios::TaskCase& c, scenarios::OrderMode mode, std::size_t case_index,
                validate::RunSet& set) {
  for (auto& order : scenarios::orders_of(c, mode)) {
    validate::Row row;
    row.case_index = case_index;
    row.order = std::move(order);
    set.rows.push_back(std::move(row));
  }
}

void add_policies(const scenarios::Online& online, std::size_t case_index, validate::RunSet& set) {
  for (const auto& policy : online.policies) {
    validate::Row row;
    row.case_index = case_index;
    row.policy = policy;
    set.rows.push_back(std::move(row));
  }
}

/// The names of a plan's steps, in the order of scenarios::lower.
class Labels {
 public:
  Labels(const scenarios::Scenario& scenario, const validate::CaseRecord& record,
         const std::vector<std::uint32_t>& order)
      : record_(record) {
    scenarios::SubmissionOrder submission(scenario, record.tuning);
    submission.arrange(order, record.tuning.device, record.tuning.kernel_lanes);
    for (std::size_t i = 0; i < submission.round_count(); ++i) add_round(submission.round(i));
  }
  std::vector<std::string> take() { return std::move(labels_); }

 private:
  [[nodiscard]] bool by_type(std::uint32_t position) const {
    return scenarios::submits_by_type(record_.tuning, record_.tuning.device.at(position));
  }

  void add_round(std::span<const std::uint32_t> round) {
    for (const auto position : round) {
      if (by_type(position)) continue;
      add_copies(position, true);
      add_kernels(position);
      add_copies(position, false);
    }
    for (const auto position : round) {
      if (by_type(position)) add_copies(position, true);
    }
    for (const auto position : round) {
      if (by_type(position)) add_kernels(position);
    }
    for (const auto position : round) {
      if (by_type(position)) add_copies(position, false);
    }
  }

  void add_copies(std::uint32_t position, bool in) {
    const auto& task = record_.tuning.tasks.at(position);
    for (const auto& copy : in ? task.htod : task.dtoh) {
      if (scenarios::is_step(copy)) labels_.push_back(record_.tasks.at(position) + (in ? " htod" : " dtoh"));
    }
  }

  void add_kernels(std::uint32_t position) {
    for (const auto& kernel : record_.tuning.tasks.at(position).kernels) {
      if (scenarios::is_step(kernel)) labels_.push_back(record_.tasks.at(position) + " " + kernel.kernel);
    }
  }

  const validate::CaseRecord& record_;
  std::vector<std::string> labels_;
};

}  // namespace

core::Machine select_devices(const core::Machine& machine, const scenarios::Scenario& scenario) {
  if (machine.devices.empty()) core::throw_bad_input("machine '" + machine.name + "' has no device");
  const auto& names = scenarios::devices_of(scenario);
  core::Machine selected = machine;
  // A kernel that is divided takes all devices there are.
  if (names.empty() && scenarios::is_partition(scenario)) return selected;
  selected.devices.clear();
  std::vector<const core::DeviceModel*> taken;
  for (const auto& name : names) {
    const auto* device = device_named(machine, name);
    if (device == nullptr) device = device_specified(machine, name);
    if (device == nullptr) refuse_device(machine, name);
    if (std::find(taken.begin(), taken.end(), device) != taken.end()) {
      core::throw_bad_input("the scenario asks for device '" + device->name +
                            "' twice; each of its devices must be one of its own");
    }
    taken.push_back(device);
    selected.devices.push_back(*device);
  }
  if (names.empty()) selected.devices.push_back(machine.devices.front());
  return selected;
}

validate::RunSet empty_set(const scenarios::Scenario& scenario, const core::Machine& machine) {
  validate::RunSet set;
  set.scenario = scenario.name;
  set.scenario_text = scenarios::write_scenario(scenario);
  set.machine = machine.name;
  set.interference = validate::interference_name(scenario.interference);
  set.seed = scenario.seed;
  set.repetitions = scenario.repetitions;
  set.tolerance_pct = scenario.tolerance_pct;
  set.when = timestamp();
  return set;
}

validate::RunSet make_rows(const scenarios::Scenario& scenario, const core::Machine& machine,
                           const core::Machine& sized_for) {
  validate::RunSet set = empty_set(scenario, machine);
  if (scenarios::is_partition(scenario)) {
    add_partition_rows(set, scenario, machine);
    return set;
  }
  const auto& group = group_of(scenario);
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    validate::CaseRecord record;
    record.name = group.cases[i].name;
    for (const auto& task : group.cases[i].tasks) record.tasks.push_back(task.name);
    record.tuning = tune::size_case(scenario, i, machine, sized_for);
    record.tuning.order.clear();
    set.cases.push_back(std::move(record));
    if (group.online) {
      add_policies(*group.online, i, set);
    } else {
      add_orders(group.cases[i], group.order, i, set);
    }
  }
  return set;
}

namespace {

[[noreturn]] void refuse_part(const std::string& path, const std::string& found, const std::string& expected) {
  core::throw_bad_input(path + ": found " + found + ", expected " + expected +
                        " as in the scenario of the same file (scenario_text)");
}

void check_count(std::size_t found, std::size_t expected, const std::string& path, const std::string& things) {
  if (found != expected) refuse_part(path, std::to_string(found) + " " + things, std::to_string(expected));
}

/// Whether a sized task does what the scenario says, in other sizes.
void check_task(const scenarios::SizedTask& task, const scenarios::TaskSpec& spec, const std::string& path) {
  check_count(task.htod.size(), spec.htod.size(), path + ".htod", "transfers");
  check_count(task.dtoh.size(), spec.dtoh.size(), path + ".dtoh", "transfers");
  check_count(task.kernels.size(), spec.kernels.size(), path + ".kernels", "kernels");
  for (std::size_t k = 0; k < task.kernels.size(); ++k) {
    if (task.kernels[k].kernel == spec.kernels[k].kernel) continue;
    refuse_part(path + ".kernels[" + std::to_string(k) + "].kernel", "'" + task.kernels[k].kernel + "'",
                "'" + spec.kernels[k].kernel + "'");
  }
}

void check_case(const validate::CaseRecord& record, const scenarios::TaskGroup& group, const std::string& path) {
  const auto& tuning = record.tuning;
  if (tuning.case_index >= group.cases.size()) {
    refuse_part(path + ".scenario_case", std::to_string(tuning.case_index),
                "one of " + std::to_string(group.cases.size()) + " cases, from 0,");
  }
  check_count(tuning.device_count, std::max<std::size_t>(1, group.devices.size()), path + ".device_count", "devices");
  const auto& tasks = group.cases[tuning.case_index].tasks;
  check_count(tuning.tasks.size(), tasks.size(), path + ".tasks", "tasks");
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const std::string task = path + ".tasks[" + std::to_string(t) + "]";
    if (record.tasks[t] != tasks[t].name) {
      refuse_part(task + ".name", "'" + record.tasks[t] + "'", "'" + tasks[t].name + "'");
    }
    check_task(tuning.tasks[t], tasks[t], task);
  }
}

/// Sizes must give kernels that can be launched.
void check_launches(const validate::CaseRecord& record, const scenarios::Scenario& scenario, const std::string& path) {
  auto tuning = record.tuning;
  tuning.order.clear();
  for (std::uint32_t t = 0; t < tuning.tasks.size(); ++t) tuning.order.push_back(t);
  auto free = scenario;  // in any order
  for (auto& task : std::get<scenarios::TaskGroup>(free.body).cases[tuning.case_index].tasks) task.after.clear();
  try {
    scenarios::lower(free, tuning);
  } catch (const core::Error& error) {
    core::throw_bad_input(path + ": " + error.what());
  }
}

/// Rows of an online scenario are its policies', and no others.
void check_policies(const validate::RunSet& set, const scenarios::TaskGroup& group, const std::string& file) {
  for (std::size_t r = 0; r < set.rows.size(); ++r) {
    const auto& policy = set.rows[r].policy;
    const std::string path = file + ": rows[" + std::to_string(r) + "].policy";
    if (!group.online) {
      if (!policy.empty()) refuse_part(path, "'" + policy + "'", "none");
      continue;
    }
    const auto& known = group.online->policies;
    if (std::find(known.begin(), known.end(), policy) != known.end()) continue;
    refuse_part(path, "'" + policy + "'", core::join_names(known));
  }
}

}  // namespace

scenarios::Scenario scenario_of(const validate::RunSet& set, const std::string& file,
                                const std::vector<scenarios::Override>& overrides) {
  auto scenario = scenarios::parse_scenario(set.scenario_text, file + " (scenario_text)", overrides);
  const bool divided = scenarios::is_partition(scenario);
  for (const auto& record : set.cases) {
    if (record.partition.has_value() != divided) {
      core::throw_bad_input(file + ": its cases are of another kind than the scenario in the same file");
    }
  }
  if (divided) {
    check_divisions(set, scenario, file);
    return scenario;
  }
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    const std::string path = file + ": cases[" + std::to_string(i) + "]";
    check_case(set.cases[i], group_of(scenario), path);
    check_launches(set.cases[i], scenario, path);
  }
  check_policies(set, group_of(scenario), file);
  return scenario;
}

core::Plan plan_of(const scenarios::Scenario& scenario, const validate::RunSet& set, const validate::Row& row) {
  const auto& record = set.cases.at(row.case_index);
  if (record.partition) return scenarios::lower(scenario, tuning_of(record, row.division.value()));
  auto tuning = record.tuning;
  tuning.order = row.order;
  return scenarios::lower(scenario, tuning);
}

std::vector<std::string> step_labels(const scenarios::Scenario& scenario, const validate::RunSet& set,
                                     const validate::Row& row) {
  const auto& record = set.cases.at(row.case_index);
  if (record.partition) {
    std::vector<std::string> labels;
    scenarios::lower(scenario, tuning_of(record, row.division.value()), &labels);
    return labels;
  }
  return Labels(scenario, record, row.order).take();
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace forelap::run
