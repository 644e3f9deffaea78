#include "hw/controller/device_list.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/number_text.hpp"
#include "core/text.hpp"
#include "hw/backends.hpp"

namespace forelap::hw::controller {
namespace {

constexpr std::string_view kCount = "cores=";

bool is_cpu(const std::string& spec) {
  return spec == "cpu" || spec.rfind("cpu:", 0) == 0;
}

/// The number of cores that "cpu:cores=4" wishes for; nothing for other specifications.
std::optional<std::size_t> wished_count(const std::string& spec) {
  const std::string place = spec.size() > 4 ? spec.substr(4) : "";
  if (place.rfind(kCount, 0) != 0) return std::nullopt;
  const auto count = core::parse_whole(place.substr(kCount.size()));
  if (!count || *count == 0 || *count > 8192) {
    core::throw_bad_input("\"" + spec + "\" names no number of cores; write such as cpu:cores=4");
  }
  return static_cast<std::size_t>(*count);
}

/// Cores that are still free, and who has the others.
class FreeCores {
 public:
  explicit FreeCores(const cpu::CoreBudget& budget) : budget_(budget), owner_(budget.cores.size()) {}

  std::vector<unsigned> take_listed(const std::string& spec) {
    const std::vector<unsigned> cores = cpu::parse_cores(spec.substr(4), budget_.cores);
    for (const unsigned core : cores) take(core, spec);
    return cores;
  }

  std::vector<unsigned> take_count(std::size_t count, const std::string& spec) {
    std::vector<unsigned> cores;
    for (std::size_t i = 0; i < owner_.size() && cores.size() < count; ++i) {
      if (owner_[i].empty()) cores.push_back(budget_.cores[i]);
    }
    if (cores.size() < count || cores.empty()) {
      core::throw_bad_input("\"" + spec + "\" finds " + std::to_string(cores.size()) +
                            " cores that no other group takes; this process may use " + cpu::cores_text(budget_.cores) +
                            (budget_.limit.empty() ? "" : " (" + budget_.limit + ")"));
    }
    for (const unsigned core : cores) take(core, spec);
    return cores;
  }

  /// All that are left, but no more than can run at once.
  std::vector<unsigned> take_rest(const std::string& spec) {
    const auto taken = static_cast<std::size_t>(
        std::count_if(owner_.begin(), owner_.end(), [](const std::string& owner) { return !owner.empty(); }));
    const std::size_t left = owner_.size() - taken;
    const std::size_t useful = budget_.usable > taken ? budget_.usable - taken : 1;
    return take_count(std::max<std::size_t>(std::min(left, useful), 1), spec);
  }

 private:
  void take(unsigned core, const std::string& spec) {
    const auto found = std::find(budget_.cores.begin(), budget_.cores.end(), core);
    std::string& owner = owner_[static_cast<std::size_t>(found - budget_.cores.begin())];
    if (!owner.empty()) {
      core::throw_bad_input("core " + std::to_string(core) + " is in two groups, \"" + owner + "\" and \"" + spec +
                            "\": groups of cores must not overlap");
    }
    owner = spec;
  }

  const cpu::CoreBudget& budget_;
  std::vector<std::string> owner_;  ///< of budget_.cores; empty: free
};

void check_not_twice(const std::vector<std::string>& specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool counted = is_cpu(specs[i]) && wished_count(specs[i]);
    if (!counted && std::find(specs.begin(), specs.begin() + static_cast<std::ptrdiff_t>(i), specs[i]) !=
                        specs.begin() + static_cast<std::ptrdiff_t>(i)) {
      core::throw_bad_input("device \"" + specs[i] + "\" stands twice in the list of devices");
    }
  }
}

OpenedDevice open_cores(const std::string& spec, std::vector<unsigned> cores) {
  OpenedDevice opened;
  opened.spec = spec;
  opened.name = "cores " + cpu::cores_text(cores);
  opened.cores = std::move(cores);
  return opened;
}

OpenedDevice open_other(const std::string& spec) {
  if (spec == "auto") {
    core::throw_bad_input(
        "\"auto\" stands alone: in a list devices are named one by one, such as \"cuda:0\" or \"cpu:0-3\"");
  }
  ChosenDevice chosen = open_device(spec);
  OpenedDevice opened;
  opened.spec = chosen.spec;
  opened.name = chosen.device->info().identity.name;
  opened.kind = chosen.device->info().identity.backend == "cuda" ? DeviceKind::cuda : DeviceKind::opencl;
  opened.device = std::move(chosen.device);
  return opened;
}

/// The first usable device; the cores where there is no other.
OpenedDevice open_auto() {
  const ChosenDevice chosen = open_device("auto");
  if (chosen.device->info().identity.backend != "cpu") return open_other(chosen.spec);
  return open_cores("cpu", cores_of({"cpu"}, cpu::core_budget()).front());
}

}  // namespace

std::vector<std::vector<unsigned>> cores_of(const std::vector<std::string>& specs, const cpu::CoreBudget& budget) {
  std::vector<std::vector<unsigned>> cores(specs.size());
  FreeCores free(budget);
  // Cores that are named come first, then numbers of them, then what is left.
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (is_cpu(specs[i]) && specs[i] != "cpu" && !wished_count(specs[i])) cores[i] = free.take_listed(specs[i]);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!is_cpu(specs[i])) continue;
    if (const auto count = wished_count(specs[i])) cores[i] = free.take_count(*count, specs[i]);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i] == "cpu") cores[i] = free.take_rest(specs[i]);
  }
  return cores;
}

std::vector<OpenedDevice> open_devices(const std::vector<std::string>& specs) {
  if (specs.empty()) {
    core::throw_bad_input("the list of devices is empty; name one at least, such as \"cuda:0\" or \"cpu\"");
  }
  if (specs == std::vector<std::string>{"auto"}) return {open_auto()};
  check_not_twice(specs);
  const std::vector<std::vector<unsigned>> cores = cores_of(specs, cpu::core_budget());
  std::vector<OpenedDevice> devices;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (is_cpu(specs[i])) {
      devices.push_back(open_cores(specs[i], cores[i]));
      continue;
    }
    OpenedDevice opened = open_other(specs[i]);
    for (const OpenedDevice& other : devices) {
      if (other.spec == opened.spec) {
        core::throw_bad_input("device \"" + opened.spec + "\" stands twice in the list of devices");
      }
    }
    devices.push_back(std::move(opened));
  }
  return devices;
}

}  // namespace forelap::hw::controller
