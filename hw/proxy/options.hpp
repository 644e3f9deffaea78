#pragma once
// How a proxy works, and what it has done.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace forelap::hw::proxy {

struct Options {
  /// Tasks that may wait for the device; who submits more waits. At least 1.
  std::size_t queue_capacity = 1024;
  /// Bytes of device memory that tasks may hold together; 0: nine tenths of the device's.
  std::uint64_t memory_limit = 0;
  /// 2: each direction of copies has a queue, commands go task by task. 1: one queue for both, commands by type.
  unsigned copy_engines = 2;
  /// How long the policy may think about an order while the device waits for it; while a group runs it may think until
  /// the device has taken in the group's last input.
  std::chrono::nanoseconds think_time{0};
  /// After a fault the device is opened again so often, with pauses that double from 10 ms, before the proxy gives up.
  unsigned reopen_attempts = 6;
};

/// What a proxy has done since it was made. Times in seconds.
struct Statistics {
  std::string policy;
  std::string policy_error;  ///< why the policy was given up for the order of arrival; empty: it was not
  std::uint64_t groups = 0;
  std::uint64_t largest_group = 0;
  std::uint64_t submitted = 0;  ///< tasks that reached the device
  std::uint64_t finished = 0;   ///< tasks that ended well
  std::uint64_t failed = 0;     ///< tasks that ended with an error of their own or of the device
  std::uint64_t cancelled = 0;
  std::uint64_t faults = 0;        ///< devices lost
  std::size_t waiting = 0;         ///< now
  std::size_t in_flight = 0;       ///< now, on the device
  std::uint64_t device_bytes = 0;  ///< now, of device memory, used or kept
  double prepare_seconds = 0;      ///< the policy thought ahead while a group ran
  double order_seconds = 0;        ///< the policy was asked for an order
  /// The part of both in which the device's first lane had nothing to do and tasks waited: what ordering added to the
  /// device's critical path.
  double order_delay_seconds = 0;
  /// From the end of a group's last input to the first command of the next group that waited for it, without
  /// `order_delay_seconds`: waking the proxy's thread and telling the policy what came.
  double handover_seconds = 0;
  double busy_seconds = 0;  ///< tasks were on the device
};

/// What becomes of waiting tasks when a proxy shuts down; those on the device always run to their end.
enum class Shutdown { drain, cancel };

}  // namespace forelap::hw::proxy
