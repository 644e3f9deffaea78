// The module forelap_opencl: OpenCL devices of all platforms.

#include <algorithm>
#include <memory>
#include <mutex>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hw/kernels/library.hpp"
#include "hw/opencl/context.hpp"
#include "hw/opencl/kernel.hpp"
#include "hw/opencl/memory.hpp"
#include "hw/opencl/platforms.hpp"
#include "hw/opencl/queue.hpp"

namespace forelap::hw::opencl {
namespace {

class ClDevice : public Device {
 public:
  explicit ClDevice(const FoundDevice& found) : context_(std::make_shared<Context>(found)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return context_->info; }

  std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) override {
    if (kind == core::MemoryKind::pinned) {
      if (auto pinned = make_pinned(context_, bytes)) return pinned;
    }
    return make_pageable(bytes);
  }

  std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) override {
    return std::make_unique<ClMemory>(context_, bytes);
  }

  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) override {
    if (source.text.empty()) return build_builtin(name);
    const std::string origin = source.origin.empty() ? "the source of kernel " + name : source.origin;
    const ProgramHandle program = compile(*context_, source.text, source.options, origin);
    return std::make_unique<ClKernel>(*context_, program, source.entry.empty() ? name : source.entry, origin);
  }

  std::unique_ptr<Queue> make_queue(core::LaneKind, core::Direction) override {
    return std::make_unique<ClQueue>(context_);
  }

  std::unique_ptr<Gate> make_gate() override { return std::make_unique<ClGate>(context_, gates_); }

 private:
  std::unique_ptr<Kernel> build_builtin(const std::string& name) {
    const std::vector<std::string> names = kernels::kernel_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      core::throw_bad_input("there is no built-in kernel \"" + name + "\"; there are " + core::join_names(names));
    }
    const std::string origin = "the library of built-in kernels";
    const std::lock_guard lock(mutex_);
    if (!builtin_) builtin_ = compile(*context_, kernels::opencl_source(), "-cl-std=CL1.2", origin);
    return std::make_unique<ClKernel>(*context_, builtin_, name, origin, kernels::device_form(name));
  }

  std::shared_ptr<Context> context_;
  std::shared_ptr<GateKernels> gates_ = std::make_shared<GateKernels>();
  std::mutex mutex_;
  ProgramHandle builtin_;
};

class ClBackend : public Backend {
 public:
  BackendStatus status() override {
    const FoundDevices& found = devices();
    BackendStatus status;
    status.backend = "opencl";
    status.state = found.devices.empty() ? BackendState::no_device : BackendState::ready;
    status.reason = found.reason;
    for (const FoundDevice& device : found.devices) status.devices.push_back(device.info);
    return status;
  }

  std::shared_ptr<Device> open(std::size_t i) override {
    const FoundDevices& found = devices();
    if (i >= found.devices.size()) {
      core::throw_bad_input("opencl:" + std::to_string(i) + " does not exist; OpenCL has " +
                            std::to_string(found.devices.size()) + " devices here");
    }
    return std::make_shared<ClDevice>(found.devices[i]);
  }

 private:
  const FoundDevices& devices() {
    std::call_once(asked_, [this] { found_ = find_devices(); });
    return found_;
  }

  std::once_flag asked_;
  FoundDevices found_;
};

}  // namespace
}  // namespace forelap::hw::opencl

extern "C" forelap::hw::Backend* forelap_make_backend() {
  return std::make_unique<forelap::hw::opencl::ClBackend>().release();
}
