#pragma once
// forelap::Proxy: many threads offload tasks to one device, and the proxy runs what waits together in the order that
// takes the least time by the device's profile. Installed; link forelap::proxy.
//
//   forelap::Proxy proxy({.device = "opencl", .machine = "machine.yaml"});
//   forelap::Future future = proxy.submit({.kernel = "saxpy", .arguments = {in(x), inout(y), 2.0F, n}, .items = n});
//   future.get();  // y holds the result
//
// Errors are forelap::Error, whose kind says whether the input was wrong, something is missing here, or a device
// failed.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/error.hpp"
#include "hw/proxy/future.hpp"
#include "hw/proxy/options.hpp"
#include "hw/proxy/task.hpp"

namespace forelap {

using core::Error;
using core::ErrorKind;
using hw::proxy::Argument;
using hw::proxy::BufferArgument;
using hw::proxy::Cancelled;
using hw::proxy::Extent;
using hw::proxy::Future;
using hw::proxy::HostBuffer;
using hw::proxy::in;
using hw::proxy::inout;
using hw::proxy::out;
using hw::proxy::Outcome;
using hw::proxy::scratch;
using hw::proxy::Shutdown;
using hw::proxy::Task;
using ProxyStatistics = hw::proxy::Statistics;

struct ProxyOptions {
  /// "auto", "cuda", "cuda:1", "opencl:0", "cpu", "cpu:0-3".
  std::string device = "auto";
  /// A machine profile, as `forelap calibrate` writes it. Empty: none, so that tasks go in the order of arrival.
  std::string machine = {};
  /// "auto": the best order that is found in the time there is. "heuristic": the batch reordering heuristic of the
  /// ordering paper. "neh": insertion by decreasing total time. "arrival": the order in which tasks come.
  std::string policy = "auto";
  /// Tasks that may wait for the device; who submits more waits.
  std::size_t queue_capacity = 1024;
  /// Bytes of device memory that tasks may hold together; 0: nine tenths of the device's.
  std::uint64_t memory_limit = 0;
  /// How long the policy may think while the device waits for an order.
  std::chrono::nanoseconds think_time{0};
  /// 1 or 2; 0: what the profile says, and 2 without one.
  unsigned copy_engines = 0;
};

/// The source of a kernel, in the language of the device: OpenCL C or CUDA C++.
struct KernelSource {
  std::string text;
  std::string entry;         ///< name of the kernel function
  std::string options = {};  ///< of the compiler
  std::string origin = {};   ///< a file's name for the compiler's messages
};

/// All calls may come from any thread, except that none may be under way or follow when it is destroyed. See
/// hw/proxy/proxy.hpp for what becomes of errors and lost devices.
class Proxy {
 public:
  /// Opens the device. Throws Error: bad_input for an unknown policy, a policy that needs a profile without one, a
  /// profile that is of another device; unavailable where the device does not open.
  explicit Proxy(const ProxyOptions& options = {});
  /// Withdraws what waits and waits for what is on the device.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Waits for room in the queue. Whatever is wrong with the task reaches its future; throws Error (unavailable) where
  /// the proxy is shut down or its device does not open any more.
  Future submit(const Task& task);
  /// Nothing where the queue is full.
  std::optional<Future> try_submit(const Task& task);
  /// Nothing where the queue stays full for that time.
  std::optional<Future> submit_within(const Task& task, std::chrono::nanoseconds time);

  /// Pinned memory that the device reads and writes itself, without the copy that a worker's own memory costs.
  HostBuffer allocate(std::uint64_t bytes);
  /// Names a kernel of one's own; later tasks call it so. It is built when the first task names it.
  void define(const std::string& name, const KernelSource& source);

  /// Accepts nothing more, ends what waits as told, and returns when nothing is on the device.
  void shutdown(Shutdown how);
  [[nodiscard]] ProxyStatistics statistics() const;
  /// Which device it is: "opencl:0 (NAME)".
  [[nodiscard]] std::string device() const;

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace forelap
