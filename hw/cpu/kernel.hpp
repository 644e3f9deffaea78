#pragma once
// A built-in kernel on the CPU device.

#include "hw/device.hpp"
#include "hw/kernels/library.hpp"

namespace forelap::hw::cpu {

class CpuKernel : public Kernel {
 public:
  explicit CpuKernel(const kernels::CpuForm& form) : form_(form) {}
  [[nodiscard]] const kernels::CpuForm& form() const { return form_; }

 private:
  kernels::CpuForm form_;
};

}  // namespace forelap::hw::cpu
