#pragma once
// What a backend (hw/cuda, hw/opencl, hw/cpu) offers to the plan executor: an open device, its memory, kernels,
// in-order queues, events and a release gate. Small on purpose: tests put a backend behind it that only writes a log.
//
// Threads: a Device may be used from several threads; a Queue from one at a time; an Event from any.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/executor.hpp"
#include "core/machine.hpp"
#include "core/plan.hpp"

namespace forelap::hw {

/// A device as it is found, before it is opened.
struct DeviceInfo {
  core::DeviceIdentity identity;
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_allocation = 0;
  std::uint32_t claimed_copy_engines = 0;  ///< what the driver says; shown, never trusted
  bool is_gpu = false;
  /// Commands of all queues reach shared engines in the order of the calls that enqueue them, so that a copy enqueued
  /// early holds up one of another queue that could start before it (NVIDIA's OpenCL). Plans are then submitted in
  /// their own order, by one thread for all lanes of the device.
  bool keeps_call_order = false;
  bool shares_host_cores = false;    ///< "transfers" and kernels use the host's cores (PoCL, CPU pool)
  std::string pci_address;           ///< "0000:65:00.0" or empty
  std::string link;                  ///< such as "PCIe 5 x16", or empty where not known
  std::vector<unsigned> host_cores;  ///< of a group of CPU cores: which, as the kernel numbers them
};

/// Begin and end of a command, ticks since the release of its queue's gate, or since the start of the run's first
/// command where the device's clock knows nothing of the release (OpenCL). May be negative where a device's clock is
/// wrong: the executor checks.
struct Stamp {
  core::Tick begin = 0;
  core::Tick end = 0;
};

/// The completion of a command, or of all commands enqueued before it.
class Event {
 public:
  virtual ~Event() = default;
  /// Blocks, without burning a core for long waits, until the command is done. Throws core::Error (device_failed) with
  /// the driver's words if it failed.
  virtual void wait() = 0;
};
using EventPtr = std::shared_ptr<Event>;

/// Host memory for copies: pinned (page-locked, near the device) or pageable.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  /// What was really given: pageable where pinning was refused.
  [[nodiscard]] virtual core::MemoryKind kind() const = 0;
};

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// What the device's own libraries know it by: its address (CUDA) or handle (cl_mem). 0 where there is none.
  [[nodiscard]] virtual std::uint64_t native() const { return 0; }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
};

/// A kernel argument with buffers resolved: device memory or a value.
using ResolvedArgument = std::variant<DeviceMemory*, std::int32_t, std::int64_t, float, double>;

/// An in-order queue (CUDA stream, OpenCL in-order queue, a worker thread). Commands return at once where the memory
/// kind allows it. All throw core::Error (device_failed; bad_input for arguments that the user chose). The executor
/// never asks for a copy of no bytes or a launch of no items. A queue is destroyed after what it holds is done.
class Queue {
 public:
  virtual ~Queue() = default;
  /// Later commands of this queue start after `event`, which may be of another queue of the same backend.
  virtual void wait_for(const EventPtr& event) = 0;
  /// Between the bytes [offset, offset + bytes) of both sides.
  virtual void copy(core::Direction direction, HostMemory& host, DeviceMemory& device, std::uint64_t bytes,
                    std::uint64_t offset = 0) = 0;
  virtual void launch(Kernel& kernel, std::span<const ResolvedArgument> arguments, const core::KernelCall& shape) = 0;
  /// `true`: more launches of the same step follow at once, so that nothing waits for the next one by itself. A hint:
  /// runtimes that make an event for each command need none then (on NVIDIA's OpenCL, events between hundreds of short
  /// launches cost as much as the launches).
  virtual void expect_more(bool /*more*/) {}
  /// Calls `enqueue` at once with the queue's own handle (CUstream, cl_command_queue), its device current, for
  /// libraries that enqueue by themselves. What they enqueue counts as one command. Throws core::Error (bad_input)
  /// where the queue has no handle.
  virtual void call_native(const std::function<void(void*)>& /*enqueue*/) {
    core::throw_bad_input("this device's queues have no handle for libraries");
  }
  /// An event that completes when everything enqueued so far is done.
  virtual EventPtr record() = 0;
  /// Called while the queue is idle. From here on, each copy and launch is stamped (`true`) or not. Stamps are read
  /// with `take_stamps()` after the queue has finished: one for each command since, in order.
  virtual void set_stamping(bool on) = 0;
  virtual std::vector<Stamp> take_stamps() = 0;
  /// Hands everything enqueued to the device; needed before another queue can wait for it.
  virtual void flush() = 0;
};

