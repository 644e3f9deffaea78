#pragma once
// A plan bound to devices: for each lane what its thread submits, with kernels, memory and queues resolved.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/executor.hpp"
#include "hw/execute/resources.hpp"

namespace forelap::hw::execute {

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;
inline constexpr std::size_t kNoDevice = SIZE_MAX;

/// One step as its lane's thread sees it.
struct LaneStep {
  std::uint32_t step = 0;        ///< in Plan::steps
  std::uint32_t first_wait = 0;  ///< in Program::waits
  std::uint32_t wait_count = 0;
  std::uint32_t slot = kNoSlot;  ///< where its completion is published, for other lanes that wait for it
  std::uint32_t commands = 0;    ///< copies or launches that it enqueues; 0 for host work and for empty steps
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  Kernel* kernel = nullptr;
  BufferMemory* memory = nullptr;
};

struct LaneProgram {
  core::LaneId lane{};
  std::size_t device = kNoDevice;  ///< none: a lane of the host
  std::shared_ptr<Queue> queue;
  std::vector<LaneStep> steps;
};

struct Program {
  std::vector<LaneProgram> lanes;     ///< only lanes with steps
  std::vector<std::uint32_t> waits;   ///< slots
  std::vector<std::size_t> producer;  ///< by slot: position in `lanes`
  std::vector<ResolvedArgument> arguments;
  /// By BufferId; null where no step uses the buffer, but for owners of shared host memory.
  std::vector<std::shared_ptr<BufferMemory>> buffers;
  /// Positions in `arguments` that are a buffer in shared device memory, which may be another by the next run.
  std::vector<std::pair<std::size_t, const BufferMemory*>> shared_arguments;
  std::vector<std::shared_ptr<HostBlock>> written;  ///< shared host memory that a run writes
  std::vector<std::shared_ptr<Kernel>> kernels;     ///< keeps alive what the steps point at
  std::vector<std::size_t> devices;                 ///< those with lanes
};

/// Resolves queues, kernels, memory and dependencies. Throws core::Error naming the step: bad_input for what no device
/// can run, unavailable for messages.
Program make_program(const core::Plan& plan, const core::Bindings& bindings, Resources& resources);

/// Before a run: makes shared device memory as large as this program needs it, and takes where it is now.
void refresh_shared_memory(Program& program, Resources& resources);

/// Fills the host side of the plan's buffers (bindings.fill, else the fill of the built-in kernel that uses it, else
/// zeros) and uploads it, so that a kernel before any copy reads defined data. Shared host memory is filled once,
/// through the buffer that owns it, and not uploaded; it is left as it is where only built-in kernels write it. Memory
/// that still stands as it was filled is left.
void fill_buffers(const core::Plan& plan, const core::Bindings& bindings, Program& program, Resources& resources);

/// The source bound to a kernel's name on a device; an empty one, the built-in kernel, where none is bound.
const core::KernelSource& source_of(const core::Bindings& bindings, const std::string& name, std::size_t device);
/// Whether any device runs another kernel than the built-in one of that name.
bool is_of_user(const core::Bindings& bindings, const std::string& name);

}  // namespace forelap::hw::execute
