#pragma once
// What to measure so that a device's model can be fitted: plans for an executor, real or simulated, and the samples
// that their runs give. Sizes are found by measuring (auto-ranging), so that the same campaign serves a GPU and two
// cores.
//
// No size is a power of two or a whole number of megabytes, so that what is validated later was not calibrated on. The
// order within a round is random (seeded); rounds are spread over the whole time, so that drift shows in the spread.
// The first run of each point is kept apart (round 0).
//
// Not thread-safe: one campaign at a time on a device, and nothing else should use the device or its link.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/samples.hpp"
#include "core/executor.hpp"
#include "core/progress.hpp"
#include "core/stop_token.hpp"
#include "hw/device.hpp"

namespace forelap::calibrate {

/// One launch of a probed kernel; call.kernel, first_argument and argument_count are set by the campaign.
struct ProbeLaunch {
  core::KernelCall call;
  std::vector<core::Argument> arguments;
  double work = 0;           ///< of one pass
  double items = 0;          ///< of one pass
  std::uint32_t passes = 1;  ///< launches in a row that make up the kernel; call.pass_argument takes their number
  /// Bytes of each buffer of a kernel over several; its arguments then name them by position, BufferId{0} and so on, at
  /// most kMostProbeBuffers. Empty: one buffer, that of the launch.
  std::vector<std::uint64_t> buffers = {};
};

inline constexpr std::size_t kMostProbeBuffers = 8;

/// A kernel to be calibrated.
struct KernelProbe {
  std::string name;
  /// The launch over `buffer` of `bytes` with `repeat` >= 1 (a kernel without repetition may ignore it).
  std::function<ProbeLaunch(core::BufferId buffer, std::uint64_t bytes, std::uint64_t repeat)> launch;
  core::KernelSource source;                       ///< empty text: the built-in kernel of that name
  std::function<void(std::span<std::byte>)> fill;  ///< its input; unset: floats from 1 to 2
  /// Bytes of launches that are to be predicted: where such a launch has few waves of work-groups, a few near it are
  /// measured, never one like it.
  std::vector<std::uint64_t> near_bytes;
};

/// Which parts to measure: bits by Part.
using PartSet = std::uint8_t;
constexpr PartSet bit(Part part) {
  return static_cast<PartSet>(1U << static_cast<unsigned>(part));
}
inline constexpr PartSet kAllParts = 0x3F;

struct CampaignOptions {
  /// Wall-clock time to aim at, seconds, at least 1; a campaign takes up to a third more, and as long as it takes to
  /// measure each point once.
  double budget_seconds = 40;
  std::uint64_t seed = 1;
  std::uint32_t least_rounds = 3;
  std::uint32_t most_rounds = 7;
  std::uint32_t repeats = 3;  ///< runs of a point in one round, after one that is not counted
  bool pageable = true;
  /// Largest transfer or kernel buffer, bytes; further limited by the device's and the host's memory.
  std::uint64_t most_bytes = 600'000'000;
  /// Host memory that the campaign may take in all; 0: a quarter of the machine's.
  std::uint64_t host_bytes = 0;
  PartSet parts = kAllParts;
  core::Progress progress;
  core::StopToken stop;
};

struct CampaignResult {
  std::vector<Sample> samples;
  std::vector<std::string> notes;  ///< what was left out and why
  std::uint32_t rounds = 0;        ///< finished
  double seconds = 0;              ///< wall-clock
  bool complete = true;            ///< false: stopped before least_rounds
};

/// Measures the device behind `executor` (device 0 of its plans). The first probe is the kernel of the latency and
/// interference parts; without probes those with kernels are left out, with a note. Throws core::Error as the executor
/// does; a single point that fails (memory, a kernel's size) is left out with a note.
CampaignResult run_campaign(core::Executor& executor, const hw::DeviceInfo& device, std::span<const KernelProbe> probes,
                            const CampaignOptions& options);

}  // namespace forelap::calibrate