/// Holds the first commands of several queues of one device back, so that both directions are released together and
/// submission is not part of what is timed. Serves one run. Destroying a gate that is not open opens it, so that no
/// queue hangs.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Called before the first `hold`: how many commands will be enqueued behind the gate, and whether all of them return
  /// at once (none copies pageable memory).
  virtual void expect(std::size_t /*commands*/, bool /*at_once*/) {}
  /// Later commands of `queue` wait for the gate.
  virtual void hold(Queue& queue) = 0;
  /// Releases them; the zero of the run's clock.
  virtual void open() = 0;
  /// Called before `open` where the run spans several devices: `finish` then counts from the release on the host's
  /// clock where the device's own clock knows nothing of it, since its first command may have waited for another
  /// device.
  virtual void among_others() {}
  /// After `open`: when it released the queues, on the host's clock, where that is known more closely than by the time
  /// that the call took.
  [[nodiscard]] virtual std::optional<std::chrono::steady_clock::time_point> released_at() const {
    return std::nullopt;
  }
  /// Waits until all queues held are done and returns the ticks from the release (OpenCL on GPUs: from the start of the
  /// first command) to the end of their last command. Called once, after all that the run submits. Throws core::Error
  /// (device_failed) where a command failed.
  virtual core::Tick finish() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// Throws core::Error (device_failed) naming the size where memory is refused; a pinned wish that is refused falls
  /// back to pageable (HostMemory::kind tells).
  virtual std::unique_ptr<HostMemory> allocate_host(std::uint64_t bytes, core::MemoryKind kind) = 0;
  virtual std::unique_ptr<DeviceMemory> allocate(std::uint64_t bytes) = 0;
  /// Device memory that is the bytes [offset, offset + bytes) of `host` themselves, which must outlive it: the device
  /// works in place, and nothing is copied. Throws core::Error (bad_input) where the device cannot.
  virtual std::unique_ptr<DeviceMemory> map(HostMemory& /*host*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {
    const core::DeviceIdentity& identity = info().identity;
    core::throw_bad_input("device " + identity.name + " (" + identity.backend +
                          ") cannot work in host memory; only groups of CPU cores do");
  }
  /// Builds a kernel from its source (text, entry, options); an empty text means the built-in kernel called `name`.
  /// Throws core::Error (bad_input) with the compiler's log, or naming the kernels there are.
  virtual std::unique_ptr<Kernel> build(const std::string& name, const core::KernelSource& source) = 0;
  /// `purpose` lets a runtime that maps queues to engines by parity choose (copies in and out never share an engine).
  virtual std::unique_ptr<Queue> make_queue(core::LaneKind purpose, core::Direction direction) = 0;
  virtual std::unique_ptr<Gate> make_gate() = 0;
};

enum class BackendState { not_built, library_missing, no_device, ready };

/// What is here, and why what is missing is missing.
struct BackendStatus {
  std::string backend;  ///< "cuda", "opencl", "cpu"
  BackendState state = BackendState::not_built;
  std::string reason;  ///< not ready: the option that would build it, the package, or the driver's words
  std::vector<DeviceInfo> devices;
};

/// A backend, loaded from its shared module the first time it is needed.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual BackendStatus status() = 0;
  /// Opens device `i` of status().devices. Throws core::Error.
  virtual std::shared_ptr<Device> open(std::size_t i) = 0;
  /// Opens a part of device `i`: `multiprocessors` of it, or the next larger number that the device grants (the opened
  /// device's info says which). Copies, memory and caches stay those of the whole device. Throws core::Error: bad_input
  /// where the device has not that many or the backend opens no parts, unavailable where the driver is too old.
  virtual std::shared_ptr<Device> open_part(std::size_t i, std::uint32_t /*multiprocessors*/) {
    const std::string name = status().backend;
    core::throw_bad_input("backend " + name + " opens no part of a device, only a whole one: " + name + ":" +
                          std::to_string(i));
  }
};

}  // namespace forelap::hw
