#pragma once
// Small plans and their runs: what campaigns and drift checks are made of. Internal to calibrate/.

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/campaign.hpp"
#include "calibrate/samples.hpp"
#include "core/executor.hpp"

namespace forelap::calibrate {

/// `count` equal commands in a row on one lane.
struct Command {
  Subject subject = Subject::htod;  ///< htod, dtoh or kernel
  std::uint64_t bytes = 0;
  std::uint64_t repeat = 1;  ///< kernels
  core::MemoryKind memory = core::MemoryKind::pinned;
  std::uint32_t count = 1;
};

/// One command series a lane, all lanes released together.
struct Workload {
  const KernelProbe* probe = nullptr;  ///< of its kernels
  std::vector<Command> lanes;
  /// Command i of a lane waits for command i of the lane before it, and of the first lane for command i - 1 of the
  /// last.
  bool chained = false;
  /// The lane whose first command is timed in instrumented runs; -1: only makespans are asked for.
  int measured = -1;
};

/// Seconds that a command of each class (htod, dtoh, kernel) spends before its work begins.
using FixedParts = std::array<double, 3>;

struct Timed {
  double seconds = 0;
  double outside = 0;  ///< seconds in which not all other lanes were at work too
};

/// What the buffers of an executor already hold: it keeps memory between plans, so that filling once is enough, and
/// filling half a gigabyte takes longer than measuring it.
class FilledBuffers {
 public:
  /// Writes the input of `probe` (or, where it names none, floats from 1 to 2) into `bytes`, if buffer `slot` has not
  /// yet held as much of it. Zeros would not do: they cost a device less power than data does.
  void fill(core::BufferId slot, std::span<std::byte> bytes, const KernelProbe* probe);

 private:
  std::map<std::pair<std::size_t, std::string>, std::size_t> filled_;
};

/// A workload made ready on an executor; `filled` outlives it.
class Prepared {
 public:
  Prepared(core::Executor& executor, const Workload& workload, FilledBuffers& filled);
  /// One uninstrumented run: its makespan, seconds.
  double makespan();
  /// One instrumented run: the measured command's interval.
  Timed interval(const FixedParts& fixed);
  /// As the workload asks: an interval where it names a measured lane, else a makespan.
  Timed time(const FixedParts& fixed);

 private:
  [[nodiscard]] std::vector<std::uint64_t> buffer_bytes() const;
  void build_plan();
  void add_command(std::size_t lane);

  Workload workload_;
  core::PlanBuilder builder_;
  std::vector<core::LaneId> lanes_;
  std::vector<std::vector<core::StepId>> steps_;  ///< by lane
  std::vector<core::StepId> last_;
  core::Plan plan_;
  core::Bindings bindings_;
  std::unique_ptr<core::PreparedPlan> prepared_;
};

/// Makespan in seconds, roughly: the shortest of two or three runs.
double quick_time(core::Executor& executor, const Workload& workload, FilledBuffers& filled);

/// The launch of `probe` that `command` stands for, with its work and items.
ProbeLaunch launch_of(const KernelProbe& probe, const Command& command);

/// A sample's fields for `command`, without times.
Sample sample_of(Part part, const Command& command, const KernelProbe* probe);

}  // namespace forelap::calibrate
