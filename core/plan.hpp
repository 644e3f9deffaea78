#pragma once
// A plan: what must happen, as pure data. Steps stand in topological order, each on an in-order lane, with explicit
// dependencies. A plan is complete: no executor decides anything. Ids only; what they stand for on hardware is in
// Bindings. Built by PlanBuilder, which checks what it is given.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/ids.hpp"
#include "core/time.hpp"

namespace forelap::core {

enum class StepKind : std::uint8_t { copy, kernel, host_work, send, receive };
enum class Direction : std::uint8_t { host_to_device, device_to_host };
enum class MemoryKind : std::uint8_t { pinned, pageable };
enum class LaneKind : std::uint8_t { copy, kernel, host, network };

/// "Ask the models": the step's time is not given.
inline constexpr Tick kModelled = -1;

/// An in-order queue of one device (copy, kernel), of the host's cores, or of a rank's network port.
struct Lane {
  LaneKind kind = LaneKind::kernel;
  DeviceId device = none<DeviceId>();  ///< of copy and kernel lanes
  RankId rank{};                       ///< the process whose lane it is
  std::string name;                    ///< for traces and tables, such as "gpu0 htod"
};

/// A host buffer and its counterpart on a device, which copies move between; alive from `first_use` to `last_use`.
/// An array that is divided over devices is one buffer that owns the host memory and, for each device, one whose host
/// side is a stretch of it. An owner that no step names itself may have no device: it is host memory only.
struct Buffer {
  std::uint64_t bytes = 0;
  MemoryKind memory = MemoryKind::pinned;  ///< of the host side; with `host_of`: the owner's
  DeviceId device{};                       ///< none: host memory only, for others to share
  StepId first_use = none<StepId>();       ///< an owner's: also by those that share its memory
  StepId last_use = none<StepId>();
  /// The earlier buffer whose host memory this one shares, and which owns its memory; none: its own.
  BufferId host_of = none<BufferId>();
  std::uint64_t host_offset = 0;  ///< bytes from the begin of the owner's memory; 0 for an owner
  bool in_place = false;          ///< the device works in the host memory itself: nothing is copied
  /// The earlier buffer, of the same device and at least as large, whose device memory this one uses again: chunks of
  /// an array take turns. That they do not meet there is the steps' dependencies' matter. None: its own.
  BufferId device_of = none<BufferId>();
};

/// One argument of a kernel: a buffer's device side or a value.
using Argument = std::variant<BufferId, std::int32_t, std::int64_t, float, double>;

/// A kernel launch: which kernel, its arguments in Plan::arguments, its index space.
struct KernelCall {
  KernelId kernel{};
  std::uint32_t first_argument = 0;
  std::uint32_t argument_count = 0;
  std::array<std::uint64_t, 3> global_size = {0, 1, 1};  ///< work-items in each dimension
  std::array<std::uint32_t, 3> group_size = {0, 1, 1};   ///< 0 in the first: the executor's default
  /// Position of the int32 argument that takes the number of the repetition, from 0, at each of the step's `count`
  /// launches: the passes of one kernel. Its value in Plan::arguments is that of the first. Below 0: none.
  std::int32_t pass_argument = -1;
};

// ---- the five kinds of step, as a plan's author writes them ----

/// Moves `bytes` of a buffer, from byte `offset` of the buffer on, between its host side and its device side, to the
/// same place. The buffer has a device side of its own: it is neither host memory only nor in place.
struct CopyStep {
  LaneId lane{};
  DeviceId device{};
  Direction direction = Direction::host_to_device;
  MemoryKind memory = MemoryKind::pinned;
  BufferId buffer = none<BufferId>();  ///< none in plans that are only predicted
  std::uint64_t bytes = 0;
  std::uint32_t count = 1;
  Tick duration = kModelled;
  std::uint64_t offset = 0;
};

/// Launches a kernel, `count` times.
struct KernelStep {
  LaneId lane{};
  DeviceId device{};
  KernelCall call = {};  ///< first_argument and argument_count are set by the builder from the arguments given with it
  double work = 0;       ///< of one launch: m in T = launch + per_work m + per_item n, in the kernel's unit of work
  double items = 0;      ///< of one launch: n
  std::uint32_t count = 1;
  Tick duration = kModelled;
};

/// Work of the host's cores: a compilation, a CPU's share, an optimisation round of a rank.
struct HostWorkStep {
  LaneId lane{};
  HostWorkId work{};
  double amount = 0;  ///< in the unit of the work's model
  std::uint32_t count = 1;
  Tick duration = kModelled;
};

/// Hands a message to the network; done when the sender's lane is free again.
struct SendStep {
  LaneId lane{};
  RankId peer{};
  std::uint64_t bytes = 0;
  std::uint32_t count = 1;
  Tick duration = kModelled;
};

/// Takes a message; it depends on the SendStep that sends it, which the author gives as its first dependency.
struct ReceiveStep {
  LaneId lane{};
  RankId peer{};
  std::uint64_t bytes = 0;
  std::uint32_t count = 1;
  Tick duration = kModelled;
};

/// The stored form of a step: 56 bytes. `subject` is an index: into calls (kernel), host_work_names (host work), or a
/// peer's rank (send, receive).
struct Step {
  StepKind kind = StepKind::host_work;
  Direction direction = Direction::host_to_device;
  MemoryKind memory = MemoryKind::pinned;
  LaneId lane{};
  DeviceId device = none<DeviceId>();
  std::uint32_t first_dependency = 0;
  std::uint32_t dependency_count = 0;
  std::uint32_t count = 1;  ///< back-to-back repetitions, folded into one step
  std::uint32_t subject = 0;
  BufferId buffer = none<BufferId>();
  double amount = 0;  ///< of one repetition: bytes (copy, send, receive), work (kernel), units (host work)
  double items = 0;   ///< work-items of one launch (kernel); the offset in the buffer, bytes (copy)
  Tick duration = kModelled;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<StepId> dependencies;  ///< flat; a step's are [first_dependency, +dependency_count)
  std::vector<Lane> lanes;
  std::vector<Buffer> buffers;
  std::vector<std::string> kernels;          ///< names, by KernelId
  std::vector<std::string> host_work_names;  ///< names, by HostWorkId
  std::vector<KernelCall> calls;
  std::vector<Argument> arguments;
  std::uint32_t device_count = 0;
  /// Id of the first step: 0, or for a fragment submitted to a Session the number of steps submitted before it.
  /// Dependencies name steps by their ids in the session.
  std::uint32_t first_id = 0;

