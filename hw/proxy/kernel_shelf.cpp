#include "hw/proxy/kernel_shelf.hpp"

#include "core/error.hpp"

namespace forelap::hw::proxy {

void KernelShelf::define(const std::string& name, const core::KernelSource& source) {
  if (name.empty()) core::throw_bad_input("a kernel needs a name by which tasks call it");
  const std::lock_guard lock(mutex_);
  sources_[name] = source;
  built_.erase(name);
}

std::shared_ptr<Kernel> KernelShelf::build(const std::string& name) {
  const auto source = sources_.find(name);
  return device_->build(name, source == sources_.end() ? core::KernelSource{} : source->second);
}

BuiltKernel KernelShelf::get(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!device_) return {};
  const auto found = built_.find(name);
  if (found != built_.end() && found->second) return {found->second, epoch_};
  // Only what was built is kept: names come from users.
  std::shared_ptr<Kernel> kernel = build(name);
  built_[name] = kernel;
  return {std::move(kernel), epoch_};
}

std::uint64_t KernelShelf::open(std::shared_ptr<Device> device) {
  const std::lock_guard lock(mutex_);
  device_ = std::move(device);
  ++epoch_;
  for (auto& [name, kernel] : built_) {
    try {
      kernel = build(name);
    } catch (const core::Error&) {
      kernel = nullptr;
    }
  }
  return epoch_;
}

void KernelShelf::close() {
  const std::lock_guard lock(mutex_);
  for (auto& [name, kernel] : built_) kernel = nullptr;
  device_ = nullptr;
}

}  // namespace forelap::hw::proxy
