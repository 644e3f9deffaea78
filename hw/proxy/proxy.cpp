#include "hw/proxy/proxy.hpp"

#include "hw/proxy/core.hpp"

namespace forelap::hw::proxy {

Proxy::Proxy(const Options& options, DeviceFactory factory, std::unique_ptr<core::Policy> policy)
    : core_(std::make_shared<Core>(options, std::move(factory), std::move(policy))) {
  core_->start();
}

Proxy::~Proxy() {
  core_->shutdown(Shutdown::cancel);
}

Future Proxy::submit(const Task& task) {
  return std::move(*core_->submit(task, std::nullopt));
}

std::optional<Future> Proxy::try_submit(const Task& task) {
  return core_->submit(task, Core::Clock::time_point{});
}

std::optional<Future> Proxy::submit_within(const Task& task, std::chrono::nanoseconds time) {
  constexpr std::chrono::hours kForEver{24 * 3650};
  if (time >= kForEver) return core_->submit(task, std::nullopt);
  return core_->submit(task, Core::Clock::now() + time);
}

HostBuffer Proxy::allocate(std::uint64_t bytes) {
  return core_->allocate(bytes);
}

void Proxy::define(const std::string& name, const core::KernelSource& source) {
  core_->define(name, source);
}

void Proxy::shutdown(Shutdown how) {
  core_->shutdown(how);
}

Statistics Proxy::statistics() const {
  return core_->statistics();
}

const DeviceInfo& Proxy::device() const {
  return core_->info();
}

}  // namespace forelap::hw::proxy
