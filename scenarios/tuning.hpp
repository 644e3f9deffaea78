#pragma once
// Every choice made for one case of a task group: what lower() needs to make a plan. Sizes that meet wished durations
// are among them; they are found in tune/, which may ask the models.

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.hpp"
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

}  // namespace forelap::scenarios