  [[nodiscard]] std::span<const StepId> dependencies_of(const Step& step) const {
    return {dependencies.data() + step.first_dependency, step.dependency_count};
  }
  [[nodiscard]] std::span<const Argument> arguments_of(const KernelCall& call) const {
    return {arguments.data() + call.first_argument, call.argument_count};
  }
  [[nodiscard]] const KernelCall& call_of(const Step& step) const { return calls[step.subject]; }
};

/// Builds a plan step by step. Throws std::invalid_argument on a programming error (an unknown lane, a dependency that
/// is not yet there, a negative amount): a plan that was built is valid.
class PlanBuilder {
 public:
  PlanBuilder() = default;
  /// For a fragment: steps are numbered from `first_id`, and dependencies may name earlier steps of the session.
  explicit PlanBuilder(std::uint32_t first_id) { plan_.first_id = first_id; }

  LaneId add_lane(Lane lane);
  BufferId add_buffer(Buffer buffer);
  /// The id of the kernel or work called `name`; adds it when it is new.
  KernelId kernel(const std::string& name);
  HostWorkId host_work(const std::string& name);

  StepId add(const CopyStep& step, std::span<const StepId> after = {});
  StepId add(const KernelStep& step, std::span<const Argument> arguments, std::span<const StepId> after = {});
  StepId add(const HostWorkStep& step, std::span<const StepId> after = {});
  StepId add(const SendStep& step, std::span<const StepId> after = {});
  StepId add(const ReceiveStep& step, std::span<const StepId> after);

  void reserve(std::size_t steps);
  /// The finished plan; the builder is empty afterwards.
  Plan build();

 private:
  StepId append(Step step, std::span<const StepId> after);
  void touch(BufferId buffer, StepId step);
  Plan plan_;
};

/// The buffer that owns the host memory of `buffer`: itself, or the one that it shares with.
BufferId host_owner(const Plan& plan, BufferId buffer);

/// Throws std::invalid_argument with what is wrong unless the plan keeps its rules (ids in range, dependencies on
/// earlier steps, amounts finite and not negative; shared host memory of an earlier owner and inside it; no copy of a
/// buffer in place).
void check_plan(const Plan& plan);

}  // namespace forelap::core
