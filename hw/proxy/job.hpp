#pragma once
// A task inside the proxy: made by the worker that submits it, then owned by whichever part has it in hand. Internal to
// hw/proxy.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "hw/proxy/device_pool.hpp"
#include "hw/proxy/kernel_shelf.hpp"
#include "hw/proxy/task_state.hpp"

namespace forelap::hw::proxy {

/// A copy between host memory and the start of one of the job's buffers.
struct Transfer {
  std::shared_ptr<HostMemory> host;
  std::uint64_t bytes = 0;
  std::size_t buffer = 0;  ///< index into Job::sizes
  bool staged = false;     ///< the host memory is the proxy's own, not a worker's
};

/// How far the policy knows a job: not, as waiting, or as submitted.
enum class Stand : std::uint8_t { fresh, told, ordered };

struct Job {
  core::OpenTask about;
  std::string name;  ///< for messages
  std::shared_ptr<TaskState> state;
  std::vector<Transfer> in, out;
  std::vector<std::uint64_t> sizes;  ///< of device buffers
  BuiltKernel kernel;
  std::vector<core::Argument> arguments;  ///< a BufferId is an index into `sizes`
  core::KernelCall shape;
  Outcome times;
  Stand stand = Stand::fresh;
  bool blocks = false;  ///< copies return late: host memory that is not pinned

  // From the device's memory being granted on.
  DeviceBuffers memory;
  std::shared_ptr<DevicePool> pool;  ///< where it goes back to
  std::optional<Failure> failure;

  [[nodiscard]] bool launches() const {
    return !about.kernel.empty() && shape.global_size[0] != 0 && shape.global_size[1] != 0 && shape.global_size[2] != 0;
  }
};
using JobPtr = std::unique_ptr<Job>;

}  // namespace forelap::hw::proxy
