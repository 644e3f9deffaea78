#pragma once
// What a future and the proxy share of a task. Internal to hw/proxy.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.hpp"
#include "hw/device.hpp"
#include "hw/proxy/future.hpp"

namespace forelap::hw::proxy {

/// How a task failed, kept apart from the exception, which each thread that asks gets anew.
struct Failure {
  core::ErrorKind kind = core::ErrorKind::device_failed;
  std::string message;
  bool cancelled = false;
};

/// Where a future asks for its task to be withdrawn.
class CancelTarget {
 public:
  virtual ~CancelTarget() = default;
  virtual bool cancel(core::TaskKey key) = 0;
};

/// A result that waits in pinned memory for the worker to take it.
struct StagedResult {
  std::shared_ptr<HostMemory> memory;
  std::span<std::byte> target;
};

struct TaskState {
  /// Once; `failure` nothing: all went well.
  void finish(std::optional<Failure> how, const Outcome& when);

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::optional<Failure> failure;
  Outcome outcome;
  std::vector<StagedResult> results;

  // Set before the state is shared.
  core::TaskKey key = 0;
  std::weak_ptr<CancelTarget> proxy;
};

}  // namespace forelap::hw::proxy
