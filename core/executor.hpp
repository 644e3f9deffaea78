#pragma once
// What runs plans: simulators and real devices alike.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan.hpp"
#include "core/stop_token.hpp"
#include "core/timeline.hpp"

namespace forelap::core {

/// The source of a kernel, in the language of the device that runs it.
struct KernelSource {
  std::string text;    ///< OpenCL C or CUDA C++; empty: the built-in kernel of that name (hw/kernels)
  std::string entry;   ///< name of the kernel function
  std::string origin;  ///< file name for compiler messages
  std::string options;
};

/// What a plan's ids stand for on hardware. Simulators ignore it.
struct Bindings {
  std::map<std::string, KernelSource> kernels;  ///< by kernel name; a name left out means the built-in kernel
  /// By device and kernel name, where devices of one plan need sources of their own; these go before `kernels`.
  std::map<std::pair<DeviceId, std::string>, KernelSource> device_kernels;
  /// Called once with the host memory of each buffer before the first run, on the thread that prepares; unset: the
  /// input of the built-in kernel that works on the buffer, else zeros.
  std::function<void(BufferId, std::span<std::byte>)> fill;
  /// The body of a host work step: called with the step, on its lane's thread, at once for steps of several lanes.
  /// Unset: a host work step on hardware is an error.
  std::function<void(const Step&)> host_work;
};

struct RunOptions {
  /// Record an interval for every step. Costs time on some devices, so makespans come from runs without.
  bool intervals = false;
  StopToken stop;  ///< checked between steps that are not yet submitted
};

/// A plan made ready to run: kernels built, memory allocated and filled. Not thread-safe.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;
  /// Runs the plan once, from a common release of all lanes to the last step's end.
  virtual Timeline run(const RunOptions& options) = 0;
  /// Host side of a buffer after a run, to verify what came back; empty for simulators.
  virtual std::span<const std::byte> host_memory(BufferId buffer) const = 0;
  /// Changes the bytes [offset, offset + bytes) of a buffer's host side, which the next run is to write: what an
  /// earlier run left there is then not taken for its result. Does nothing for simulators or outside the buffer.
  virtual void spoil(BufferId /*buffer*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/) {}
  /// Kind of host memory that the buffer was really given: pageable where pinning was refused. Nothing for simulators.
  [[nodiscard]] virtual std::optional<MemoryKind> memory_given(BufferId /*buffer*/) const { return std::nullopt; }
};

/// A finished step of a session; times on the session's clock.
struct StepEvent {
  StepId step{};
  Tick begin = 0;
  Tick end = 0;
};

/// Open work on persistent lanes: fragments are submitted while earlier ones run. Calls come from one thread.
class Session {
 public:
  virtual ~Session() = default;
  /// Starts the steps of `fragment`, whose lanes, buffers and kernels are those the session was opened with and whose
  /// `first_id` is the number of steps submitted so far.
  virtual void submit(const Plan& fragment) = 0;
  /// Waits for the next step to finish; nothing when no submitted step is left. Events come in the order of their end
  /// (ties by step id) in simulators, as they are seen on hardware.
  virtual std::optional<StepEvent> next_event() = 0;
  /// Ticks since the session was opened.
  [[nodiscard]] virtual Tick now() const = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Makes `plan` ready. Both arguments must outlive the result. Throws Error.
  virtual std::unique_ptr<PreparedPlan> prepare(const Plan& plan, const Bindings& bindings) = 0;
  /// Opens a session on the lanes, buffers, kernels of `frame` (its steps are ignored). Throws Error.
  virtual std::unique_ptr<Session> open_session(const Plan& frame, const Bindings& bindings) = 0;

  /// prepare + run once.
  Timeline run(const Plan& plan, const Bindings& bindings, const RunOptions& options) {
    return prepare(plan, bindings)->run(options);
  }
};

}  // namespace forelap::core
