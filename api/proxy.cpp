#include "api/proxy.hpp"

#include <algorithm>
#include <utility>

#include "core/machine.hpp"
#include "core/text.hpp"
#include "hw/backends.hpp"
#include "hw/proxy/arrival_order.hpp"
#include "hw/proxy/proxy.hpp"
#include "scenarios/read.hpp"
#include "tune/policy.hpp"

namespace forelap {
namespace {

std::string words(const core::DeviceIdentity& identity) {
  return identity.backend + " " + identity.name;
}

/// The position of the opened device in the profile.
std::size_t find_device(const core::Machine& machine, const std::string& file, const hw::DeviceInfo& opened) {
  const auto is_it = [&](const core::DeviceModel& device) {
    return device.identity.backend == opened.identity.backend && device.identity.name == opened.identity.name;
  };
  const auto found = std::find_if(machine.devices.begin(), machine.devices.end(), is_it);
  if (found != machine.devices.end()) return static_cast<std::size_t>(found - machine.devices.begin());
  std::vector<std::string> there;
  for (const core::DeviceModel& device : machine.devices) there.push_back(words(device.identity));
  core::throw_bad_input("the profile " + file + " is not of the device " + words(opened.identity) + ": it describes " +
                        (there.empty() ? "none" : core::join_names(there)) +
                        "; run forelap calibrate, or leave the profile out to go without one");
}

void check_policy(const ProxyOptions& options) {
  const auto& names = tune::policy_names();
  if (std::find(names.begin(), names.end(), options.policy) == names.end()) {
    core::throw_bad_input("there is no policy \"" + options.policy + "\"; the policies are " + core::join_names(names));
  }
  if (options.machine.empty() && options.policy != "auto" && options.policy != "arrival") {
    core::throw_bad_input("policy \"" + options.policy +
                          "\" needs a machine profile: run forelap calibrate, and name the file it writes");
  }
  if (options.copy_engines > 2) {
    core::throw_bad_input("a device has 1 or 2 copy engines, not " + std::to_string(options.copy_engines));
  }
}

/// What a profile decides.
struct Advice {
  std::unique_ptr<core::Policy> policy;
  unsigned copy_engines = 2;
};

Advice advice_for(const ProxyOptions& options, const hw::DeviceInfo& device) {
  Advice advice;
  if (options.copy_engines != 0) advice.copy_engines = options.copy_engines;
  if (options.machine.empty()) return advice;
  const core::Machine machine = scenarios::read_machine(options.machine);
  tune::PolicyOptions wishes;
  wishes.device = find_device(machine, options.machine, device);
  if (options.copy_engines == 0) {
    advice.copy_engines = machine.devices[wishes.device].copy_engines.value < 2 ? 1 : 2;
  }
  wishes.engines = advice.copy_engines;
  advice.policy = tune::make_policy(options.policy, machine, wishes);
  return advice;
}

hw::proxy::Options mechanism(const ProxyOptions& options, unsigned copy_engines) {
  hw::proxy::Options result;
  result.queue_capacity = options.queue_capacity;
  result.memory_limit = options.memory_limit;
  result.copy_engines = copy_engines;
  result.think_time = options.think_time;
  return result;
}

}  // namespace

class Proxy::Inside {
 public:
  explicit Inside(const ProxyOptions& options) {
    check_policy(options);
    hw::ChosenDevice chosen = hw::open_device(options.device);
    spec = chosen.spec;
    Advice advice = advice_for(options, chosen.device->info());
    // The device that was asked about is the first one; after a fault the same one is opened again.
    auto first = std::make_shared<std::shared_ptr<hw::Device>>(std::move(chosen.device));
    const auto open = [first, wanted = spec] {
      if (*first) return std::exchange(*first, nullptr);
      return hw::open_device(wanted).device;
    };
    proxy = std::make_unique<hw::proxy::Proxy>(mechanism(options, advice.copy_engines), open, std::move(advice.policy));
  }

  std::string spec;
  std::unique_ptr<hw::proxy::Proxy> proxy;
};

Proxy::Proxy(const ProxyOptions& options) : inside_(std::make_unique<Inside>(options)) {}

Proxy::~Proxy() = default;

Future Proxy::submit(const Task& task) {
  return inside_->proxy->submit(task);
}

std::optional<Future> Proxy::try_submit(const Task& task) {
  return inside_->proxy->try_submit(task);
}

std::optional<Future> Proxy::submit_within(const Task& task, std::chrono::nanoseconds time) {
  return inside_->proxy->submit_within(task, time);
}

HostBuffer Proxy::allocate(std::uint64_t bytes) {
  return inside_->proxy->allocate(bytes);
}

void Proxy::define(const std::string& name, const KernelSource& source) {
  inside_->proxy->define(name, {source.text, source.entry, source.origin, source.options});
}

void Proxy::shutdown(Shutdown how) {
  inside_->proxy->shutdown(how);
}

ProxyStatistics Proxy::statistics() const {
  return inside_->proxy->statistics();
}

std::string Proxy::device() const {
  return inside_->spec + " (" + inside_->proxy->device().identity.name + ")";
}

}  // namespace forelap
