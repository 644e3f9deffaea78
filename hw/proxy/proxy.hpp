#pragma once
// The online proxy: many threads submit tasks to one device; a thread of the proxy takes what waits as a group, asks a
// policy for the order, submits the group on in-order queues, and takes the next group when the device has taken in
// this one's last input. The order of the next group is thought about while this one runs.
//
// Errors. Arguments, allocations and launches that fail concern the future of their task alone. Where the device is
// lost, all tasks on it fail and name the cause, and the device is opened again; tasks that waited go on. Where it does
// not open any more, waiting tasks fail and submitting throws core::Error (unavailable).

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/executor.hpp"
#include "core/policy.hpp"
#include "hw/device.hpp"
#include "hw/proxy/future.hpp"
#include "hw/proxy/options.hpp"
#include "hw/proxy/task.hpp"

namespace forelap::hw::proxy {

/// Opens the device: at first and after each fault. May throw core::Error.
using DeviceFactory = std::function<std::shared_ptr<Device>()>;

class Core;

/// All calls may come from any thread, except that none may be under way or follow when it is destroyed.
class Proxy {
 public:
  /// Opens the device. `policy` null: the order of arrival. Throws core::Error where the device does not open,
  /// bad_input for options out of range.
  Proxy(const Options& options, DeviceFactory factory, std::unique_ptr<core::Policy> policy = nullptr);
  /// Withdraws what waits and waits for what is on the device.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Waits for room in the queue. Whatever is wrong with the task reaches its future; throws core::Error (unavailable)
  /// where the proxy is shut down or its device does not open any more.
  Future submit(const Task& task);
  /// Nothing where the queue is full.
  std::optional<Future> try_submit(const Task& task);
  /// Nothing where the queue stays full for that time.
  std::optional<Future> submit_within(const Task& task, std::chrono::nanoseconds time);

  /// Pinned memory that the device reads and writes itself; zeroed or not, as the pool has it. Throws core::Error where
  /// there is none.
  HostBuffer allocate(std::uint64_t bytes);
  /// Names a kernel of one's own: later tasks call it so. Its source is built when the first task names it.
  void define(const std::string& name, const core::KernelSource& source);

  /// Accepts nothing more, ends what waits as told, and returns when nothing is on the device. A second call waits as
  /// well; where it says cancel it withdraws what the first one would still have run.
  void shutdown(Shutdown how);
  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] const DeviceInfo& device() const;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace forelap::hw::proxy
