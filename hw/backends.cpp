#include "hw/backends.hpp"

#include <array>
#include <mutex>
#include <string_view>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "hw/cpu/backend.hpp"
#include "hw/module.hpp"

namespace forelap::hw {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"cuda", "opencl", "cpu"};

struct Entry {
  std::unique_ptr<Backend> backend;  ///< null where the module does not load
  BackendStatus missing;             ///< why
};

Entry load(const std::string& name) {
  Entry entry;
  if (name == "cpu") {
    entry.backend = cpu::make_backend();
    return entry;
  }
  const std::string option = name == "cuda" ? "FORELAP_CUDA" : "FORELAP_OPENCL";
  const ModuleLookup lookup = load_module(name, "forelap_make_backend", option, module_directories());
  entry.missing = {name, lookup.state, lookup.reason, {}};
  if (lookup.function == nullptr) return entry;
  try {
    entry.backend.reset(reinterpret_cast<Backend* (*)()>(lookup.function)());
  } catch (const std::exception& error) {
    entry.missing.state = BackendState::no_device;
    entry.missing.reason = error.what();
  }
  return entry;
}

/// Loaded backends. Lives until the process ends, like the modules: a driver's own clean-up at exit may run before
/// ours.
Entry& entry_of(const std::string& name) {
  static std::mutex mutex;
  static std::array<std::unique_ptr<Entry>, kNames.size()>& entries =
      *new std::array<std::unique_ptr<Entry>, kNames.size()>();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    const std::lock_guard lock(mutex);
    if (!entries[i]) entries[i] = std::make_unique<Entry>(load(name));
    return *entries[i];
  }
  core::throw_bad_input("there is no backend \"" + name + "\"; the backends are cuda, opencl and cpu");
}

BackendStatus status_of(const std::string& name) {
  Entry& entry = entry_of(name);
  if (!entry.backend) return entry.missing;
  try {
    return entry.backend->status();
  } catch (const std::exception& error) {
    return {name, BackendState::no_device, error.what(), {}};
  }
}

ChosenDevice open_at(const std::string& name, std::size_t i, std::string reason) {
  return {backend(name).open(i), name + ":" + std::to_string(i), std::move(reason)};
}

/// Opens the first device of `name` that is (or is not) a GPU; nothing, and a word why in `passed_over`, without one.
bool try_open(const std::string& name, bool gpu, const std::string& label, std::vector<std::string>& passed_over,
              ChosenDevice& chosen) {
  const BackendStatus status = status_of(name);
  if (status.state != BackendState::ready) {
    passed_over.push_back("no " + label + " (" + status.reason + ")");
    return false;
  }
  for (std::size_t i = 0; i < status.devices.size(); ++i) {
    if (status.devices[i].is_gpu != gpu) continue;
    try {
      chosen = open_at(name, i, "the first " + label + " that is here");
    } catch (const core::Error& error) {
      passed_over.push_back(name + ":" + std::to_string(i) + " does not open (" + error.what() + ")");
      continue;
    }
    return true;
  }
  passed_over.push_back("no " + label);
  return false;
}

ChosenDevice open_auto() {
  ChosenDevice chosen;
  std::vector<std::string> passed_over;
  const bool found = try_open("cuda", true, "CUDA GPU", passed_over, chosen) ||
                     try_open("opencl", true, "OpenCL GPU", passed_over, chosen) ||
                     try_open("opencl", false, "OpenCL CPU device", passed_over, chosen);
  if (!found) chosen = {cpu::open_cores(""), "cpu", "the pool of CPU threads is always here"};
  for (const std::string& reason : passed_over) chosen.reason += "; " + reason;
  return chosen;
}

/// The number of "sms=66".
std::uint32_t part_of(const std::string& spec, const std::string& words) {
  constexpr std::string_view kName = "sms=";
  const auto count = words.starts_with(kName) ? core::parse_whole(words.substr(kName.size())) : std::nullopt;
  if (!count || *count == 0 || *count > UINT32_MAX) {
    core::throw_bad_input("device \"" + spec + "\" names a part that is not understood: \"" + words +
                          "\"; write the multiprocessors that kernels may use, such as cuda:0/sms=66");
  }
  return static_cast<std::uint32_t>(*count);
}

ChosenDevice open_by_index(const std::string& name, const std::string& spec, const std::string& where) {
  backend(name);
  const BackendStatus status = status_of(name);
  const std::size_t slash = where.find('/');
  const std::string place = where.substr(0, slash);
  const auto i = place.empty() ? std::optional<std::uint64_t>(0) : core::parse_whole(place);
  if (i && *i < status.devices.size()) {
    if (slash == std::string::npos) return open_at(name, static_cast<std::size_t>(*i), {});
    const std::uint32_t part = part_of(spec, where.substr(slash + 1));
    return {backend(name).open_part(static_cast<std::size_t>(*i), part), spec, {}};
  }
  std::vector<std::string> there;
  for (std::size_t d = 0; d < status.devices.size(); ++d) {
    there.push_back(name + ":" + std::to_string(d) + " (" + status.devices[d].identity.name + ")");
  }
  core::throw_bad_input("device \"" + spec + "\" does not exist; there " + (there.size() == 1 ? "is " : "are ") +
                        core::join_names(there));
}

}  // namespace

std::vector<BackendStatus> all_backends() {
  std::vector<BackendStatus> result;
  for (const std::string_view name : kNames) result.push_back(status_of(std::string(name)));
  return result;
}

Backend& backend(const std::string& name) {
  const BackendStatus status = (entry_of(name), status_of(name));
  if (status.state != BackendState::ready) core::throw_unavailable("backend " + name + ": " + status.reason);
  return *entry_of(name).backend;
}

ChosenDevice open_device(const std::string& spec) {
  if (spec == "auto") return open_auto();
  const std::size_t colon = spec.find_first_of(":/");
  const std::string name = spec.substr(0, colon);
  const bool slash = colon != std::string::npos && spec[colon] == '/';
  const std::string place = colon == std::string::npos ? "" : spec.substr(slash ? colon : colon + 1);
  if (colon != std::string::npos && place.empty()) {
    core::throw_bad_input("device \"" + spec + "\" ends after the colon; write \"" + name + "\" or \"" + name + ":0\"");
  }
  if (name == "cpu") return {cpu::open_cores(place), spec, {}};
  if (name == "cuda" || name == "opencl") return open_by_index(name, spec, place);
  core::throw_bad_input("device \"" + spec + "\" is not known; write auto, cuda, cuda:1, opencl:0, cpu or cpu:0-3");
}

}  // namespace forelap::hw
