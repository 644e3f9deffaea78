#pragma once
// The kernels of a proxy: built once a device, built again on the next one.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/executor.hpp"
#include "hw/device.hpp"

namespace forelap::hw::proxy {

/// A kernel and the device that it was built for, counted from 1; null where no device is open.
struct BuiltKernel {
  std::shared_ptr<Kernel> kernel;
  std::uint64_t epoch = 0;
};

/// Thread-safe; one kernel is built at a time.
class KernelShelf {
 public:
  /// Later tasks that name `name` run this source. Throws core::Error (bad_input) where `name` is empty.
  void define(const std::string& name, const core::KernelSource& source);
  /// The kernel called `name` for the open device, built now where it is new; a name that is not defined is a built-in
  /// kernel's. Throws core::Error with the compiler's log.
  BuiltKernel get(const std::string& name);
  /// From here on kernels are built for `device`; those that were built before are built at once. One that does not
  /// build any more fails when it is asked for. Returns the device's number.
  std::uint64_t open(std::shared_ptr<Device> device);
  /// The device is given up.
  void close();

 private:
  std::shared_ptr<Kernel> build(const std::string& name);

  std::mutex mutex_;
  std::shared_ptr<Device> device_;
  std::uint64_t epoch_ = 0;
  std::map<std::string, core::KernelSource> sources_;
  std::map<std::string, std::shared_ptr<Kernel>> built_;  ///< null: to be built
};

}  // namespace forelap::hw::proxy
