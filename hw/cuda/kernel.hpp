#pragma once
// Kernels: compiled by NVRTC, loaded by the driver, checked against the arguments of each launch.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/executor.hpp"
#include "hw/cuda/compile.hpp"
#include "hw/cuda/context.hpp"
#include "hw/cuda/handles.hpp"
#include "hw/device.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::cuda {

/// Compiled code on a device.
class Module {
 public:
  /// Throws core::Error: bad_input, unavailable as `compile` does; device_failed where the driver does not take the
  /// code, naming the versions of driver and compiler where one is too old for the other.
  Module(std::shared_ptr<Context> context, const CompileRequest& request);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The kernel whose name in the source is the request's entry `name`.
  [[nodiscard]] FunctionHandle function(const std::string& name) const;
  [[nodiscard]] const Context& context() const { return *context_; }

 private:
  std::shared_ptr<Context> context_;
  ModuleHandle module_ = nullptr;
  std::map<std::string, std::string> symbols_;  ///< name in the source to name in the code
};

class CudaKernel final : public Kernel {
 public:
  /// `form`: how it is launched, where that is not as a launch says (null).
  CudaKernel(std::shared_ptr<Module> module, const std::string& entry, const kernels::DeviceForm* form = nullptr);

  [[nodiscard]] FunctionHandle function() const { return function_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const kernels::DeviceForm* form() const { return form_; }
  /// The most threads that one group of this kernel can have.
  [[nodiscard]] unsigned largest_group() const { return largest_group_; }
  /// Throws core::Error (bad_input) unless number and sizes of the arguments are those that the source declares: the
  /// driver would read past what it is given. Not checked with drivers before CUDA 12.4, which do not tell.
  void check_arguments(std::span<const ResolvedArgument> arguments) const;

 private:
  std::shared_ptr<Module> module_;
  std::string name_;
  FunctionHandle function_;
  const kernels::DeviceForm* form_;
  unsigned largest_group_ = 0;
  std::optional<std::vector<std::size_t>> parameter_sizes_;
};

/// Builds kernels for one device and keeps their code: plans that differ in order only compile nothing again.
/// Thread-safe; one kernel is built at a time.
class KernelBuilder {
 public:
  KernelBuilder(std::shared_ptr<Context> context, int capability)
      : context_(std::move(context)), capability_(capability) {}

  /// As Device::build.
  std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source);

 private:
  std::shared_ptr<Module> module_for(const CompileRequest& request);

  std::shared_ptr<Context> context_;
  int capability_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Module>> modules_;  ///< by all that the code depends on
};

}  // namespace forelap::hw::cuda
