// The CUDA backend and the function by which hw/backends.cpp makes it.

#include <string>

#include "core/error.hpp"
#include "hw/cuda/cuda_device.hpp"
#include "hw/cuda/driver.hpp"
#include "hw/device.hpp"

namespace forelap::hw::cuda {
namespace {

class CudaBackend final : public Backend {
 public:
  [[nodiscard]] BackendStatus status() override {
    BackendStatus status;
    status.backend = "cuda";
    status.state = BackendState::no_device;
    const DriverState& state = driver();
    status.reason = state.reason;
    if (!state.ready) return status;
    try {
      for (int i = 0; i < state.devices; ++i) status.devices.push_back(describe(i));
      status.state = BackendState::ready;
    } catch (const core::Error& error) {
      status.devices.clear();
      status.reason = error.what();
    }
    return status;
  }

  std::shared_ptr<Device> open(std::size_t i) override { return open_checked(i, 0); }

  std::shared_ptr<Device> open_part(std::size_t i, std::uint32_t multiprocessors) override {
    if (multiprocessors == 0) core::throw_bad_input("a part of a CUDA device has at least one multiprocessor");
    return open_checked(i, multiprocessors);
  }

 private:
  static std::shared_ptr<Device> open_checked(std::size_t i, std::uint32_t multiprocessors) {
    const DriverState& state = driver();
    if (!state.ready) core::throw_unavailable(state.reason);
    if (i >= static_cast<std::size_t>(state.devices)) {
      core::throw_bad_input("there is no CUDA device " + std::to_string(i) + "; the driver shows " +
                            std::to_string(state.devices) + ", counted from 0");
    }
    return open_device(static_cast<int>(i), multiprocessors);
  }
};

}  // namespace
}  // namespace forelap::hw::cuda

/// The module's maker function; the caller owns the backend.
extern "C" __attribute__((visibility("default"))) forelap::hw::Backend* forelap_make_backend() {
  return new forelap::hw::cuda::CudaBackend();
}
