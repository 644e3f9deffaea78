#pragma once
// Every choice made for one case of a task group, or for one run of a partition: what lower() needs to make a plan.
// Sizes that meet wished durations are among them; they are found in tune/, which may ask the models.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "scenarios/partition.hpp"
#include "scenarios/scenario.hpp"

namespace forelap::scenarios {

/// A transfer with its size settled: bytes, or on an ideal machine a duration (then bytes is 0).
struct SizedTransfer {
  std::uint64_t bytes = 0;
  core::Tick duration = core::kModelled;
};

/// A kernel launch settled: `repeat` of its definition, or on an ideal machine a duration.
struct SizedKernel {
  std::string kernel;
  std::uint64_t repeat = 1;
  std::uint64_t bytes = 0;  ///< the front part of the task's buffer that it works on; 0 = all of it
  core::Tick duration = core::kModelled;
};

struct SizedTask {
  std::uint64_t buffer_bytes = 0;
  std::vector<SizedTransfer> htod;
  std::vector<SizedKernel> kernels;
  std::vector<SizedTransfer> dtoh;
};

struct TaskGroupTuning {
  std::size_t case_index = 0;
  std::vector<SizedTask> tasks;       ///< by position in the case, whatever the order
  std::vector<std::uint32_t> order;   ///< permutation of positions
  std::vector<std::uint32_t> device;  ///< of each task, by position
  std::uint32_t device_count = 1;
  std::vector<std::uint32_t> engines;             ///< of each device: 1 or 2
  Submission submission = Submission::automatic;  ///< automatic: by_type on one engine, by_task on two
  std::uint32_t kernel_lanes = 1;
  core::MemoryKind memory = core::MemoryKind::pinned;
};

/// What a device of a partition is, and what was chosen for it.
struct DevicePart {
  std::string name;
  bool in_place = false;      ///< a group of CPU cores: works in the host's memory, copies nothing
  std::uint32_t engines = 2;  ///< 1 or 2 copy engines
  std::uint64_t rows = 0;     ///< its share; 0: it does nothing
  std::uint32_t chunks = 1;   ///< stretches of its part whose copies and kernels overlap; 1 in place
  /// Chunks that the device's memory holds at a time, at least 2: later ones take the place of earlier ones when those
  /// are back. 0: all of them.
  std::uint32_t slots = 0;
  CostProfile profile;  ///< of the work of rows on this device; empty: by the kernel's expression
};

/// Every choice made for one run of a partition. Parts lie one behind the other in the order of the devices, and their
/// rows sum to the scenario's.
struct PartitionTuning {
  std::vector<DevicePart> devices;
  TransferMode transfers = TransferMode::concurrent;
  core::MemoryKind memory = core::MemoryKind::pinned;
  /// Set: the parts are only the rows from here on, as far as they reach. What estimates ask of single devices.
  std::optional<std::uint64_t> only_from;
};

}  // namespace forelap::scenarios
