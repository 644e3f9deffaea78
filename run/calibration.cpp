#include "run/calibration.hpp"

#include <algorithm>

#include "calibrate/contention.hpp"
#include "calibrate/import.hpp"
#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "hw/plan_executor.hpp"
#include "run/hardware.hpp"
#include "run/partition.hpp"
#include "run/rows.hpp"
#include "scenarios/catalogue.hpp"
#include "scenarios/read.hpp"
#include "tune/sizing.hpp"
#include "validate/results.hpp"

namespace forelap::run {
namespace {

/// The probe of one kernel; the definition is copied into it.
calibrate::KernelProbe make_probe(const scenarios::KernelDefinition& definition) {
  calibrate::KernelProbe probe;
  probe.name = definition.name;
  probe.launch = [definition](core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat) {
    const auto launch = scenarios::make_launch(definition, buffer, bytes, repeat);
    return calibrate::ProbeLaunch{launch.call, launch.arguments, launch.work, launch.items, launch.passes};
  };
  return probe;
}

/// Kernels that are calibrated where nobody says which: every one more costs seconds.
const std::vector<std::string> kUsualKernels = {"vector_add", "matrix_multiply"};

const scenarios::KernelDefinition* builtin_called(const std::string& name) {
  for (const auto& definition : scenarios::builtin_definitions()) {
    if (definition.name == name) return &definition;
  }
  return nullptr;
}

void add_name(const std::string& name, std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The built-in kernels that the scenario's tasks use.
void add_kernels_of(const scenarios::Scenario& scenario, std::vector<std::string>& names) {
  if (scenarios::is_partition(scenario)) return;  // its kernel is over several buffers, and has a probe of its own
  for (const auto& c : scenarios::task_group_of(scenario).cases) {
    for (const auto& task : c.tasks) {
      for (const auto& kernel : task.kernels) {
        const auto* definition = scenarios::find_definition(scenario, kernel.kernel);
        if (definition != nullptr && !is_of_user(*definition)) add_name(kernel.kernel, names);
      }
    }
  }
}

/// Tells the probes over how many bytes the scenario's tasks launch their kernels.
void add_sizes_of(const scenarios::Scenario& scenario, std::vector<calibrate::KernelProbe>& probes) {
  const auto* group = std::get_if<scenarios::TaskGroup>(&scenario.body);
  if (group == nullptr) return;
  for (const auto& c : group->cases) {
    for (const auto& task : c.tasks) {
      const auto bytes = tune::known_kernel_bytes(scenario, task);
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        for (auto& probe : probes) {
          const bool known =
              std::find(probe.near_bytes.begin(), probe.near_bytes.end(), bytes[k]) != probe.near_bytes.end();
          if (probe.name == task.kernels[k].kernel && !known) probe.near_bytes.push_back(bytes[k]);
        }
      }
    }
  }
}

/// Kernels over several buffers: those of the partitions, once each.
void add_partition_probe(const scenarios::Scenario& scenario, const core::DeviceIdentity& identity,
                         std::vector<calibrate::KernelProbe>& probes, std::vector<std::string>& warnings) {
  const auto& kernel = scenarios::partition_of(scenario).kernel;
  const bool known =
      std::any_of(probes.begin(), probes.end(), [&kernel](const auto& probe) { return probe.name == kernel.name; });
  if (known) return;
  if (scenarios::is_of_user(kernel) && scenarios::source_file(kernel, identity.backend).empty()) {
    warnings.push_back("kernel '" + kernel.name + "' of " + scenario.path + " has no source for " + identity.backend +
                       " and is left out");
    return;
  }
  probes.push_back(partition_probe(scenario, identity.backend, works_by_items(identity)));
}

/// The built-in kernels asked for and used, then the scenarios' own ones that this backend can run.
std::vector<calibrate::KernelProbe> make_probes(const CalibrationOptions& options, const core::DeviceIdentity& identity,
                                                std::vector<std::string>& warnings) {
  const std::string& backend = identity.backend;
  std::vector<calibrate::KernelProbe> probes;
  for (const auto& name : kernels_to_calibrate(options)) probes.push_back(make_probe(*builtin_called(name)));
  for (const auto& name : options.scenarios) {
    const auto scenario = scenarios::read_scenario(scenarios::resolve_scenario(name));
    if (scenarios::is_partition(scenario)) {
      add_partition_probe(scenario, identity, probes, warnings);
      continue;
    }
    for (const auto& definition : scenario.kernels) {
      const bool runs =
          backend == "cuda" ? !definition.cuda_file.empty() : backend == "opencl" && !definition.opencl_file.empty();
      if (!runs) {
        warnings.push_back("kernel '" + definition.name + "' of " + scenario.path + " has no source for " + backend +
                           " and is left out");
        continue;
      }
      auto probe = make_probe(definition);
      probe.source = kernel_source(definition, scenario, backend);
      probes.push_back(std::move(probe));
    }
    add_sizes_of(scenario, probes);
  }
  return probes;
}

calibrate::PartSet parts_of(const std::vector<std::string>& names) {
  if (names.empty()) return calibrate::kAllParts;
  constexpr calibrate::Part kParts[] = {calibrate::Part::latency, calibrate::Part::transfer,
                                        calibrate::Part::kernel,  calibrate::Part::interference,
                                        calibrate::Part::engines, calibrate::Part::fill};
  std::vector<std::string> known;
  for (const auto part : kParts) known.emplace_back(calibrate::name_of(part));
  unsigned set = 0;
  for (const auto& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      core::throw_bad_input("--only " + name + ": no such part; there are " + core::join_names(known));
    }
    set |= calibrate::bit(kParts[found - known.begin()]);
  }
  // Rates of small launches and the room that they leave are fitted together.
  constexpr unsigned kBoth = calibrate::bit(calibrate::Part::kernel) | calibrate::bit(calibrate::Part::fill);
  if ((set & kBoth) != 0) set |= kBoth;
  return static_cast<calibrate::PartSet>(set);
}

calibrate::CampaignOptions campaign_of(const CalibrationOptions& options) {
  calibrate::CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.parts = parts_of(options.parts);
  if (options.budget_seconds) campaign.budget_seconds = *options.budget_seconds;
  campaign.progress = options.progress;
  campaign.stop = options.stop;
  return campaign;
}

const core::DeviceModel* device_named(const std::optional<core::Machine>& machine, const std::string& name) {
  if (!machine) return nullptr;
  for (const auto& device : machine->devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

/// Warnings that rounds repeat are said once.
void add_once(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  for (const auto& warning : more) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  }
}

void describe_machine(Calibration& calibration, const CalibrationOptions& options, const std::string& how) {
  auto& machine = calibration.machine;
  machine.name = options.name;
  if (machine.name.empty() && !machine.devices.empty()) {
    const auto& first = machine.devices.front();
    machine.name = first.identity.name.empty() ? first.name : first.identity.name;
  }
  machine.when = timestamp();
  machine.how = how;
}

/// How the devices slow each other, by the scenarios' divided kernels.
void measure_together(const std::vector<std::shared_ptr<hw::Device>>& opened, const CalibrationOptions& options,
                      Calibration& calibration) {
  auto& host = calibration.machine.host;
  const bool wanted = (parts_of(options.parts) & calibrate::bit(calibrate::Part::interference)) != 0;
  if (!wanted) {
    if (options.base) host.interference = options.base->host.interference;
    if (options.base) host.capacity = options.base->host.capacity;
    return;
  }
  std::vector<calibrate::ContentionDevice> devices;
  core::DeviceIdentity of_cores;
  for (const auto& model : calibration.machine.devices) {
    devices.push_back({&model, model.identity.backend == "cpu"});
    if (devices.back().in_place) of_cores = model.identity;
  }
  std::vector<calibrate::KernelProbe> probes;
  std::vector<std::string> said;
  for (const auto& name : options.scenarios) {
    const auto scenario = scenarios::read_scenario(scenarios::resolve_scenario(name));
    if (scenarios::is_partition(scenario)) add_partition_probe(scenario, of_cores, probes, said);
  }
  calibrate::ContentionOptions contention;
  contention.progress = options.progress;
  contention.stop = options.stop;
  const auto executor = hw::make_plan_executor(opened);
  auto found = calibrate::measure_contention(*executor, devices, probes, contention);
  host.interference = std::move(found.rows);
  host.capacity = std::move(found.capacity);
  add_once(calibration.warnings, found.notes);
  calibration.complete = found.complete;
}

}  // namespace

std::vector<std::string> kernels_to_calibrate(const CalibrationOptions& options) {
  std::vector<std::string> names = {"synthetic"};
  for (const auto& name : options.kernels.empty() ? kUsualKernels : options.kernels) {
    if (builtin_called(name) == nullptr) {
      std::vector<std::string> known;
      for (const auto& definition : scenarios::builtin_definitions()) known.push_back(definition.name);
      core::throw_bad_input("--kernels " + name + ": no built-in kernel is called so; there are " +
                            core::join_names(known));
    }
    add_name(name, names);
  }
  for (const auto& name : options.scenarios) {
    add_kernels_of(scenarios::read_scenario(scenarios::resolve_scenario(name)), names);
  }
  return names;
}

Calibration calibrate_here(const CalibrationOptions& options) {
  Calibration calibration;
  std::size_t gpus = 0;
  std::size_t others = 0;
  std::vector<std::shared_ptr<hw::Device>> opened;
  for (const auto& spec : options.devices) {
    const auto chosen = hw::open_device(spec);
    const auto& info = chosen.device->info();
    calibration.chosen.push_back(chosen.spec + " (" + info.identity.name + ")" +
                                 (chosen.reason.empty() ? "" : ": " + chosen.reason));
    const auto executor = hw::make_plan_executor({chosen.device});
    const auto probes = make_probes(options, info.identity, calibration.warnings);
    calibrate::Options device_options;
    device_options.campaign = campaign_of(options);
    device_options.device_name = info.is_gpu ? "gpu" + std::to_string(gpus++) : "cpu" + std::to_string(others++);
    calibrate::Report report;
    auto model = calibrate::calibrate_device(*executor, info, probes, device_options, report);
    if (const auto* base = device_named(options.base, model.name)) model = calibrate::keep_missing(model, *base);
    if (chosen.spec.rfind("cpu:", 0) == 0) model.cores = chosen.spec.substr(4);
    opened.push_back(chosen.device);
    calibration.machine.devices.push_back(std::move(model));
    calibration.samples.insert(calibration.samples.end(), report.samples.begin(), report.samples.end());
    add_once(calibration.warnings, report.warnings);
    calibration.seconds += report.seconds;
    calibration.complete = calibration.complete && report.complete;
    if (!report.complete) break;
  }
  calibration.machine.host.cpu = cpu_name();
  calibration.machine.host.cores = usable_cores();
  if (calibration.complete && opened.size() > 1) measure_together(opened, options, calibration);
  describe_machine(calibration, options,
                   "forelap " + validate::forelap_version() + " calibrate, " + core::fixed(calibration.seconds, 0) +
                       " s of measurements");
  return calibration;
}

Calibration calibrate_from(const std::filesystem::path& file, const CalibrationOptions& options) {
  Calibration calibration;
  auto imported = calibrate::import_file(file);
  calibrate::FitOptions fit;
  fit.identity.backend = "model";
  fit.identity.name = options.name.empty() ? file.stem().string() : options.name;
  if (options.base && options.base->devices.size() == 1) {
    const auto& before = options.base->devices.front();
    fit.identity = before.identity;
    fit.memory_bytes = before.memory_bytes;
    fit.largest_allocation = before.largest_allocation;
  }
  fit.how = "fitted from " + file.filename().string();
  calibration.machine.devices = calibrate::models_of(imported, fit, calibration.warnings);
  calibration.warnings.insert(calibration.warnings.begin(), imported.warnings.begin(), imported.warnings.end());
  calibration.chosen.push_back(imported.summary);
  calibration.samples = std::move(imported.samples);
  describe_machine(calibration, options,
                   "forelap " + validate::forelap_version() + " calibrate --from " + file.filename().string());
  return calibration;
}

bool Drift::drifted() const {
  return std::any_of(reports.begin(), reports.end(),
                     [](const calibrate::DriftReport& report) { return report.drifted(); });
}

namespace {

/// Every built-in kernel that the profile has a model of is checked, whatever options name.
CalibrationOptions check_options(const core::Machine& profile, CalibrationOptions options) {
  for (const auto& device : profile.devices) {
    for (const auto& model : device.kernels) {
      if (builtin_called(model.kernel) != nullptr) options.kernels.push_back(model.kernel);
    }
  }
  return options;
}

}  // namespace

Drift check_drift(const core::Machine& profile, const std::vector<std::string>& specs,
                  const CalibrationOptions& options) {
  const auto hardware = open_hardware(profile, specs);
  require_profile(profile, hardware);
  Drift drift;
  std::vector<std::string> ignored;  // kernels without a source here are simply not checked
  for (std::size_t i = 0; i < hardware.devices.size(); ++i) {
    const auto& device = hardware.devices[i].device;
    const auto executor = hw::make_plan_executor({device});
    const auto probes = make_probes(check_options(profile, options), device->info().identity, ignored);
    drift.reports.push_back(calibrate::check(*executor, profile.devices[i], probes, campaign_of(options)));
  }
  return drift;
}

}  // namespace forelap::run
