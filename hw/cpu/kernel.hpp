#pragma once
// A built-in kernel on the CPU device.

#include "hw/device.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::cpu {

class CpuKernel : public Kernel {
 public:
  explicit CpuKernel(const kernels::BuiltinKernel& builtin) : builtin_(&builtin) {}
  [[nodiscard]] const kernels::BuiltinKernel& builtin() const { return *builtin_; }

 private:
  const kernels::BuiltinKernel* builtin_;
};

}  // namespace forelap::hw::cpu
